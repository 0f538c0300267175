//! What is told by one way, and when: pure, with times as numbers.

use crate::domain::AttemptId;
use crate::ports::notify::CancelOutcome;
use crate::read_model::{AttentionItem, AttentionKind};
use crate::server::notifier::channel::*;

/// Test channel that is never used to deliver anything.
struct UnusedNotifier;

impl Notifier for UnusedNotifier {
    fn send(&self, _summons: &Notification) -> Result<(), NotifyError> {
        Ok(())
    }

    fn cancel(&self) -> CancelOutcome {
        CancelOutcome::AtTimeLimit
    }
}

fn way(name: &'static str) -> NotifyChannel {
    NotifyChannel {
        name,
        target: "notify-send".to_owned(),
        transport: Arc::new(UnusedNotifier),
    }
}

/// Far behind the moment after a start in which nothing is told.
const LATER: u64 = 100_000;
const RULES: NotifyRules = NotifyRules {
    when: AlertWhen::Away,
    pause: Span(5_000),
};

fn board(items: &[(&str, AttentionKind)]) -> ReadModel {
    ReadModel {
        attention: items
            .iter()
            .map(|(task, kind)| AttentionItem {
                task: (*task).into(),
                attempt: Some(AttemptId(7)),
                kind: *kind,
                text: "an agent's word".to_owned(),
                since: Timestamp(1),
            })
            .collect(),
        ..ReadModel::default()
    }
}

const QUESTION: AttentionKind = AttentionKind::Question;

fn now(at: u64) -> NotifySituation {
    NotifySituation {
        at: Timestamp(at),
        away: true,
        quiet: None,
    }
}

/// One that was told everything so far, and that is nothing.
fn caller() -> ChannelState {
    let mut caller = ChannelState::new(way("command"), Some(BTreeSet::new()), Timestamp(0));
    assert_eq!(
        caller.next_notification(now(LATER), RULES, ("shop", &board(&[]))),
        None
    );
    caller
}

fn told(caller: &mut ChannelState, now: NotifySituation, board: &ReadModel) -> Option<String> {
    let summons = caller.next_notification(now, RULES, ("shop", board))?;
    assert_eq!(caller.on_result(now.at, Ok(())), None);
    Some(summons.redacted_text)
}

#[test]
fn who_is_at_no_screen_is_called_once_and_who_looks_is_not() {
    let mut caller = caller();
    let one = board(&[("t-1", QUESTION)]);
    let summons = caller
        .next_notification(now(LATER + 1), RULES, ("shop", &one))
        .unwrap();
    assert_eq!(summons.text, "needs you: t-1 question: an agent's word");
    assert_eq!(summons.redacted_text, "needs you: t-1 question");
    assert_eq!((summons.level, summons.items.len()), (NoticeLevel::Alert, 1));
    assert_eq!(
        caller.next_notification(now(LATER + 2), RULES, ("shop", &one)),
        None,
        "it is being told"
    );
    assert_eq!(caller.on_result(Timestamp(LATER + 3), Ok(())), None);
    assert_eq!(told(&mut caller, now(LATER + 90_000), &one), None, "once");
    let here = NotifySituation {
        away: false,
        ..now(LATER + 100_000)
    };
    let two = board(&[("t-1", QUESTION), ("t-2", AttentionKind::Failed)]);
    assert_eq!(told(&mut caller, here, &two), None, "they see it");
    assert_eq!(told(&mut caller, now(LATER + 200_000), &two), None, "they saw it");
    let always = NotifyRules {
        when: AlertWhen::Always,
        ..RULES
    };
    let three = board(&[("t-3", AttentionKind::Failed)]);
    let summons = caller.next_notification(here, always, ("shop", &three)).unwrap();
    assert_eq!(summons.level, NoticeLevel::Error);
}

