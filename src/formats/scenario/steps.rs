//! The verbs of scenario steps: one row per verb, one small reader each.

use std::time::Duration;

use toml_edit::{Item, TableLike};

use super::json::item_json;
use super::model::{
    Animation, CrashKind, LineEdit, Resolution, ScenarioAskKind, ScenarioColour, ScenarioState, ScenarioStep,
    StepAction, TextStyle,
};
use super::table::{ByteOffset, Diagnostics, ScenarioTable};
use crate::domain::SignalKind;
use crate::formats::nearest::nearest;

type StepReader = fn(&mut ScenarioTable<'_, '_, '_>) -> StepAction;

const VERBS: &[(&str, StepReader)] = &[
    ("print", print),
    ("raw", |f| StepAction::Raw {
        text: f.need_text("raw"),
    }),
    ("think", |f| StepAction::Think {
        text: f.need_text("think"),
        time: time(f, 1.0),
    }),
    ("tool", tool),
    ("diff", |f| StepAction::Diff {
        text: f.need_text("diff"),
    }),
    ("changes", |f| StepAction::Changes {
        base: f.need_text("changes"),
    }),
    ("bar", |f| StepAction::Bar {
        label: f.need_text("bar"),
        time: time(f, 2.0),
    }),
    ("draw", |f| StepAction::Draw {
        picture: f.choice("draw", PICTURES).unwrap_or(Animation::Waves),
        time: time(f, 2.0),
    }),
    ("write", |f| StepAction::Write {
        path: f.need_path("write"),
        text: f.need_text("text"),
        append: f.flag("append"),
    }),
    ("replace", replace),
    ("remove", |f| StepAction::Remove {
        path: f.need_path("remove"),
    }),
    ("commit", |f| StepAction::Commit {
        text: f.need_text("commit"),
    }),
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
    ("title", |f| StepAction::Title {
        text: f.need_text("title"),
    }),
    ("sleep", |f| StepAction::Sleep {
        time: f.need_seconds("sleep"),
    }),
    ("hang", hang),
    ("flood", flood),
    ("huge_line", |f| StepAction::HugeLine {
        bytes: f.number("huge_line", 1..(256 << 20) + 1).unwrap_or(1),
    }),
    ("garbage", garbage),
    ("fork_daemon", fork_daemon),
    ("ignore_term", ignore_term),
    ("crash", |f| StepAction::Crash {
        how: f.choice("crash", CRASHES).unwrap_or(CrashKind::Abort),
    }),
    ("exit", |f| StepAction::Exit {
        code: f
            .number("exit", 0..256)
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(0),
    }),
];

const PICTURES: &[(&str, Animation)] = &[("waves", Animation::Waves), ("boxes", Animation::Boxes)];
const CRASHES: &[(&str, CrashKind)] = &[
    ("abort", CrashKind::Abort),
    ("kill", CrashKind::Kill),
    ("term", CrashKind::Term),
];
const KINDS: &[(&str, ScenarioAskKind)] = &[
    ("permission", ScenarioAskKind::Permission),
    ("question", ScenarioAskKind::Question),
    ("auth", ScenarioAskKind::Auth),
];
const COLOURS: &[(&str, ScenarioColour)] = &[
    ("plain", ScenarioColour::Plain),
    ("grey", ScenarioColour::Grey),
    ("red", ScenarioColour::Red),
    ("green", ScenarioColour::Green),
    ("yellow", ScenarioColour::Yellow),
    ("blue", ScenarioColour::Blue),
    ("magenta", ScenarioColour::Magenta),
    ("cyan", ScenarioColour::Cyan),
];
const SIGNALS: &[(&str, SignalKind)] = &[
    ("claim", SignalKind::Claim),
    ("done", SignalKind::Done),
    ("reject", SignalKind::Reject),
    ("block", SignalKind::Block),
    ("fail", SignalKind::Fail),
    ("progress", SignalKind::Progress),
    ("question", SignalKind::Question),
];
const STATES: &[(&str, ScenarioState)] = &[
    ("idle", ScenarioState::Idle),
    ("working", ScenarioState::Working),
    ("blocked", ScenarioState::Blocked),
    ("done", ScenarioState::Done),
    ("error", ScenarioState::Error),
    ("clear", ScenarioState::Clear),
];

/// Every verb a step may begin with.
pub fn verbs() -> impl Iterator<Item = &'static str> {
    VERBS.iter().map(|(verb, _)| *verb)
}

