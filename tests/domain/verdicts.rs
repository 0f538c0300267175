//! Table of all stages and verdicts: the place of a kanban task after each.

use dbs::domain::event::EndCause;
use dbs::domain::{ActionOutcome, Event, EvidenceKind, MergeCheck, ProcessExit, SignalKind, Span, Tri};

use crate::fixture::{BoardFixture, draft};

const STAGES: [&str; 5] = [
    "development",
    "reviewing",
    "security_review",
    "merging",
    "acceptance",
];

fn standing(stage: &str) -> BoardFixture {
    if stage != "acceptance" {
        return BoardFixture::standing("a", stage);
    }
    let mut fixture = BoardFixture::new();
    let mut acceptance = draft("a", "kanban");
    acceptance.stage = Some("acceptance".into());
    fixture.released(acceptance);
    fixture
}

/// Possible results of an attempt.
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
fn give(fixture: &mut BoardFixture, verdict: &str) {
    let open = fixture.open("a");
    if verdict == "not started" {
        let why = "no disk".to_owned();
        fixture.happen(Event::AttemptNotStarted {
            attempt: open,
            why: why.into(),
        });
        return;
    }
    fixture.start(open);
    let done_but = |fixture: &mut BoardFixture, kind: EvidenceKind, outcome: Tri| {
        fixture.say(open, SignalKind::Done, "");
        fixture.end(open);
        fixture.verify(open, &[(kind, outcome)]);
    };
    let no = || Tri::No("seen not to be so".to_owned());
    match verdict {
        "done, all yes" => done_but(fixture, EvidenceKind::Approved, Tri::Yes),
        "done, one unknown" => {
            let first = fixture.asked_evidence(open).remove(0);
            done_but(fixture, first, Tri::Unknown("offline".into()));
        }
        "done, no commits" => done_but(fixture, EvidenceKind::CommitsAhead, no()),
        "done, gates fail" => done_but(fixture, EvidenceKind::Gates, no()),
        "done, files changed" => done_but(fixture, EvidenceKind::WorkspaceUnchanged, no()),
        "reject" => {
            fixture.say(open, SignalKind::Reject, "wrong");
            fixture.end(open);
        }
        "block" => {
            fixture.say(open, SignalKind::Block, "stuck");
            fixture.end(open);
        }
        "fail" => {
            fixture.say(open, SignalKind::Fail, "gave up");
            fixture.end(open);
        }
        "no signal" => fixture.end(open),
        "timeout" => {
            fixture.wait(Span::minutes(60));
            fixture.end_with(open, ProcessExit::Signal(15), None);
        }
        "usage limit" => fixture.end_with(
            open,
            ProcessExit::Code(1),
            Some(EndCause::Quota {
                until: None,
                why: "limit".to_owned(),
            }),
        ),
        "login" => fixture.end_with(open, ProcessExit::Code(1), Some(EndCause::Infra("login".into()))),
        _ => {
            let patch = dbs::domain::TaskPatch {
                stage: Some(
                    if fixture.stage("a") == "development" {
                        "reviewing"
                    } else {
                        "development"
                    }
                    .into(),
                ),
                ..dbs::domain::TaskPatch::default()
            };
            fixture
                .ask(dbs::domain::Command::Update("a".into(), patch))
                .unwrap();
            fixture.say(open, SignalKind::Done, "");
            fixture.end(open);
        }
    }
}

/// Returns where the task stands, what is open for it, and what was counted.
fn picture(fixture: &BoardFixture, before: u32) -> String {
    let task = fixture.task("a");
    let counted = i64::from(task.spawns) - i64::from(before) - i64::from(task.open_attempt.is_some());
    let failures: Vec<String> = task
        .failures
        .values()
        .flatten()
        .map(|(class, n)| format!("{class} {n}"))
        .collect();
    let mut words = vec![format!("{} in {}", task.state.word(), task.stage)];
    if let Some(open) = task.open_attempt.filter(|_| task.state.word() == "active") {
        words.push(format!(", {} {}", fixture.role(open), fixture.attempt(open).mode));
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
            let mut fixture = standing(stage);
            if stage == "merging" {
                let merge = fixture.open("a");
                fixture.act(merge, ActionOutcome::Failed("conflict".to_owned()));
            }
            let before = fixture.task("a").spawns - 1;
            give(&mut fixture, verdict);
            table.push(format!(
                "{stage:15} {verdict:20} -> {}\n",
                picture(&fixture, before)
            ));
        }
    }
    insta::assert_snapshot!(table.concat());
}

#[test]
fn the_engines_merge_answers_every_outcome() {
    let mut table = Vec::new();
    for outcome in ["done", "done, unproved", "done, refuted", "failed", "unknown"] {
        let mut fixture = BoardFixture::standing("a", "merging");
        let merge = fixture.open("a");
        let before = fixture.task("a").spawns - 1;
        let done = |evidence| ActionOutcome::Done {
            commit: Some("m".to_owned()),
            evidence,
            check: MergeCheck::Checked,
        };
        let merged = |outcome| vec![(EvidenceKind::Merged, outcome)];
        let outcome_value = match outcome {
            "done" => done(fixture.evidence(merge, &[])),
            "done, unproved" => done(fixture.evidence(merge, &merged(Tri::Unknown("offline".into())))),
            "done, refuted" => done(fixture.evidence(merge, &merged(Tri::No("not there".to_owned())))),
            "failed" => ActionOutcome::Failed("conflict".to_owned()),
            _ => ActionOutcome::Unknown("offline".into()),
        };
        fixture.act(merge, outcome_value);
        table.push(format!("{outcome:15} -> {}\n", picture(&fixture, before)));
    }
    insta::assert_snapshot!(table.concat());
}
