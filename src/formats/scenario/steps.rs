//! The verbs of scenario steps: one row per verb, one small reader each.

use std::time::Duration;

use toml_edit::{Item, TableLike};

use super::fields::{Fields, Findings, Place};
use super::json::item_json;
use super::model::{AskKind, Colour, Crash, Deed, Edit, Look, Picture, ReportedState, Resolution, Step};
use crate::domain::SignalKind;
use crate::formats::nearest::nearest;

type Reader = fn(&mut Fields<'_, '_, '_>) -> Deed;

const VERBS: &[(&str, Reader)] = &[
    ("print", print),
    ("raw", |f| Deed::Raw {
        text: f.need_text("raw"),
    }),
    ("think", |f| Deed::Think {
        text: f.need_text("think"),
        time: time(f, 1.0),
    }),
    ("tool", tool),
    ("diff", |f| Deed::Diff {
        text: f.need_text("diff"),
    }),
    ("changes", |f| Deed::Changes {
        base: f.need_text("changes"),
    }),
    ("bar", |f| Deed::Bar {
        label: f.need_text("bar"),
        time: time(f, 2.0),
    }),
    ("draw", |f| Deed::Draw {
        picture: f.choice("draw", PICTURES).unwrap_or(Picture::Waves),
        time: time(f, 2.0),
    }),
    ("write", |f| Deed::Write {
        path: f.need_path("write"),
        text: f.need_text("text"),
        append: f.flag("append"),
    }),
    ("replace", replace),
    ("remove", |f| Deed::Remove {
        path: f.need_path("remove"),
    }),
    ("commit", |f| Deed::Commit {
        text: f.need_text("commit"),
    }),
    ("push", |f| Deed::Push {
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
    ("title", |f| Deed::Title {
        text: f.need_text("title"),
    }),
    ("sleep", |f| Deed::Sleep {
        time: f.need_seconds("sleep"),
    }),
    ("hang", hang),
    ("flood", flood),
    ("huge_line", |f| Deed::HugeLine {
        bytes: f.number("huge_line", 1..(256 << 20) + 1).unwrap_or(1),
    }),
    ("garbage", garbage),
    ("fork_daemon", fork_daemon),
    ("ignore_term", ignore_term),
    ("crash", |f| Deed::Crash {
        how: f.choice("crash", CRASHES).unwrap_or(Crash::Abort),
    }),
    ("exit", |f| Deed::Exit {
        code: f
            .number("exit", 0..256)
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(0),
    }),
];

const PICTURES: &[(&str, Picture)] = &[("waves", Picture::Waves), ("boxes", Picture::Boxes)];
const CRASHES: &[(&str, Crash)] = &[
    ("abort", Crash::Abort),
    ("kill", Crash::Kill),
    ("term", Crash::Term),
];
const KINDS: &[(&str, AskKind)] = &[
    ("permission", AskKind::Permission),
    ("question", AskKind::Question),
    ("auth", AskKind::Auth),
];
const COLOURS: &[(&str, Colour)] = &[
    ("plain", Colour::Plain),
    ("grey", Colour::Grey),
    ("red", Colour::Red),
    ("green", Colour::Green),
    ("yellow", Colour::Yellow),
    ("blue", Colour::Blue),
    ("magenta", Colour::Magenta),
    ("cyan", Colour::Cyan),
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
const STATES: &[(&str, ReportedState)] = &[
    ("idle", ReportedState::Idle),
    ("working", ReportedState::Working),
    ("blocked", ReportedState::Blocked),
    ("done", ReportedState::Done),
    ("error", ReportedState::Error),
    ("clear", ReportedState::Clear),
];

/// Every verb a step may begin with.
pub fn verbs() -> impl Iterator<Item = &'static str> {
    VERBS.iter().map(|(verb, _)| *verb)
}

/// Reads a list of steps.
pub(super) fn steps(fields: &mut Fields<'_, '_, '_>, key: &'static str) -> Vec<Step> {
    let tables = fields.tables(key);
    let spans: Vec<Place> = tables.iter().map(|(_, span)| *span).collect();
    let read = tables
        .into_iter()
        .map(|(table, span)| step(fields.findings, table, span));
    let steps: Vec<Step> = read.collect();
    let last = steps.len().saturating_sub(1);
    if let Some(end) = steps
        .iter()
        .position(|step| ends(&step.deed))
        .filter(|end| *end < last)
    {
        let span = spans.get(end + 1).copied().flatten();
        fields
            .findings
            .warning(span, "this step is never played: the one before it ends the part");
    }
    steps
}

fn ends(deed: &Deed) -> bool {
    matches!(
        deed,
        Deed::Exit { .. } | Deed::Crash { .. } | Deed::Hang { time: None }
    )
}

fn step(findings: &mut Findings<'_>, table: &dyn TableLike, span: Place) -> Step {
    let line = findings.line(span);
    let named: Vec<&(&str, Reader)> = VERBS
        .iter()
        .filter(|(verb, _)| table.contains_key(verb))
        .collect();
    let deed = match named.as_slice() {
        [(verb, reader)] => {
            let mut fields = Fields::new(findings, format!("`{verb}`"), table, span);
            let deed = reader(&mut fields);
            fields.finish();
            deed
        }
        [] => {
            findings.error(span, unknown(table));
            Deed::Exit { code: 0 }
        }
        [(first, _), (second, _), ..] => {
            findings.error(
                span,
                format!("a step does one thing, this one has `{first}` and `{second}`; make it two steps"),
            );
            Deed::Exit { code: 0 }
        }
    };
    Step { line, deed }
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

fn time(fields: &mut Fields<'_, '_, '_>, default: f64) -> Duration {
    fields
        .seconds("seconds")
        .unwrap_or(Duration::from_secs_f64(default))
}

fn print(fields: &mut Fields<'_, '_, '_>) -> Deed {
    let colour = fields.choice("colour", COLOURS).unwrap_or_default();
    let look = Look {
        colour,
        bold: fields.flag("bold"),
    };
    Deed::Print {
        text: fields.need_text("print"),
        look,
        typed: fields.flag("typed"),
    }
}

fn tool(fields: &mut Fields<'_, '_, '_>) -> Deed {
    Deed::Tool {
        name: fields.need_text("tool"),
        target: fields.text("target").unwrap_or_default(),
        output: fields.text("output"),
        time: time(fields, 1.0),
    }
}

fn replace(fields: &mut Fields<'_, '_, '_>) -> Deed {
    let path = fields.need_path("replace");
    let mut edits = Vec::new();
    for (table, span) in fields.tables("edits") {
        let mut edit = Fields::new(fields.findings, "an edit", table, span);
        edits.push(Edit {
            line: edit.need_text("line"),
            with: edit.need_text("with"),
        });
        edit.finish();
    }
    let (line, with) = (fields.text("line"), fields.text("with"));
    match (line, with) {
        (Some(line), Some(with)) => edits.insert(0, Edit { line, with }),
        (Some(_), None) => fields.missing("with", "\"the new line\""),
        (None, Some(_)) => fields.missing("line", "\"the old line\""),
        (None, None) if edits.is_empty() => fields.missing("line", "\"the old line\""),
        (None, None) => {}
    }
    Deed::Replace { path, edits }
}

fn merge(fields: &mut Fields<'_, '_, '_>) -> Deed {
    let mut resolve = Vec::new();
    for (table, span) in fields.tables("resolve") {
        let mut one = Fields::new(fields.findings, "a resolution", table, span);
        resolve.push(Resolution {
            path: one.need_path("path"),
            text: one.need_text("text"),
        });
        one.finish();
    }
    let (fetch, text) = (fields.text("fetch"), fields.text("text"));
    Deed::Merge {
        reference: fields.need_text("merge"),
        fetch,
        text,
        resolve,
    }
}

fn signal(fields: &mut Fields<'_, '_, '_>) -> Deed {
    let kind = fields.choice("signal", SIGNALS).unwrap_or(SignalKind::Progress);
    let report = fields.item("report").and_then(item_json);
    Deed::Signal {
        kind,
        text: fields.text("text"),
        report,
        token: fields.text("token"),
        attempt: fields.text("attempt"),
    }
}

fn ask(fields: &mut Fields<'_, '_, '_>) -> Deed {
    let kind = fields.choice("kind", KINDS).unwrap_or(AskKind::Permission);
    let mut choices = fields.texts("choices");
    if choices.len() > 9
        && let Some(item) = fields.item("choices")
    {
        fields.wrong("choices", item, "at most nine texts, one for each digit key");
    }
    if choices.is_empty() {
        choices = vec!["Yes".into(), "No".into()];
    }
    Deed::Ask {
        text: fields.need_text("ask"),
        kind,
        choices,
        answer_after: fields.seconds("answer_after"),
        refused: steps(fields, "refused"),
    }
}

fn require(fields: &mut Fields<'_, '_, '_>) -> Deed {
    Deed::Require {
        path: fields.need_path("require"),
        text: fields.need_text("text"),
        failed: steps(fields, "failed"),
    }
}

fn check(fields: &mut Fields<'_, '_, '_>) -> Deed {
    let complete = fields
        .choice("check", &[("present", false), ("complete", true)])
        .unwrap_or(false);
    Deed::Check {
        complete,
        failed: steps(fields, "failed"),
    }
}

fn state(fields: &mut Fields<'_, '_, '_>) -> Deed {
    let state = fields.choice("state", STATES).unwrap_or(ReportedState::Working);
    Deed::State {
        state,
        kind: fields.choice("kind", KINDS),
        text: fields.text("text"),
    }
}

fn hang(fields: &mut Fields<'_, '_, '_>) -> Deed {
    let forever = fields.item("hang").and_then(Item::as_bool) == Some(true);
    Deed::Hang {
        time: if forever {
            None
        } else {
            Some(fields.need_seconds("hang"))
        },
    }
}

fn flood(fields: &mut Fields<'_, '_, '_>) -> Deed {
    let mebibytes = fields.number("flood", 1..4097).unwrap_or(1);
    let width = fields
        .number("width", 2..65_537)
        .and_then(|width| usize::try_from(width).ok())
        .unwrap_or(100);
    Deed::Flood { mebibytes, width }
}

fn garbage(fields: &mut Fields<'_, '_, '_>) -> Deed {
    let bytes = fields.number("garbage", 1..(256 << 20) + 1).unwrap_or(1);
    Deed::Garbage {
        bytes,
        seed: fields.number("seed", 0..u64::from(u32::MAX)).unwrap_or(1),
    }
}

fn fork_daemon(fields: &mut Fields<'_, '_, '_>) -> Deed {
    let time = fields.need_seconds("fork_daemon");
    let pid_file = fields
        .item("pid_file")
        .is_some()
        .then(|| fields.need_path("pid_file"));
    Deed::ForkDaemon { time, pid_file }
}

fn ignore_term(fields: &mut Fields<'_, '_, '_>) -> Deed {
    fields.only_true("ignore_term");
    Deed::IgnoreTerm
}
