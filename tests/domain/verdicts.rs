//! The table of all stages and verdicts: where a kanban task stands after each, in one picture.

use dbs::domain::event::EndCause;
use dbs::domain::{ActionOutcome, Event, EvidenceKind, ProcessExit, SignalKind, Span, Tri};

use crate::desk::{Desk, draft};

const STAGES: [&str; 5] = [
    "development",
    "reviewing",
    "security_review",
    "merging",
    "acceptance",
];

fn standing(stage: &str) -> Desk {
    if stage != "acceptance" {
        return Desk::standing("a", stage);
    }
    let mut desk = Desk::new();
    let mut acceptance = draft("a", "kanban");
    acceptance.stage = Some("acceptance".into());
    desk.released(acceptance);
    desk
}

/// What one attempt can come to.
const VERDICTS: [&str; 14] = [
    "done, all yes",
    "done, one unknown",
    "done, no commits",
    "done, gates fail",
    "done, files changed",
    "reject",
    "block",
    "fail",
    "no signal",
    "timeout",
    "usage limit",
    "login",
    "not started",
    "moved by a person",
];

#[expect(clippy::too_many_lines, reason = "one short arm per verdict of the table")]
fn give(desk: &mut Desk, verdict: &str) {
    let open = desk.open("a");
    if verdict == "not started" {
        let why = "no disk".to_owned();
        desk.happen(Event::AttemptNotStarted { attempt: open, why });
        return;
    }
    desk.start(open);
    let done_but = |desk: &mut Desk, kind: EvidenceKind, outcome: Tri| {
        desk.say(open, SignalKind::Done, "");
        desk.end(open);
        desk.verify(open, &[(kind, outcome)]);
    };
    let no = || Tri::No("seen not to be so".to_owned());
    match verdict {
        "done, all yes" => done_but(desk, EvidenceKind::Approved, Tri::Yes),
        "done, one unknown" => {
            let first = desk.asked_evidence(open).remove(0);
            done_but(desk, first, Tri::Unknown("offline".to_owned()));
        }
        "done, no commits" => done_but(desk, EvidenceKind::CommitsAhead, no()),
        "done, gates fail" => done_but(desk, EvidenceKind::Gates, no()),
        "done, files changed" => done_but(desk, EvidenceKind::WorkspaceUnchanged, no()),
        "reject" => {
            desk.say(open, SignalKind::Reject, "wrong");
            desk.end(open);
        }
        "block" => {
            desk.say(open, SignalKind::Block, "stuck");
            desk.end(open);
        }
        "fail" => {
            desk.say(open, SignalKind::Fail, "gave up");
            desk.end(open);
        }
        "no signal" => desk.end(open),
        "timeout" => {
            desk.wait(Span::minutes(60));
            desk.end_with(open, ProcessExit::Signal(15), None);
        }
        "usage limit" => desk.end_with(
            open,
            ProcessExit::Code(1),
            Some(EndCause::Quota {
                until: None,
                why: "limit".to_owned(),
            }),
        ),
        "login" => desk.end_with(
            open,
            ProcessExit::Code(1),
            Some(EndCause::Infra("login".to_owned())),
        ),
        _ => {
            let patch = dbs::domain::TaskPatch {
                stage: Some(
                    if desk.stage("a") == "development" {
                        "reviewing"
                    } else {
                        "development"
                    }
                    .into(),
                ),
                ..dbs::domain::TaskPatch::default()
            };
            desk.ask(dbs::domain::Command::Update("a".into(), patch)).unwrap();
            desk.say(open, SignalKind::Done, "");
            desk.end(open);
        }
    }
}

/// Where the task stands now, what is open for it, and what was counted.
fn picture(desk: &Desk, before: u32) -> String {
    let task = desk.task("a");
    let counted = i64::from(task.spawns) - i64::from(before) - i64::from(task.open_attempt.is_some());
    let failures: Vec<String> = task
        .failures
        .values()
        .flatten()
        .map(|(class, n)| format!("{class} {n}"))
        .collect();
    let mut words = vec![format!("{} in {}", task.state.word(), task.stage)];
    if let Some(open) = task.open_attempt.filter(|_| task.state.word() == "active") {
        words.push(format!(", {} {}", desk.role(open), desk.attempt(open).mode));
    }
    if let dbs::domain::TaskState::Held(hold) = &task.state {
        words.push(format!(" ({hold})"));
    }
    if let Some(why) = &task.why_not {
        words.push(format!(" ({why})"));
    }
    if counted != 1 {
        words.push(", not counted".to_owned());
    }
    if task.rejections > 0 {
        words.push(format!(", rejected {}", task.rejections));
    }
    if !failures.is_empty() {
        words.push(format!(", {}", failures.join(", ")));
    }
    words.concat()
}

#[test]
fn every_stage_answers_every_verdict_of_an_agent() {
    let mut table = Vec::new();
    for stage in STAGES {
        for verdict in VERDICTS {
            let mut desk = standing(stage);
            if stage == "merging" {
                let merge = desk.open("a");
                desk.act(merge, ActionOutcome::Failed("conflict".to_owned()));
            }
            let before = desk.task("a").spawns - 1;
            give(&mut desk, verdict);
            table.push(format!("{stage:15} {verdict:20} -> {}\n", picture(&desk, before)));
        }
    }
    insta::assert_snapshot!(table.concat());
}

#[test]
fn the_engines_merge_answers_every_outcome() {
    let mut table = Vec::new();
    for outcome in ["done", "done, unproved", "done, refuted", "failed", "unknown"] {
        let mut desk = Desk::standing("a", "merging");
        let merge = desk.open("a");
        let before = desk.task("a").spawns - 1;
        let done = |evidence| ActionOutcome::Done {
            commit: Some("m".to_owned()),
            evidence,
        };
        let merged = |outcome| vec![(EvidenceKind::Merged, outcome)];
        let outcome_value = match outcome {
            "done" => done(desk.evidence(merge, &[])),
            "done, unproved" => done(desk.evidence(merge, &merged(Tri::Unknown("offline".to_owned())))),
            "done, refuted" => done(desk.evidence(merge, &merged(Tri::No("not there".to_owned())))),
            "failed" => ActionOutcome::Failed("conflict".to_owned()),
            _ => ActionOutcome::Unknown("offline".to_owned()),
        };
        desk.act(merge, outcome_value);
        table.push(format!("{outcome:15} -> {}\n", picture(&desk, before)));
    }
    insta::assert_snapshot!(table.concat());
}
