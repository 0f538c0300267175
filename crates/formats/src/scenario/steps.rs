//! The verbs of scenario steps: one row per verb, one small reader each.

use std::ops::Range;
use std::time::Duration;

use serde::Deserialize;
use toml_edit::Item;

use super::json::item_json;
use super::model::{
    Animation, CrashKind, LineEdit, Resolution, ScenarioAskKind, ScenarioState, ScenarioStep, StepAction,
    TextStyle,
};
use crate::inner_path::escape_reason;
use crate::nearest::nearest;
use crate::table::TableReader;
use dbs_domain::SignalKind;

type StepReader = fn(&mut TableReader<'_>) -> StepAction;

/// The longest time a step may take, in seconds: a day.
const MAX_SECONDS: f64 = 86_400.0;
/// Maximum number of bytes of pseudo-random output and of one line.
const MAX_BYTES: u64 = 256 << 20;

const VERBS: &[(&str, StepReader)] = &[
    ("print", print),
    ("raw", |f| StepAction::Raw(f.need_text("raw"))),
    ("think", |f| StepAction::Think {
        text: f.need_text("think"),
        time: time(f, 1.0),
    }),
    ("tool", tool),
    ("diff", |f| StepAction::Diff(f.need_text("diff"))),
    ("changes", |f| StepAction::Changes(f.need_text("changes"))),
    ("bar", |f| StepAction::Bar {
        label: f.need_text("bar"),
        time: time(f, 2.0),
    }),
    ("draw", |f| StepAction::Draw {
        animation: f.word("draw").unwrap_or(Animation::Waves),
        time: time(f, 2.0),
    }),
    ("write", |f| StepAction::Write {
        path: need_path(f, "write"),
        text: f.need_text("text"),
        append: f.flag("append"),
    }),
    ("replace", replace),
    ("remove", |f| StepAction::Remove(need_path(f, "remove"))),
    ("commit", |f| StepAction::Commit(f.need_text("commit"))),
    ("push", |f| StepAction::Push {
        remote: f.need_text("push"),
        to: f.text("to"),
        force: f.flag("force"),
    }),
    ("merge", merge),
    ("signal", signal),
    ("ask", ask),
    ("require", require),
    ("check", check),
    ("state", state),
    ("title", |f| StepAction::Title(f.need_text("title"))),
    ("sleep", |f| StepAction::Sleep(need_seconds(f, "sleep"))),
    ("hang", hang),
    ("flood", flood),
    ("huge_line", |f| StepAction::HugeLine(bytes(f, "huge_line"))),
    ("garbage", |f| StepAction::Garbage {
        bytes: bytes(f, "garbage"),
        seed: f.number("seed", 0..u64::from(u32::MAX)).unwrap_or(1),
    }),
    ("fork_daemon", fork_daemon),
    ("ignore_term", ignore_term),
    ("crash", |f| {
        StepAction::Crash(f.word("crash").unwrap_or(CrashKind::Abort))
    }),
    ("exit", |f| {
        StepAction::Exit(small(f, "exit", 0..256).unwrap_or(0))
    }),
];

/// Returns every verb a step may begin with.
pub fn verbs() -> impl Iterator<Item = &'static str> {
    VERBS.iter().map(|(verb, _)| *verb)
}

/// Reads a list of steps.
pub(super) fn steps(fields: &mut TableReader<'_>, key: &'static str) -> Vec<ScenarioStep> {
    let tables = fields.tables(key, "a step", "{ print = \"…\" }").into_iter();
    let steps: Vec<ScenarioStep> = tables.map(step).collect();
    let end = steps.iter().position(|step| ends(&step.action));
    if let Some(after) = end.and_then(|end| steps.get(end + 1)) {
        let text = "this step is never played: the one before it ends the part";
        fields.file.warning(after.line, text);
    }
    steps
}

fn ends(action: &StepAction) -> bool {
    matches!(
        action,
        StepAction::Exit(_) | StepAction::Crash(_) | StepAction::Hang(None)
    )
}