#[test]
fn what_comes_while_something_is_told_is_told_together_afterwards_and_what_was_settled_not_at_all() {
    let mut caller = caller();
    let at = LATER;
    assert!(
        caller
            .next_notification(now(at), RULES, ("shop", &board(&[("t-1", QUESTION)])))
            .is_some()
    );
    for more in 0..100 {
        let id = format!("t-{more}");
        let many = board(&[("t-1", QUESTION), (&id, AttentionKind::Held)]);
        assert_eq!(
            caller.next_notification(now(at + 10_000), RULES, ("shop", &many)),
            None,
            "nothing queues"
        );
    }
    let left = board(&[
        ("t-1", QUESTION),
        ("t-8", QUESTION),
        ("t-9", AttentionKind::Approval),
    ]);
    assert_eq!(
        caller.next_notification(now(at + 20_000), RULES, ("shop", &left)),
        None
    );
    assert_eq!(caller.on_result(Timestamp(at + 20_001), Ok(())), None);
    let said = told(&mut caller, now(at + 20_002), &left);
    assert_eq!(said.as_deref(), Some("2 need you: t-8 question, t-9 approval"));
}

#[test]
fn quiet_hours_hold_back_what_waits_until_they_end() {
    let mut caller = caller();
    let end = Timestamp(LATER + 50_000);
    let quiet = NotifySituation {
        quiet: Some(end),
        ..now(LATER)
    };
    assert_eq!(
        told(
            &mut caller,
            quiet,
            &board(&[("t-1", QUESTION), ("t-2", QUESTION)])
        ),
        None
    );
    assert_eq!(caller.due(RULES, Some(end)), Some(end));
    let left = board(&[("t-2", QUESTION), ("t-3", QUESTION)]);
    assert_eq!(told(&mut caller, quiet, &left), None);
    let said = told(&mut caller, now(LATER + 50_000), &left);
    assert_eq!(said.as_deref(), Some("2 need you: t-2 question, t-3 question"));
}

#[test]
fn after_a_restart_nothing_is_told_twice_and_what_came_up_meanwhile_is_told() {
    let mut caller = caller();
    let one = board(&[("t-1", QUESTION)]);
    assert!(told(&mut caller, now(LATER), &one).is_some());
    let two = board(&[("t-1", QUESTION), ("t-2", QUESTION)]);
    assert!(
        caller
            .next_notification(now(LATER + 6_000), RULES, ("shop", &two))
            .is_some()
    );
    // The server dies before it hears that t-2 was told.
    let kept = caller.marks();
    let start = Timestamp(LATER + 10_000);
    let mut next = ChannelState::new(way("command"), kept.clone(), start);
    // An agent that went on while there was no server has not said again that it waits.
    assert_eq!(told(&mut next, now(start.0), &board(&[])), None);
    assert_eq!(next.marks(), kept, "a server that dies now has forgotten nothing");
    let three = board(&[("t-1", QUESTION), ("t-2", QUESTION), ("t-3", QUESTION)]);
    assert_eq!(
        told(&mut next, now(start.0), &three),
        None,
        "a moment for who starts it"
    );
    let due = next.due(RULES, None).unwrap();
    assert_eq!(due, start + START_DELAY);
    let said = told(&mut next, now(due.0), &three);
    assert_eq!(said.as_deref(), Some("2 need you: t-2 question, t-3 question"));
    let mut never = ChannelState::new(way("command"), None, start);
    assert_eq!(told(&mut never, now(start.0), &one), None);
    assert_eq!(never.marks(), None);
    assert_eq!(
        told(&mut never, now(due.0), &one).as_deref(),
        Some("needs you: t-1 question")
    );
}

