//! The inbox: what is asked is answered in place, bound to what was seen.

use std::sync::Arc;

use dbs::domain::attempt::{Activity, ActivityKind};
use dbs::domain::{AttemptId, Command, HoldReason, TaskState};
use dbs::read_model::{AttentionKind, ReadModel};
use dbs::ui::{PermissionReply, UiRequest};

use crate::fixture::{Desk, NOW};

fn yes(attempt: u64) -> UiRequest {
    UiRequest::ReplyPermission(
        AttemptId(attempt),
        "npm run migrate".to_owned(),
        PermissionReply::Yes,
    )
}

/// Lets an agent at work want something.
fn wants(desk: &mut Desk, attempt: u64, doing: ActivityKind) {
    let attempt = desk.board.attempts.get_mut(&AttemptId(attempt)).expect("attempt");
    Arc::make_mut(attempt).activity = Activity {
        doing,
        source: "hook".to_owned(),
        since: NOW,
    };
    desk.model = ReadModel::of(&desk.board, NOW);
}

#[test]
fn a_permission_is_allowed_in_place() {
    let mut desk = Desk::full((120, 40));
    assert_eq!((desk.press("5").len(), desk.press("j j j a")), (0, vec![yes(13)]));
}

#[test]
fn identical_permissions_are_allowed_together_and_named_first() {
    let mut desk = Desk::full((120, 40));
    let migrate = || ActivityKind::Permission("npm run migrate".to_owned());
    wants(&mut desk, 11, migrate());
    desk.press("5");
    desk.press("j j j A");
    let text = desk.text();
    assert!(text.contains("Allow 2 agents: npm run migrate?"), "{text}");
    assert!(text.contains("dbs-4") && text.contains("dbs-7"), "{text}");
    let requests = desk.press("y");
    assert_eq!(requests, [yes(13), yes(11)]);
}

#[test]
fn what_was_asked_anew_meanwhile_is_not_allowed() {
    let mut desk = Desk::full((120, 40));
    wants(
        &mut desk,
        11,
        ActivityKind::Permission("npm run migrate".to_owned()),
    );
    desk.press("5");
    desk.press("j j j A");
    wants(&mut desk, 11, ActivityKind::Permission("rm -rf build".to_owned()));
    assert_eq!(desk.press("y"), [yes(13)]);
    assert!(desk.text().contains("attempt 11 asks something else by now"));
}

#[test]
fn approvals_of_one_stage_are_given_together() {
    let mut desk = Desk::full((120, 40));
    desk.change("dbs-15", |task| {
        task.stage = "acceptance".into();
        task.state = TaskState::Held(HoldReason::Approval);
    });
    desk.press("5");
    desk.press("j");
    assert!(desk.text().contains("A allow all 2"), "{}", desk.text());
    let approve = |task: &str| UiRequest::Command(Command::Approve(task.into()));
    desk.press("A");
    assert_eq!(desk.press("y"), [approve("dbs-15"), approve("dbs-16")]);
}

#[test]
fn a_merge_that_cannot_be_made_is_told_apart_from_failed_checks() {
    use dbs::domain::{FailureClass, Verdict};
    let mut desk = Desk::full((120, 40));
    desk.change("dbs-11", |task| {
        task.state = TaskState::Held(HoldReason::Exhausted(FailureClass::Gate));
    });
    let kind = |desk: &Desk| {
        let mut items = desk.model.attention.iter();
        items
            .find(|item| item.task.as_str() == "dbs-11")
            .map(|item| item.kind)
    };
    assert_eq!(kind(&desk), Some(AttentionKind::Gate));
    let merge = desk.board.attempts.get_mut(&AttemptId(17)).expect("attempt");
    Arc::make_mut(merge).state =
        dbs::domain::AttemptState::Settled(Verdict::Failed(FailureClass::Gate, "conflict".to_owned()));
    desk.model = ReadModel::of(&desk.board, NOW);
    assert_eq!(kind(&desk), Some(AttentionKind::Merge));
}

#[test]
fn a_key_leads_to_the_inbox_and_back_from_everywhere() {
    let mut desk = Desk::full((120, 40));
    desk.press("3");
    desk.press("I");
    assert!(desk.text().contains("[5 Inbox]"), "{}", desk.text());
    desk.press("Esc");
    assert!(desk.text().contains("[3 Board]"), "{}", desk.text());
}