fn step(mut fields: TableReader<'_>) -> ScenarioStep {
    let line = fields.line;
    let named: Vec<&(&str, StepReader)> = VERBS
        .iter()
        .filter(|(verb, _)| fields.table.contains_key(verb))
        .collect();
    let wrong = match named.as_slice() {
        [(verb, reader)] => {
            fields.owner = format!("`{verb}`");
            let action = reader(&mut fields);
            fields.finish();
            return ScenarioStep { line, action };
        }
        [] => unknown(&fields),
        [(first, _), (second, _), ..] => {
            format!("a step does one thing, this one has `{first}` and `{second}`; make it two steps")
        }
    };
    fields.file.error(line, wrong);
    ScenarioStep {
        line,
        action: StepAction::Exit(0),
    }
}

fn unknown(fields: &TableReader<'_>) -> String {
    let known: Vec<&str> = verbs().collect();
    let all = known.join(", ");
    let keys: Vec<&str> = fields.table.iter().map(|(key, _)| key).collect();
    let meant = |key: &&str| Some((key.to_string(), nearest(key, verbs())?));
    match (keys.iter().find_map(meant), keys.first()) {
        (Some((key, meant)), _) => {
            format!("unknown step `{key}`, did you mean `{meant}`; a step has one of {all}")
        }
        (None, Some(key)) => format!("unknown step `{key}`; a step has one of {all}"),
        (None, None) => format!("an empty step; a step has one of {all}"),
    }
}

/// Reads a path inside the worktree that must be there.
fn need_path(fields: &mut TableReader<'_>, key: &'static str) -> String {
    let path = fields.need_text(key);
    if let Some(why) = escape_reason(&path).filter(|_| fields.item(key).is_some_and(Item::is_str)) {
        let text = format!(
            "`{key}` of {} must be a path inside the worktree, and `{path}` {why}",
            fields.owner
        );
        fields.error(key, text);
    }
    path
}

/// Reads a time in seconds, such as `2` or `0.5`.
fn seconds(fields: &mut TableReader<'_>, key: &'static str) -> Option<Duration> {
    fields.get(key, "seconds from 0 to 86400, such as 2 or 0.5", |item| {
        let integer = || Some(f64::from(i32::try_from(item.as_integer()?).ok()?));
        let number = item.as_float().or_else(integer)?;
        let allowed = (0.0..=MAX_SECONDS).contains(&number);
        allowed.then(|| Duration::from_secs_f64(number))
    })
}

/// Reads a time in seconds that must be there.
fn need_seconds(fields: &mut TableReader<'_>, key: &'static str) -> Duration {
    if fields.item(key).is_none() {
        fields.missing(key, "1.5");
    }
    seconds(fields, key).unwrap_or_default()
}

fn time(fields: &mut TableReader<'_>, default: f64) -> Duration {
    seconds(fields, "seconds").unwrap_or(Duration::from_secs_f64(default))
}

/// Reads a number of bytes.
fn bytes(fields: &mut TableReader<'_>, key: &'static str) -> u64 {
    fields.number(key, 1..MAX_BYTES + 1).unwrap_or(1)
}

/// Reads a number within limits that fit the type.
fn small<T: TryFrom<u64>>(fields: &mut TableReader<'_>, key: &'static str, limits: Range<u64>) -> Option<T> {
    T::try_from(fields.number(key, limits)?).ok()
}

fn print(fields: &mut TableReader<'_>) -> StepAction {
    let look = TextStyle {
        colour: fields.word("colour").unwrap_or_default(),
        bold: fields.flag("bold"),
    };
    StepAction::Print {
        text: fields.need_text("print"),
        look,
        typed: fields.flag("typed"),
    }
}

fn tool(fields: &mut TableReader<'_>) -> StepAction {
    StepAction::Tool {
        name: fields.need_text("tool"),
        target: fields.text("target").unwrap_or_default(),
        output: fields.text("output"),
        time: time(fields, 1.0),
    }
}