/// Reads a list of steps.
pub(super) fn steps(fields: &mut ScenarioTable<'_, '_, '_>, key: &'static str) -> Vec<ScenarioStep> {
    let tables = fields.tables(key);
    let spans: Vec<ByteOffset> = tables.iter().map(|(_, span)| *span).collect();
    let read = tables
        .into_iter()
        .map(|(table, span)| step(fields.diagnostics, table, span));
    let steps: Vec<ScenarioStep> = read.collect();
    let last = steps.len().saturating_sub(1);
    if let Some(end) = steps
        .iter()
        .position(|step| ends(&step.action))
        .filter(|end| *end < last)
    {
        let span = spans.get(end + 1).copied().flatten();
        fields
            .diagnostics
            .warning(span, "this step is never played: the one before it ends the part");
    }
    steps
}

fn ends(deed: &StepAction) -> bool {
    matches!(
        deed,
        StepAction::Exit { .. } | StepAction::Crash { .. } | StepAction::Hang { time: None }
    )
}

fn step(findings: &mut Diagnostics<'_>, table: &dyn TableLike, span: ByteOffset) -> ScenarioStep {
    let line = findings.line(span);
    let named: Vec<&(&str, StepReader)> = VERBS
        .iter()
        .filter(|(verb, _)| table.contains_key(verb))
        .collect();
    let deed = match named.as_slice() {
        [(verb, reader)] => {
            let mut fields = ScenarioTable::new(findings, format!("`{verb}`"), table, span);
            let deed = reader(&mut fields);
            fields.finish();
            deed
        }
        [] => {
            findings.error(span, unknown(table));
            StepAction::Exit { code: 0 }
        }
        [(first, _), (second, _), ..] => {
            findings.error(
                span,
                format!("a step does one thing, this one has `{first}` and `{second}`; make it two steps"),
            );
            StepAction::Exit { code: 0 }
        }
    };
    ScenarioStep { line, action: deed }
}

fn unknown(table: &dyn TableLike) -> String {
    let known: Vec<&str> = verbs().collect();
    let all = known.join(", ");
    let Some((key, _)) = table.iter().next() else {
        return format!("an empty step; a step has one of {all}");
    };
    match table
        .iter()
        .find_map(|(key, _)| Some((key, nearest(key, known.iter().copied())?)))
    {
        Some((key, meant)) => {
            format!("unknown step `{key}`, did you mean `{meant}`; a step has one of {all}")
        }
        None => format!("unknown step `{key}`; a step has one of {all}"),
    }
}

fn time(fields: &mut ScenarioTable<'_, '_, '_>, default: f64) -> Duration {
    fields
        .seconds("seconds")
        .unwrap_or(Duration::from_secs_f64(default))
}

fn print(fields: &mut ScenarioTable<'_, '_, '_>) -> StepAction {
    let colour = fields.choice("colour", COLOURS).unwrap_or_default();
    let look = TextStyle {
        colour,
        bold: fields.flag("bold"),
    };
    StepAction::Print {
        text: fields.need_text("print"),
        look,
        typed: fields.flag("typed"),
    }
}

fn tool(fields: &mut ScenarioTable<'_, '_, '_>) -> StepAction {
    StepAction::Tool {
        name: fields.need_text("tool"),
        target: fields.text("target").unwrap_or_default(),
        output: fields.text("output"),
        time: time(fields, 1.0),
    }
}

