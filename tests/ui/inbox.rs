//! The inbox: asks are answered in place, and an answer goes only to the ask that was on the screen.

use std::sync::Arc;

use dbs::domain::attempt::{Activity, ActivityKind};
use dbs::domain::batch::RunState;
use dbs::domain::{AskReply, AttemptId, Command, HoldReason, TaskState};
use dbs::read_model::{AttentionKind, ReadModel};
use dbs::ui::UiRequest;

use crate::fixture::{Dashboard, NOW, allow, asked};

fn yes(attempt: u64) -> UiRequest {
    UiRequest::Command(allow(attempt, "npm run migrate"))
}

/// Gives an agent at work an ask of that kind.
fn wants(dashboard: &mut Dashboard, attempt: u64, doing: ActivityKind) {
    let attempt = dashboard
        .board
        .attempts
        .get_mut(&AttemptId(attempt))
        .expect("attempt");
    let attempt = Arc::make_mut(attempt);
    attempt.asks = asked(&doing, NOW);
    attempt.activity = Activity {
        doing,
        source: "hook".to_owned(),
        since: NOW,
    };
    dashboard.model = ReadModel::of(&dashboard.board, NOW);
}

#[test]
fn a_permission_is_allowed_in_place() {
    let mut dashboard = Dashboard::full((120, 40));
    assert_eq!(
        (dashboard.press("5").len(), dashboard.press("j j j a")),
        (0, vec![yes(13)])
    );
}

#[test]
fn identical_permissions_are_allowed_together_and_named_first() {
    let mut dashboard = Dashboard::full((120, 40));
    let migrate = || ActivityKind::Permission("npm run migrate".to_owned());
    wants(&mut dashboard, 11, migrate());
    dashboard.press("5");
    dashboard.press("j j j A");
    let text = dashboard.text();
    assert!(text.contains("Allow 2 agents: npm run migrate?"), "{text}");
    assert!(text.contains("dbs-4") && text.contains("dbs-7"), "{text}");
    let requests = dashboard.press("y");
    assert_eq!(requests, [yes(13), yes(11)]);
}

#[test]
fn what_was_asked_anew_meanwhile_is_not_allowed() {
    let mut dashboard = Dashboard::full((120, 40));
    wants(
        &mut dashboard,
        11,
        ActivityKind::Permission("npm run migrate".to_owned()),
    );
    dashboard.press("5");
    dashboard.press("j j j A");
    wants(
        &mut dashboard,
        11,
        ActivityKind::Permission("rm -rf build".to_owned()),
    );
    assert_eq!(dashboard.press("y"), [yes(13)]);
    assert!(dashboard.text().contains("attempt 11 asks something else by now"));
}

#[test]
fn a_permission_is_denied_by_its_own_key_with_a_reason_or_without() {
    let deny = |why: &str| {
        UiRequest::Command(Command::AnswerAsk {
            attempt: AttemptId(13),
            ask: "npm run migrate".into(),
            reply: AskReply::Deny(why.to_owned()),
        })
    };
    for (keys, why) in [("Enter", ""), ("n o t Space n o w Enter", "not now")] {
        let mut dashboard = Dashboard::full((120, 40));
        dashboard.press("5");
        dashboard.press("j j j");
        let text = dashboard.text();
        assert!(text.contains("N deny") && text.contains("a allow"), "{text}");
        assert_eq!(dashboard.press("N"), []);
        let asked = dashboard.text();
        assert!(
            asked.contains("developer-milhaud asks: npm run migrate"),
            "{asked}"
        );
        assert_eq!(dashboard.press(keys), [deny(why)]);
    }
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("5");
    dashboard.press("j j");
    assert_eq!(dashboard.press("N"), []);
    assert!(dashboard.text().contains("no agent asks for a permission here"));
}

#[test]
fn what_is_no_longer_asked_is_not_denied_and_that_is_said() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("5");
    dashboard.press("j j j N");
    wants(
        &mut dashboard,
        13,
        ActivityKind::Permission("rm -rf build".to_owned()),
    );
    assert_eq!(dashboard.press("n o Enter"), []);
    assert!(
        dashboard
            .text()
            .contains("that is no longer asked: nothing was sent")
    );
}

#[test]
fn approvals_of_one_stage_are_given_together() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.change("dbs-15", |task| {
        task.stage = "acceptance".into();
        task.state = TaskState::Held(HoldReason::Approval);
    });
    dashboard.press("5");
    dashboard.press("j");
    assert!(
        dashboard.text().contains("A approve all 2"),
        "{}",
        dashboard.text()
    );
    let approve = |task: &str| UiRequest::Command(Command::Approve(task.into()));
    dashboard.press("A");
    assert_eq!(dashboard.press("y"), [approve("dbs-15"), approve("dbs-16")]);
}

#[test]
fn a_merge_that_cannot_be_made_is_told_apart_from_failed_checks() {
    use dbs::domain::{FailureClass, Verdict};
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.change("dbs-11", |task| {
        task.state = TaskState::Held(HoldReason::Exhausted(FailureClass::Gate));
    });
    let kind = |dashboard: &Dashboard| {
        let mut items = dashboard.model.attention.iter();
        items
            .find(|item| item.task.as_str() == "dbs-11")
            .map(|item| item.kind)
    };
    assert_eq!(kind(&dashboard), Some(AttentionKind::Gate));
    let merge = dashboard.board.attempts.get_mut(&AttemptId(17)).expect("attempt");
    Arc::make_mut(merge).state =
        dbs::domain::AttemptState::Settled(Verdict::Failed(FailureClass::Gate, "conflict".into()));
    dashboard.model = ReadModel::of(&dashboard.board, NOW);
    assert_eq!(kind(&dashboard), Some(AttentionKind::Merge));
}

#[test]
fn a_key_leads_to_the_inbox_and_back_from_everywhere() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3");
    dashboard.press("I");
    assert!(dashboard.text().contains("[5 Inbox]"), "{}", dashboard.text());
    dashboard.press("Esc");
    assert!(dashboard.text().contains("[3 Board]"), "{}", dashboard.text());
}

#[test]
fn a_stalled_run_is_never_called_calm_and_the_way_leads_to_its_cause() {
    for size in [(80, 24), (120, 40)] {
        let mut dashboard = Dashboard::full(size);
        dashboard
            .board
            .tasks
            .retain(|id, _| ["dbs-19", "dbs-20"].contains(&id.as_str()));
        dashboard.board.attempts.clear();
        for batch in dashboard.board.batches.values_mut() {
            Arc::make_mut(batch).run = RunState::Stalled;
        }
        dashboard.change("dbs-19", |_| {});
        let strip = dashboard.text().lines().nth(1).unwrap_or_default().to_owned();
        assert!(
            strip.contains("STALLED  dbs-19 is parked") && strip.contains("Tab go there"),
            "{strip}"
        );
        assert!(
            !dashboard.text().contains("Nothing needs you"),
            "{}",
            dashboard.text()
        );
        dashboard.press("j Tab");
        dashboard.press("r");
        let text = dashboard.text();
        assert!(text.contains("dbs-19"), "{text}");
        dashboard.press("5");
        assert!(
            dashboard.text().contains("But a run is stalled: dbs-19"),
            "{}",
            dashboard.text()
        );
    }
}
