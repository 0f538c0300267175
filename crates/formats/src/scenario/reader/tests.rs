//! The reader's diagnostics, as a table of documents.

use std::path::Path;
use std::time::Duration;

use dbs_domain::SignalKind;

use super::super::{Scenario, ScenarioAskKind, ScenarioColour, ScenarioScreen, StepAction, TextStyle};
use super::read;

fn good(text: &str) -> Scenario {
    let (scenario, diagnostics) = read(Path::new("s.toml"), text);
    assert_eq!(diagnostics, [], "{text}");
    scenario.unwrap()
}

fn steps(text: &str) -> Vec<StepAction> {
    let text = format!("[[part]]\nsteps = [\n{text}\n]\n");
    good(&text)
        .parts
        .remove(0)
        .steps
        .into_iter()
        .map(|step| step.action)
        .collect()
}

#[test]
fn a_complete_scenario_is_read() {
    let scenario = good(concat!(
        "name = \"small\"\n[author]\nname = \"A\"\nemail = \"a@localhost\"\n",
        "[[part]]\nname = \"p\"\nrole = \"reviewer\"\nattempt = \"2+\"\nmode = [\"fresh\", \"remediate\"]\nscreen = \"full\"\n",
        "steps = [{ print = \"hi\", colour = \"red\", bold = true },\n  { sleep = 0.5 }]\n",
        "[[part]]\n[[part.steps]]\nsignal = \"done\"\nreport = { files = [\"a\"], n = 2 }\n",
    ));
    assert_eq!(
        (scenario.name.as_str(), scenario.author.email.as_str()),
        ("small", "a@localhost")
    );
    let [first, second] = scenario.parts.as_slice() else {
        panic!("two parts")
    };
    assert_eq!(
        (first.line, first.screen, first.name.as_str()),
        (5, ScenarioScreen::Full, "p")
    );
    let look = TextStyle {
        colour: ScenarioColour::Red,
        bold: true,
    };
    assert_eq!(
        first.steps[0].action,
        StepAction::Print {
            text: "hi".into(),
            look,
            typed: false
        }
    );
    assert_eq!((first.steps[1].line, second.steps[0].line), (12, 14));
    let StepAction::Signal { kind, report, .. } = &second.steps[0].action else {
        panic!("a signal")
    };
    assert_eq!(*kind, SignalKind::Done);
    assert_eq!(report.as_ref().unwrap().to_string(), r#"{"files":["a"],"n":2}"#);
}

#[test]
fn defaults_are_filled_in() {
    let actions = steps("{ ask = \"Run?\" }, { hang = true }");
    let StepAction::Ask {
        choices,
        kind,
        answer_after,
        ..
    } = &actions[0]
    else {
        panic!("a question")
    };
    assert_eq!(
        (choices.as_slice(), *kind, *answer_after),
        (
            &["Yes".to_owned(), "No".into()][..],
            ScenarioAskKind::Permission,
            None
        )
    );
    assert_eq!(actions[1], StepAction::Hang(None));
    assert_eq!(
        steps("{ hang = 2 }"),
        [StepAction::Hang(Some(Duration::from_secs(2)))]
    );
}

/// Document, line of the finding, a piece of its text.
const MISTAKES: &[(&str, usize, &str)] = &[
    ("", 0, "needs at least one `[[part]]`"),
    (
        "part = 3",
        1,
        "`part` of a scenario must be a list of tables, not 3",
    ),
    ("[[part]]\nsteps = [", 2, "not TOML"),
    (
        "nmae = \"x\"\n[[part]]\nsteps = [{ sleep = 1 }]",
        1,
        "no `nmae`, did you mean `name`; it takes name, author, part",
    ),
    ("[[part]]\n", 1, "needs `steps`"),
    (
        "[[part]]\nrole = 3\nsteps = [{ sleep = 1 }]",
        2,
        "`role` of a part must be a text or a list of texts, not 3",
    ),
    (
        "[[part]]\nattempt = 0\nsteps = [{ sleep = 1 }]",
        2,
        "a number from 1, a list of them, or \"2+\", not 0",
    ),
    (
        "[[part]]\nattempt = \"x\"\nsteps = [{ sleep = 1 }]",
        2,
        "not the text \"x\"",
    ),
    (
        "[[part]]\nmode = \"later\"\nsteps = [{ sleep = 1 }]",
        2,
        "one or several of fresh, remediate, fallback",
    ),
    (
        "[[part]]\nscreen = \"half\"\nsteps = [{ sleep = 1 }]",
        2,
        "one of inline, full",
    ),
    (
        "[author]\nname = \"x\"\n[[part]]\nsteps = [{ sleep = 1 }]",
        1,
        "`author` needs `email`",
    ),
    (
        "[[part]]\nsteps = [\n  { sleep = 1 },\n  { wriet = \"a\", text = \"b\" },\n]",
        4,
        "unknown step `wriet`, did you mean `write`",
    ),
    (
        "[[part]]\nsteps = [\n  { dance = true },\n]",
        3,
        "unknown step `dance`; a step has one of print, raw, think",
    ),
    ("[[part]]\nsteps = [\n  {},\n]", 3, "an empty step"),
    ("[[part]]\nsteps = [\n  3,\n]", 3, "must hold tables"),
    (
        "[[part]]\nsteps = [\n{ write = \"a\" }]",
        3,
        "`write` needs `text`",
    ),
    (
        "[[part]]\nsteps = [{ replace = \"a\", edits = [\n{ line = \"b\" }] }]",
        3,
        "an edit needs `with`",
    ),
    (
        "[[part]]\nsteps = [{ merge = \"a\", resolve = [\n{ path = \"../b\", text = \"\" }] }]",
        3,
        "goes up",
    ),
    (
        "[[part]]\nsteps = [{ ask = \"a\", refused = [\n{ slep = 1 }] }]",
        3,
        "unknown step `slep`, did you mean `sleep`",
    ),
];

/// A step that stands in the second line of a document, and a piece of the finding about it.
const WRONG_STEPS: &[(&str, &str)] = &[
    (
        "sleep = 1, print = \"a\"",
        "this one has `print` and `sleep`; make it two steps",
    ),
    (
        "write = \"a\", text = 3",
        "`text` of `write` must be a text in quotes, not 3",
    ),
    (
        "write = \"a\", txt = \"b\", text = \"c\"",
        "`write` has no `txt`, did you mean `text`",
    ),
    ("write = \"/etc/x\", text = \"\"", "`/etc/x` is absolute"),
    ("write = \"a/../../x\", text = \"\"", "goes up with `..`"),
    ("write = \".git/config\", text = \"\"", "reaches into `.git`"),
    ("write = \"c:\\\\x\", text = \"\"", "a backslash or a colon"),
    ("remove = \"\"", "is empty"),
    ("print = \"a\", colour = \"pink\"", "one of plain, grey, red"),
    ("print = \"a\", bold = 1", "must be true or false, not 1"),
    ("sleep = -1", "seconds from 0 to 86400, such as 2 or 0.5, not -1"),
    ("sleep = \"1\"", "not the text \"1\""),
    ("exit = 300", "a whole number from 0 to 255, not 300"),
    ("flood = 0", "a whole number from 1 to 4096"),
    ("crash = \"softly\"", "one of abort, kill, term"),
    (
        "signal = \"finished\"",
        "one of claim, done, reject, block, fail, progress, question",
    ),
    ("ignore_term = false", "must be true"),
    ("replace = \"a\"", "`replace` needs `line`"),
    ("replace = \"a\", line = \"b\"", "`replace` needs `with`"),
    ("check = true", "one of present, complete"),
    ("fork_daemon = 1, pid_file = \"/p\"", "is absolute"),
];

#[test]
fn every_mistake_names_its_line_and_what_would_be_right() {
    let steps = WRONG_STEPS
        .iter()
        .map(|(step, expected)| (format!("[[part]]\nsteps = [{{ {step} }}]"), 2, *expected));
    let documents = MISTAKES
        .iter()
        .map(|(text, line, expected)| ((*text).to_owned(), *line, *expected));
    for (text, line, expected) in documents.chain(steps) {
        let (scenario, diagnostics) = read(Path::new("dir/s.toml"), &text);
        assert!(scenario.is_none(), "{text}");
        let found = diagnostics
            .iter()
            .any(|d| d.line == line && d.to_string().contains(expected));
        assert!(
            found,
            "{text}\nexpected {line}: {expected}\nfound {diagnostics:#?}"
        );
        assert!(
            diagnostics
                .iter()
                .all(|d| d.to_string().starts_with("dir/s.toml:")),
            "{diagnostics:#?}"
        );
    }
}

#[test]
fn doubtful_things_are_warned_about_and_still_read() {
    let table = [
        (
            "[[part]]\nsteps = [{ print = \"{tsak}\" }]",
            2,
            "`{tsak}` is not a variable; did you mean `{task}`",
        ),
        (
            "[[part]]\nsteps = [{ exit = 1 },\n{ print = \"a\" }]",
            3,
            "never played: the one before it ends the part",
        ),
        (
            "[[part]]\nrole = [\"a\", \"b\"]\nsteps = [{ sleep = 1 }]\n[[part]]\nrole = \"a\"\nattempt = 2\nsteps = [{ sleep = 1 }]",
            4,
            "the part on line 1 fits whatever",
        ),
        (
            "[[part]]\nattempt = \"2+\"\nsteps = [{ sleep = 1 }]\n[[part]]\nattempt = [2, 3]\nsteps = [{ sleep = 1 }]",
            4,
            "never played",
        ),
    ];
    for (text, line, expected) in table {
        let (scenario, diagnostics) = read(Path::new("s.toml"), text);
        assert!(scenario.is_some(), "{text}");
        let [only] = diagnostics.as_slice() else {
            panic!("{text}: {diagnostics:#?}")
        };
        assert!(only.line == line && only.text.contains(expected), "{only}");
    }
}

#[test]
fn parts_that_differ_in_one_condition_are_not_hidden() {
    good(
        "[[part]]\nrole = \"a\"\nattempt = 1\nsteps = [{ sleep = 1 }]\n[[part]]\nrole = \"a\"\nsteps = [{ sleep = 1 }]",
    );
    good("[[part]]\ntag = \"a\"\nsteps = [{ sleep = 1 }]\n[[part]]\ntag = \"b\"\nsteps = [{ sleep = 1 }]");
}