#[test]
fn runs_that_ended_are_told_but_not_those_that_had_ended_before_anybody_was_ever_told() {
    let run = |state: crate::domain::RunState| {
        let batch = crate::domain::batch::Batch {
            id: "main".into(),
            title: String::new(),
            goal: String::new(),
            base: None,
            go_ahead: None,
            run: state,
            since: Timestamp(1),
        };
        ReadModel {
            batches: [(batch.id.clone(), Arc::new(batch))].into(),
            ..ReadModel::default()
        }
    };
    let done = run(crate::domain::RunState::Completed);
    let mut never = ChannelState::new(way("command"), None, Timestamp(0));
    assert_eq!(told(&mut never, now(LATER), &done), None);
    let mut caller = caller();
    assert_eq!(
        told(&mut caller, now(LATER), &run(crate::domain::RunState::Running)),
        None
    );
    let summons = caller
        .next_notification(now(LATER + 1), RULES, ("shop", &done))
        .unwrap();
    assert_eq!(
        (summons.redacted_text.as_str(), summons.level),
        ("main completed", NoticeLevel::Success)
    );
    assert_eq!(caller.on_result(Timestamp(LATER + 2), Ok(())), None);
    let mut next = ChannelState::new(way("command"), caller.marks(), Timestamp(LATER));
    assert_eq!(told(&mut next, now(LATER + 90_000), &done), None, "not again");
}

#[test]
fn a_failure_is_tried_again_with_growing_waits_told_once_and_so_is_that_it_works_again() {
    let mut caller = caller();
    let one = board(&[("t-1", QUESTION)]);
    let (mut at, mut waits, mut ids, mut notices) = (LATER, Vec::new(), BTreeSet::new(), Vec::new());
    for failure in 1..=6 {
        let summons = caller.next_notification(now(at), RULES, ("shop", &one)).unwrap();
        ids.insert(summons.id);
        let failed = Err(NotifyError::Temporary(
            "post to https://x: it answered 500".to_owned(),
        ));
        let told = caller.on_result(Timestamp(at), failed);
        notices.extend(told.map(|notice| (failure, notice.text)));
        let due = caller.due(RULES, None).unwrap();
        assert_eq!(
            caller.next_notification(now(due.0 - 1), RULES, ("shop", &one)),
            None,
            "not before it is due"
        );
        waits.push((due.0 - at) / 1_000);
        at = due.0;
    }
    assert_eq!(waits, [5, 10, 60, 600, 600, 600], "the pause is the least");
    assert_eq!(ids.len(), 1, "who gets it twice can tell");
    let text = "you cannot be reached by notify-send: could not post to https://x: it answered 500";
    assert_eq!(
        notices,
        [(4, text.to_owned())],
        "once, when it was tried a few times"
    );
    let both = board(&[("t-1", QUESTION), ("t-2", QUESTION)]);
    let summons = caller.next_notification(now(at), RULES, ("shop", &both)).unwrap();
    assert!(!ids.contains(&summons.id), "it is another one");
    let notice = caller.on_result(Timestamp(at), Ok(())).unwrap();
    assert_eq!(notice.level, NoticeLevel::Info);
    assert_eq!(told(&mut caller, now(at + 90_000), &both), None, "told at last");
}

#[test]
fn what_will_not_work_by_itself_is_told_at_once_and_what_was_settled_is_not_tried_again() {
    let mut caller = caller();
    assert!(
        caller
            .next_notification(now(LATER), RULES, ("shop", &board(&[("t-1", QUESTION)])))
            .is_some()
    );
    let refused = || {
        Err(NotifyError::Permanent(
            "start notify-send: there is no such program".to_owned(),
        ))
    };
    assert!(caller.on_result(Timestamp(LATER), refused()).is_some());
    let at = caller.due(RULES, None).unwrap().0;
    assert_eq!(told(&mut caller, now(at), &board(&[])), None, "it was settled");
    assert_eq!(caller.due(RULES, None), None);
    assert!(
        caller
            .next_notification(now(at + 1), RULES, ("shop", &board(&[("t-2", QUESTION)])))
            .is_some()
    );
    assert_eq!(caller.on_result(Timestamp(at), refused()), None, "known");
    // Another program: tried at once.
    let mut other = caller.with_channel(way("command"));
    let two = board(&[("t-2", QUESTION)]);
    let said = told(&mut other, now(at + 6_000), &two);
    assert_eq!(said.as_deref(), Some("needs you: t-2 question"));
}