fn replace(fields: &mut ScenarioTable<'_, '_, '_>) -> StepAction {
    let path = fields.need_path("replace");
    let mut edits = Vec::new();
    for (table, span) in fields.tables("edits") {
        let mut edit = ScenarioTable::new(fields.diagnostics, "an edit", table, span);
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

fn merge(fields: &mut ScenarioTable<'_, '_, '_>) -> StepAction {
    let mut resolve = Vec::new();
    for (table, span) in fields.tables("resolve") {
        let mut one = ScenarioTable::new(fields.diagnostics, "a resolution", table, span);
        resolve.push(Resolution {
            path: one.need_path("path"),
            text: one.need_text("text"),
        });
        one.finish();
    }
    let (fetch, text) = (fields.text("fetch"), fields.text("text"));
    StepAction::Merge {
        reference: fields.need_text("merge"),
        fetch,
        text,
        resolve,
    }
}

fn signal(fields: &mut ScenarioTable<'_, '_, '_>) -> StepAction {
    let kind = fields.choice("signal", SIGNALS).unwrap_or(SignalKind::Progress);
    let report = fields.item("report").and_then(item_json);
    StepAction::Signal {
        kind,
        text: fields.text("text"),
        report,
        token: fields.text("token"),
        attempt: fields.text("attempt"),
    }
}

fn ask(fields: &mut ScenarioTable<'_, '_, '_>) -> StepAction {
    let kind = fields
        .choice("kind", KINDS)
        .unwrap_or(ScenarioAskKind::Permission);
    let mut choices = fields.texts("choices");
    if choices.len() > 9
        && let Some(item) = fields.item("choices")
    {
        fields.wrong("choices", item, "at most nine texts, one for each digit key");
    }
    if choices.is_empty() {
        choices = vec!["Yes".into(), "No".into()];
    }
    StepAction::Ask {
        text: fields.need_text("ask"),
        kind,
        choices,
        answer_after: fields.seconds("answer_after"),
        refused: steps(fields, "refused"),
    }
}

fn require(fields: &mut ScenarioTable<'_, '_, '_>) -> StepAction {
    StepAction::Require {
        path: fields.need_path("require"),
        text: fields.need_text("text"),
        failed: steps(fields, "failed"),
    }
}

fn check(fields: &mut ScenarioTable<'_, '_, '_>) -> StepAction {
    let complete = fields
        .choice("check", &[("present", false), ("complete", true)])
        .unwrap_or(false);
    StepAction::Check {
        complete,
        failed: steps(fields, "failed"),
    }
}

fn state(fields: &mut ScenarioTable<'_, '_, '_>) -> StepAction {
    let state = fields.choice("state", STATES).unwrap_or(ScenarioState::Working);
    StepAction::State {
        state,
        kind: fields.choice("kind", KINDS),
        text: fields.text("text"),
    }
}

fn hang(fields: &mut ScenarioTable<'_, '_, '_>) -> StepAction {
    let forever = fields.item("hang").and_then(Item::as_bool) == Some(true);
    StepAction::Hang {
        time: if forever {
            None
        } else {
            Some(fields.need_seconds("hang"))
        },
    }
}

fn flood(fields: &mut ScenarioTable<'_, '_, '_>) -> StepAction {
    let mebibytes = fields.number("flood", 1..4097).unwrap_or(1);
    let width = fields
        .number("width", 2..65_537)
        .and_then(|width| usize::try_from(width).ok())
        .unwrap_or(100);
    StepAction::Flood { mebibytes, width }
}

fn garbage(fields: &mut ScenarioTable<'_, '_, '_>) -> StepAction {
    let bytes = fields.number("garbage", 1..(256 << 20) + 1).unwrap_or(1);
    StepAction::Garbage {
        bytes,
        seed: fields.number("seed", 0..u64::from(u32::MAX)).unwrap_or(1),
    }
}

fn fork_daemon(fields: &mut ScenarioTable<'_, '_, '_>) -> StepAction {
    let time = fields.need_seconds("fork_daemon");
    let pid_file = fields
        .item("pid_file")
        .is_some()
        .then(|| fields.need_path("pid_file"));
    StepAction::ForkDaemon { time, pid_file }
}

fn ignore_term(fields: &mut ScenarioTable<'_, '_, '_>) -> StepAction {
    fields.only_true("ignore_term");
    StepAction::IgnoreTerm
}
