use super::*;

const SOUND: &str = "title = \"Tool\"\nprogram = \"tool\"\ninstall = \"get tool\"\nstart = [\"{prompt}\"]\n";

fn findings(name: &str, text: &str) -> Vec<String> {
    let (kind, found) = read(name, Path::new("tool.toml"), text);
    assert!(kind.is_none() || found.is_empty());
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn a_kind_is_what_its_file_says() {
    let text = "title = \"Tool\"\nprogram = \"tool\"\ninstall = \"get tool\"\nstart = [\"--id={session}\", \"{options}\"]\n\
                resume = [\"--go-on\", \"{session}\", \"{options}\"]\nsession = \"chosen\"\nready = [\">*\"]\nmodel = [\"-m\", \"{model}\"]\n\
                variables = [\"TOOL_*\"]\n[permissions]\nallow = [\"--yes\"]\n[login]\nway = \"tool login\"\nfiles = [\".tool/key\"]\n\
                [[window]]\ntitle = \"busy*\"\nstate = \"working\"\n[[end]]\nbegins = \"no credit\"\ncause = \"quota\"\n";
    let (kind, found) = read("tool", Path::new("tool.toml"), text);
    assert_eq!(found, []);
    let kind = kind.unwrap();
    assert_eq!(
        kind.resume.as_ref().map(|resume| resume.session),
        Some(SessionChoice::Chosen)
    );
    assert_eq!(
        kind.permissions,
        [(PermissionPolicy::Allow, vec!["--yes".to_owned()])].into()
    );
    assert_eq!(kind.title_state(" busy 3 "), Some(TitleState::Working));
    assert_eq!(kind.title_state("not busy"), None);
    let PromptDelivery::Typed { ready } = &kind.delivery else {
        panic!("{:?}", kind.delivery);
    };
    assert!(fits_a_line(ready, "Tool 1.0\n\n  > type here\n") && !fits_a_line(ready, "a > b\n"));
    assert!(
        kind.ends
            .cause("tool", "no credit left", dbs_domain::Timestamp(0))
            .is_some()
    );
}

#[test]
fn what_a_kind_cannot_mean_is_refused_with_its_line() {
    let with = |line: &str| format!("{SOUND}{line}\n");
    for (text, part) in [
        (String::new(), "needs `title`"),
        (
            with("colour = 1"),
            "tool.toml:5: error: a kind of agent has no `colour`",
        ),
        (
            SOUND.replace("\"tool\"", "\"./run.sh\""),
            "tool.toml:2: error: `program` must be a plain name",
        ),
        (
            SOUND.replace("{prompt}", "{promt}"),
            "tool.toml:4: error: there is no `{promt}` for `start`",
        ),
        (SOUND.replace("{prompt}", "go"), "the prompt needs one way"),
        (with("ready = [\">*\"]"), "the prompt needs one way"),
        (
            with("model = [\"-m\", \"{model}\"]"),
            "does not say where `{options}` stand",
        ),
        (with("model = [\"-m\"]"), "does not say where `{model}` stands"),
        (
            SOUND.replace("{prompt}", "x{options}{prompt}"),
            "must be a text by itself",
        ),
    ] {
        let found = findings("tool", &text);
        assert!(found.iter().any(|line| line.contains(part)), "{part}: {found:?}");
    }
}

#[test]
fn what_a_kind_may_not_reach_and_sessions_that_cannot_be_named_are_refused() {
    let with = |line: &str| format!("{SOUND}{line}\n");
    for (text, part) in [
        (
            with("variables = [\"*\"]"),
            "tool.toml:5: error: `variables` names `*`",
        ),
        (with("variables = [\"DBS_TOKEN\"]"), "names `DBS_TOKEN`"),
        (with("variables = [\"A*B*\"]"), "names `A*B*`"),
        (with("resume = [\"-c\"]"), "needs `session`"),
        (
            with("resume = [\"-c\"]\nsession = \"chosen\""),
            "must be given as `{session}`",
        ),
        (
            with("resume = [\"-c\", \"{session}\"]\nsession = \"folder\""),
            "stands for nothing",
        ),
        (with("session = \"folder\""), "say how with `resume"),
        (with("[permissions]\nsometimes = []"), "has no `sometimes`"),
        (with("[login]\nfiles = [\"../x\"]"), "names `../x`"),
        (
            with("[[window]]\ntitle = \"x\"\nstate = \"asleep\""),
            "working, idle, permission, question",
        ),
        (with("[[end]]\nbegins = \"x\""), "needs `cause`"),
        (
            with("[[screen]]\nstate = \"idle\""),
            "tool.toml:5: error: a screen needs `lines`",
        ),
        (
            with("[[screen]]\nlines = [\"*\", \" *\"]\nstate = \"idle\""),
            "tool.toml:6: error: a pattern of a line needs more than `*`",
        ),
        (with("[[screen]]\nlines = [\"x*\"]"), "needs `state`"),
        (
            with("[[screen]]\nlines = [\"x*\"]\nstate = \"asleep\""),
            "one of working, idle, permission, question, dialog, error, login",
        ),
        (
            with("[[screen]]\nlines = [\"x*\"]\nstate = \"idle\"\nbelow = 9"),
            "tool.toml:8: error: `below` of a screen must be",
        ),
        (
            with("[[screen]]\nlines = [\"x*\"]\nstate = \"idle\"\nline = \"y\""),
            "a screen has no `line`",
        ),
        (with(&format!("#{}", "x".repeat(70_000))), "longer than"),
        (
            SOUND.replace("{prompt}", &format!("{{prompt}}{}", "x".repeat(3_000))),
            "at most",
        ),
    ] {
        let found = findings("tool", &text);
        assert!(found.iter().any(|line| line.contains(part)), "{part}: {found:?}");
    }
}

#[test]
fn a_file_takes_no_name_of_a_kind_of_the_program_and_none_that_is_hard_to_type() {
    for name in ["claude", "custom", "Big", "a.b", ""] {
        assert!(!findings(name, SOUND).is_empty(), "{name}");
    }
    assert_eq!(findings("tool", SOUND), Vec::<String>::new());
}

#[test]
fn a_project_replaces_and_joins_the_kinds_of_the_program() {
    let file = |name: &str, text: &str| (PathBuf::from(name), text.to_owned());
    let kinds = AgentKinds::read(&[
        file("/p/opencode.toml", SOUND),
        file("/p/mine.toml", SOUND),
        file("/p/broken.toml", "title = 1\n"),
    ]);
    let title = |name: &str| kinds.get(name).map(|kind| kind.map(|kind| kind.title.clone()));
    assert_eq!(title("opencode"), Some(Ok("Tool".to_owned())));
    assert_eq!(title("gemini"), Some(Ok("Gemini CLI".to_owned())));
    assert_eq!(title("none"), None);
    assert!(
        title("broken")
            .unwrap()
            .unwrap_err()
            .text
            .contains("broken.toml:1")
    );
    let names: Vec<String> = kinds.all().iter().map(|kind| kind.name.clone()).collect();
    let of_program = builtin().iter().map(|kind| kind.name.as_str());
    assert_eq!(names, of_program.chain(["mine"]).collect::<Vec<_>>());
    assert_eq!(kinds.problems().count(), 1);
}
