//! Accuracy of the states that are shown for agents: recorded sessions of real tools against labels of their states, which say what a person
//! would have read from the screen, the keys and what the scripted model did.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use super::replay::{Replay, STEP, data, milliseconds};
use crate::agent_state::{Doing, Work};
use crate::domain::AskKind;

/// The tools, their titles, and the least share of the time in percent in which what is said of them must be right. A turn of opencode that
/// failed with unknown words looks like rest, and a question of aider stays on its screen after the answer.
const LEAST: [(&str, &str, f64); 7] = [
    ("claude", "Claude Code", 99.0),
    ("headless_claude", "Claude Code, headless", 99.0),
    ("codex", "Codex", 99.0),
    ("headless_codex", "Codex, headless", 99.0),
    ("opencode", "opencode", 98.5),
    ("gemini", "Gemini CLI", 99.0),
    ("aider", "aider", 98.0),
];
/// The most milliseconds in a row in which a tool that waits may be said to work: it takes a key a moment after it was typed.
const LONGEST_FALSE_WORK: u64 = 1_000;
/// The word for the time before the first work.
const STARTING: &str = "starting";
/// The word for the end of a session, from which on nothing is measured.
const GONE: &str = "gone";
const WORKING: &str = "working";
/// The word for a request to the model, or its answer.
const THINKING: &str = "working: waits for the model";
/// States in which the agent waits for no person.
const GOES_ON: [&str; 4] = [STARTING, WORKING, "in the background", "tries again"];

/// The labels of one recording.
struct Labelled {
    file: PathBuf,
    tool: String,
    /// States with the millisecond from which they hold.
    course: Vec<(u64, String)>,
}

/// Milliseconds of one state.
#[derive(Debug, Clone, Copy, Default)]
struct Measure {
    labelled: u64,
    right: u64,
    /// Milliseconds in which it was said to work though it did nothing.
    false_work: u64,
}

impl Labelled {
    fn at(&self, now: u64) -> &str {
        let holds = self.course.iter().rfind(|(from, _)| *from <= now);
        holds.map_or(STARTING, |(_, state)| state)
    }

    /// Time at which the agent is gone; a second after the last label if it is not.
    fn end(&self) -> u64 {
        let gone = self.course.iter().find(|(_, state)| state == GONE);
        let last = self.course.last().map_or(0, |(at, _)| at + 1_000);
        gone.map_or(last, |(at, _)| *at)
    }
}

/// Reads labels: recording, second, state, and where one sees it.
fn labels(file: &str, folder: &str) -> Vec<Labelled> {
    let text = std::fs::read_to_string(data(file)).unwrap();
    let mut all: BTreeMap<String, Labelled> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let [name, from, state, _] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not four fields: {line}")
        };
        let labelled = all.entry(name.to_owned()).or_insert_with(|| Labelled {
            file: data(folder).join(name),
            tool: tool(name).to_owned(),
            course: Vec::new(),
        });
        let from = milliseconds(from.parse().unwrap());
        labelled.course.push((from, state.to_owned()));
    }
    all.into_values().collect()
}

/// The tool of a recording, by its name.
fn tool(name: &str) -> &str {
    match name {
        "tui_action_required.cast" => "gemini",
        "tui_approval.cast" => "codex",
        name => {
            let known = LEAST.iter().map(|(tool, _, _)| *tool);
            let begins = |tool: &&str| name.strip_prefix(tool).is_some_and(|rest| rest.starts_with('_'));
            known.rev().find(begins).unwrap_or("claude")
        }
    }
}

/// All recordings with labels but the one whose terminal answers no query: the terminal of this program does.
fn all_labels() -> Vec<Labelled> {
    let mut all = labels("agents/states.tsv", "term/casts");
    all.retain(|labelled| !labelled.file.ends_with("no_query_replies_title_only.cast"));
    all.extend(labels("agents/recordings/states.tsv", "agents/recordings"));
    all
}

/// Returns the state as people would call it. Work that is over and an agent that was never asked look the same.
fn word(doing: &Doing) -> &'static str {
    match doing {
        Doing::Starting => STARTING,
        Doing::Working(Work::Retry { .. }) => "tries again",
        Doing::Working(Work::Thinking) => THINKING,
        Doing::Working(_) => WORKING,
        Doing::Background(_) => "in the background",
        Doing::Blocked(wait) => match wait.kind {
            AskKind::Permission => "blocked (permission)",
            AskKind::Plan => "blocked (plan)",
            AskKind::Question => "blocked (question)",
            AskKind::Dialog => "blocked (dialog)",
        },
        Doing::Idle | Doing::Done { problem: None } => "idle",
        Doing::Done { .. } => "failed",
        Doing::Limit { .. } => "limit",
        Doing::NotLoggedIn { .. } => "no login",
        Doing::Suspended => "suspended",
        Doing::Exited(_) | Doing::Lost => GONE,
    }
}

/// Returns true if the shown state is right; a label may name the kind of work behind a colon. An agent that has started and one that is idle before
/// its first work are the same.
fn is_right(label: &str, said: &str) -> bool {
    let state = label.split(':').next().unwrap_or_default();
    match said {
        THINKING => state == WORKING && !label.contains(": runs"),
        "idle" if state == STARTING => true,
        "in the background" if label == WORKING => true,
        said => state == said,
    }
}