fn replace(fields: &mut TableReader<'_>) -> StepAction {
    let path = need_path(fields, "replace");
    let mut edits = Vec::new();
    for mut edit in fields.tables("edits", "an edit", "{ line = \"…\", with = \"…\" }") {
        edits.push(LineEdit {
            line: edit.need_text("line"),
            with: edit.need_text("with"),
        });
        edit.finish();
    }
    let (line, with) = (fields.text("line"), fields.text("with"));
    match (line, with) {
        (Some(line), Some(with)) => edits.insert(0, LineEdit { line, with }),
        (Some(_), None) => fields.missing("with", "\"the new line\""),
        (None, Some(_)) => fields.missing("line", "\"the old line\""),
        (None, None) if edits.is_empty() => fields.missing("line", "\"the old line\""),
        (None, None) => {}
    }
    StepAction::Replace { path, edits }
}

fn merge(fields: &mut TableReader<'_>) -> StepAction {
    let mut resolve = Vec::new();
    for mut one in fields.tables("resolve", "a resolution", "{ path = \"…\", text = \"…\" }") {
        resolve.push(Resolution {
            path: need_path(&mut one, "path"),
            text: one.need_text("text"),
        });
        one.finish();
    }
    StepAction::Merge {
        reference: fields.need_text("merge"),
        fetch: fields.text("fetch"),
        text: fields.text("text"),
        resolve,
    }
}

fn signal(fields: &mut TableReader<'_>) -> StepAction {
    StepAction::Signal {
        kind: fields.word("signal").unwrap_or(SignalKind::Progress),
        text: fields.text("text"),
        report: fields.item("report").and_then(item_json),
        token: fields.text("token"),
        attempt: fields.text("attempt"),
    }
}

fn ask(fields: &mut TableReader<'_>) -> StepAction {
    let kind = fields.word("kind").unwrap_or(ScenarioAskKind::Permission);
    let mut choices = fields.one_or_more("choices");
    if choices.len() > 9 {
        fields.wrong("choices", "at most nine texts, one for each digit key");
    }
    if choices.is_empty() {
        choices = vec!["Yes".into(), "No".into()];
    }
    StepAction::Ask {
        text: fields.need_text("ask"),
        kind,
        choices,
        answer_after: seconds(fields, "answer_after"),
        refused: steps(fields, "refused"),
    }
}

fn require(fields: &mut TableReader<'_>) -> StepAction {
    StepAction::Require {
        path: need_path(fields, "require"),
        text: fields.need_text("text"),
        failed: steps(fields, "failed"),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum CheckExtent {
    Present,
    Complete,
}

fn check(fields: &mut TableReader<'_>) -> StepAction {
    StepAction::Check {
        complete: matches!(fields.word("check"), Some(CheckExtent::Complete)),
        failed: steps(fields, "failed"),
    }
}

fn state(fields: &mut TableReader<'_>) -> StepAction {
    StepAction::State {
        state: fields.word("state").unwrap_or(ScenarioState::Working),
        kind: fields.word("kind"),
        text: fields.text("text"),
    }
}

fn hang(fields: &mut TableReader<'_>) -> StepAction {
    let forever = fields.item("hang").and_then(Item::as_bool) == Some(true);
    StepAction::Hang((!forever).then(|| need_seconds(fields, "hang")))
}

fn flood(fields: &mut TableReader<'_>) -> StepAction {
    StepAction::Flood {
        mebibytes: fields.number("flood", 1..4097).unwrap_or(1),
        width: small(fields, "width", 2..65_537).unwrap_or(100),
    }
}

fn fork_daemon(fields: &mut TableReader<'_>) -> StepAction {
    let time = need_seconds(fields, "fork_daemon");
    let pid_file = fields.item("pid_file").is_some();
    let pid_file = pid_file.then(|| need_path(fields, "pid_file"));
    StepAction::ForkDaemon { time, pid_file }
}

fn ignore_term(fields: &mut TableReader<'_>) -> StepAction {
    fields.get("ignore_term", "true", |item| item.as_bool()?.then_some(()));
    StepAction::IgnoreTerm
}