/// Returns true if an agent with this label does nothing until a person acts. An agent that starts is at work, but not on a task.
fn rests(label: &str) -> bool {
    !GOES_ON.contains(&label.split(':').next().unwrap_or_default())
}

fn says_work(said: &str) -> bool {
    [WORKING, THINKING].contains(&said)
}

/// The measures of each tool and state.
type Measures = BTreeMap<(String, String), Measure>;

/// A stretch of time in which what was said was wrong.
struct Wrong {
    from: u64,
    until: u64,
    label: String,
    said: &'static str,
}

impl Wrong {
    fn is_false_work(&self) -> bool {
        says_work(self.said) && rests(&self.label)
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            from,
            until,
            label,
            said,
        } = self;
        write!(
            f,
            "{:.2} to {:.2} s: {label}, and said was {said}",
            seconds(*from),
            seconds(*until)
        )
    }
}

/// Plays a recording and adds to the measures; returns what was wrong.
fn measure(labelled: &Labelled, measures: &mut Measures) -> Vec<Wrong> {
    let mut wrong: Vec<Wrong> = Vec::new();
    Replay::open(&labelled.file, &labelled.tool).play(labelled.end(), |now, doing| {
        let (label, said) = (labelled.at(now), word(doing));
        let key = (labelled.tool.clone(), label.to_owned());
        let measure = measures.entry(key).or_default();
        measure.labelled += STEP;
        if is_right(label, said) {
            measure.right += STEP;
            return;
        }
        match wrong.last_mut() {
            Some(last) if last.until == now && last.label == label && last.said == said => last.until += STEP,
            _ => wrong.push(Wrong {
                from: now,
                until: now + STEP,
                label: label.to_owned(),
                said,
            }),
        }
        if says_work(said) && rests(label) {
            measure.false_work += STEP;
        }
    });
    wrong
}

#[expect(clippy::cast_precision_loss, reason = "a few minutes")]
fn seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1_000.0
}

/// The measures of everything that a tool did after its start.
fn sum(measures: &Measures, tool: &str) -> Measure {
    let of_tool = measures
        .iter()
        .filter(|((of, state), _)| of == tool && state != STARTING);
    of_tool.fold(Measure::default(), |sum, (_, measure)| Measure {
        labelled: sum.labelled + measure.labelled,
        right: sum.right + measure.right,
        false_work: sum.false_work + measure.false_work,
    })
}

impl Measure {
    fn percent(&self) -> f64 {
        100.0 * seconds(self.right) / seconds(self.labelled)
    }

    fn row(&self, title: &str, state: &str) -> String {
        let (labelled, false_work) = (seconds(self.labelled), seconds(self.false_work));
        format!(
            "| {title} | {state} | {labelled:.1} | {:.1} | {false_work:.2} |\n",
            self.percent()
        )
    }
}

/// The table of all measures, with a line for each tool.
fn table(measures: &Measures) -> String {
    let mut table = String::from(
        "\n| tool | state | labelled seconds | right in percent | falsely said to work, seconds |\n|---|---|---|---|---|\n",
    );
    for (tool, title, _) in LEAST {
        let of_tool = measures.iter().filter(|((of, _), _)| of == tool);
        table.extend(of_tool.map(|((_, state), measure)| measure.row(title, state)));
        table.push_str(&sum(measures, tool).row(title, "all but starting"));
    }
    table.push('\n');
    table
}

/// Compares the table with the one in the document, or writes it there.
fn compare_with_document(table: &str) {
    let path = data("../../docs/agents.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = ("<!-- accuracy -->\n", "<!-- end of accuracy -->");
    let (before, rest) = text.split_once(begin).unwrap();
    let (written, after) = rest.split_once(end).unwrap();
    #[expect(
        clippy::disallowed_methods,
        reason = "the switch that rewrites generated documents"
    )]
    if std::env::var_os("DBS_UPDATE").is_some() {
        std::fs::write(&path, format!("{before}{begin}{table}{end}{after}")).unwrap();
        return;
    }
    assert!(
        written == table,
        "docs/agents.md is stale; DBS_UPDATE=1 cargo test -p dbs --lib accuracy rewrites it"
    );
}

#[test]
fn the_states_of_recorded_agents_are_said_truly() {
    let (mut measures, mut lies) = (Measures::new(), Vec::new());
    for labelled in all_labels() {
        let name = labelled.file.file_name().unwrap().to_string_lossy().into_owned();
        println!("{name}");
        for wrong in measure(&labelled, &mut measures) {
            println!("  {wrong}");
            if wrong.is_false_work() && wrong.until - wrong.from > LONGEST_FALSE_WORK {
                lies.push(format!("{name}: {wrong}"));
            }
        }
    }
    let table = table(&measures);
    println!("{table}");
    assert_eq!(lies, [""; 0], "an agent that waits is said to work");
    for (tool, title, least) in LEAST {
        let found = sum(&measures, tool).percent();
        assert!(found >= least, "{title}: {found:.2} % is less than {least}");
    }
    compare_with_document(&table);
}
