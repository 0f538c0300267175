//! Troubles from outside that keep a task from working: retried a limited number of times, then left to a person with the cause. They do
//! not count against the task.

use dbs::domain::attempt::WorkspaceState;
use dbs::domain::cause::{Cause, TroubleKind};
use dbs::domain::task::HoldReason;
use dbs::domain::{
    ActionOutcome, AttemptId, Command, Event, EvidenceKind, Inventory, ProcessExit, SignalKind, Span,
    TaskState, Tri,
};
use dbs::read_model::ReadModel;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::fixture::{BoardFixture, draft};

/// Number of times in a row that something outside may fail.
const MOST: u32 = 12;

fn offline() -> Cause {
    TroubleKind::Network.cause("no network")
}

fn not_started(fixture: &mut BoardFixture, attempt: AttemptId, why: Cause) {
    fixture.happen(Event::AttemptNotStarted { attempt, why });
}

fn retry(id: &str) -> Command {
    Command::Retry {
        task: id.into(),
        stage: None,
        note: None,
    }
}

#[test]
fn a_start_or_a_merge_that_keeps_failing_is_left_to_a_person_with_the_cause_and_frees_the_place() {
    for (stage, text) in [
        ("development", "could not be started: no network"),
        ("merging", "could not finish: no network"),
    ] {
        let mut fixture = BoardFixture::standing("a", stage);
        let spawns = fixture.task("a").spawns;
        for _ in 1..MOST {
            let open = fixture.open("a");
            match stage {
                "merging" => fixture.act(open, ActionOutcome::Unknown(offline())),
                _ => not_started(&mut fixture, open, offline()),
            }
            assert_eq!(fixture.word("a"), "released", "{stage}");
            fixture.wait_until_due();
        }
        let open = fixture.open("a");
        match stage {
            "merging" => fixture.act(open, ActionOutcome::Unknown(offline())),
            _ => not_started(&mut fixture, open, offline()),
        }
        let cause = TroubleKind::Network.cause(text);
        let hold = TaskState::Held(HoldReason::Trouble { tries: MOST, cause });
        assert_eq!(fixture.task("a").state, hold);
        assert!(fixture.notice_kinds().contains(&"block"), "{stage}");
        assert!(fixture.comments("a").contains(text), "{}", fixture.comments("a"));
        assert_eq!(fixture.task("a").open_attempt, None);
        assert_eq!(fixture.task("a").spawns, spawns.saturating_sub(1), "{stage}");
        assert!(fixture.task("a").failures.is_empty(), "{stage}");
        // A retry by a person restarts the count.
        fixture.ask(retry("a")).unwrap();
        let open = fixture.open("a");
        match stage {
            "merging" => fixture.act(open, ActionOutcome::Unknown(offline())),
            _ => not_started(&mut fixture, open, offline()),
        }
        assert_eq!(fixture.word("a"), "released", "{stage}");
    }
}

#[test]
fn a_full_disk_is_waited_for_without_an_end_and_uses_up_nothing() {
    let mut fixture = BoardFixture::developing("a");
    let spawns = fixture.task("a").spawns;
    for _ in 0..3 * MOST {
        let open = fixture.open("a");
        not_started(&mut fixture, open, TroubleKind::Disk.cause("no room"));
        assert_eq!(fixture.word("a"), "released");
        fixture.wait_until_due();
    }
    assert_eq!(fixture.task("a").spawns, spawns);
    assert!(fixture.task("a").failures.is_empty());
}

#[test]
fn only_troubles_in_a_row_are_counted() {
    let mut fixture = BoardFixture::developing("a");
    for _ in 1..MOST {
        let open = fixture.open("a");
        not_started(&mut fixture, open, offline());
        fixture.wait_until_due();
    }
    // The start worked, and the attempt failed for a reason of its own.
    let open = fixture.open("a");
    fixture.live(open, SignalKind::Fail, "unclear");
    fixture.settled(open);
    fixture.wait_until_due();
    let open = fixture.open("a");
    not_started(&mut fixture, open, offline());
    assert_eq!(fixture.word("a"), "released");
}

#[test]
fn what_was_refused_for_good_is_left_to_a_person_at_once_in_the_words_of_who_refused_it() {
    let words = "the remote refused main: protected branch";
    let mut fixture = BoardFixture::standing("a", "merging");
    let merge = fixture.open("a");
    fixture.act(merge, ActionOutcome::Refused(words.to_owned()));
    let hold = TaskState::Held(HoldReason::Refused(words.to_owned()));
    assert_eq!(fixture.task("a").state, hold);
    assert!(fixture.lines().iter().any(|line| line.contains(words)));
    assert!(fixture.task("a").failures.is_empty());
    assert_eq!(fixture.board.infra_failures, 0);
    fixture.ask(retry("a")).unwrap();
    assert_eq!(fixture.role(fixture.open("a")), "engine");

    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    let missing = TroubleKind::Refusal.cause("could not find branch main on origin");
    not_started(&mut fixture, first, missing);
    let words = "could not be started: could not find branch main on origin";
    let hold = TaskState::Held(HoldReason::Refused(words.to_owned()));
    assert_eq!(fixture.task("a").state, hold);
}

#[test]
fn what_waits_for_a_task_that_was_kept_by_something_outside_waits_on() {
    let mut fixture = BoardFixture::new();
    fixture.released(draft("a", "graph"));
    let mut dependent = draft("b", "graph");
    dependent.deps.insert("a".into());
    fixture.released(dependent);
    let first = fixture.open("a");
    not_started(&mut fixture, first, TroubleKind::Refusal.cause("no base"));
    assert_eq!(fixture.word("a"), "held");
    assert_eq!(fixture.word("b"), "released");
}

#[test]
fn evidence_that_stays_unknown_is_asked_for_so_often_and_not_for_so_long() {
    let unknown = [(EvidenceKind::Pushed, Tri::Unknown(offline()))];
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Done, "");
    fixture.verify(first, &unknown);
    // Time in which the machine slept or no server ran.
    fixture.wait(Span::minutes(60));
    fixture.verify(first, &unknown);
    assert_eq!(fixture.word("a"), "verifying");
    for _ in 3..=MOST {
        fixture.wait_until_due();
        fixture.verify(first, &unknown);
    }
    let hold = TaskState::Held(HoldReason::Unverified("no network".to_owned()));
    assert_eq!(fixture.task("a").state, hold);
    let text = "could not be verified in 12 tries: no network";
    assert!(fixture.comments("a").contains(text), "{}", fixture.comments("a"));
}

#[test]
fn three_restarts_of_the_machine_are_no_three_crashes_and_five_in_a_row_are_left_to_a_person() {
    let mut fixture = BoardFixture::developing("a");
    for times in 1..=5 {
        let open = fixture.open("a");
        fixture.start(open);
        // Report of the end, as the next server finds it.
        let ended = [(open, (ProcessExit::MachineStopped, String::new()))].into();
        fixture.happen(Event::Woke(Inventory {
            ended,
            ..Inventory::default()
        }));
        assert!(fixture.task("a").failures.is_empty());
        assert!(fixture.comments("a").contains("the machine stopped under it"));
        let word = if times < 5 { "active" } else { "held" };
        assert_eq!(fixture.word("a"), word, "after {times}");
    }
    let hold = TaskState::Held(HoldReason::Interrupted(5));
    assert_eq!(fixture.task("a").state, hold);
    assert_eq!(fixture.task("a").spawns, 0);
    assert!(fixture.notice_kinds().contains(&"block"));
    fixture.ask(retry("a")).unwrap();
    let open = fixture.open("a");
    fixture.start(open);
    fixture.end_with(open, ProcessExit::MachineStopped, None);
    assert_eq!(fixture.word("a"), "active");
}

#[test]
fn a_signal_that_was_sent_counts_though_the_machine_stopped_afterwards() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.say(first, SignalKind::Done, "");
    fixture.end_with(first, ProcessExit::MachineStopped, None);
    assert_eq!(fixture.word("a"), "verifying");
}

fn unknown(fixture: &mut BoardFixture, attempt: AttemptId) {
    let why = TroubleKind::Other.cause("could not read the holder");
    fixture.happen(Event::AttemptUnknown { attempt, why });
}

#[test]
fn a_start_of_which_nobody_can_tell_is_asked_for_so_often_and_then_left_to_a_person_and_frees_the_place() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    for _ in 1..MOST {
        unknown(&mut fixture, first);
        assert_eq!(fixture.word("a"), "active");
        fixture.wait_until_due();
        assert_eq!(fixture.effect_keys(), ["start/1"]);
    }
    unknown(&mut fixture, first);
    let TaskState::Held(HoldReason::Trouble { tries, cause }) = fixture.task("a").state.clone() else {
        panic!("{:?}", fixture.task("a").state);
    };
    assert_eq!(tries, MOST);
    assert!(cause.text.contains("could not read the holder"), "{cause}");
    assert!(cause.text.contains("`dbs retry a`"), "{cause}");
    assert!(fixture.notice_kinds().contains(&"block"));
    assert_eq!(fixture.task("a").open_attempt, None);
    assert_eq!(fixture.task("a").spawns, 0);
    let keys = fixture.effect_keys();
    assert!(
        keys.contains(&"stop/1".to_owned()) && keys.contains(&"settle/1".to_owned()),
        "{keys:?}"
    );
    fixture.settled(first);
    assert_eq!(fixture.board.next_deadline(), None);
    fixture.ask(retry("a")).unwrap();
    let next = fixture.open("a");
    assert!(next > first);
    unknown(&mut fixture, next);
    assert_eq!(fixture.word("a"), "active", "the count starts again");
}

#[test]
fn only_unknowns_in_a_row_before_the_start_are_counted() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    for _ in 1..MOST {
        unknown(&mut fixture, first);
        fixture.wait_until_due();
    }
    fixture.start(first);
    for _ in 0..MOST {
        unknown(&mut fixture, first);
    }
    assert!(fixture.is_running(first));
    assert_eq!(fixture.attempt(first).obstacle, None);
}

#[test]
fn an_agent_that_cannot_be_stopped_keeps_its_place_for_so_many_tries_and_its_workspace_until_it_is_gone() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.wait_until_due();
    for _ in 1..MOST {
        assert_eq!(fixture.effect_keys(), ["stop/1"]);
        unknown(&mut fixture, first);
        assert_eq!(fixture.task("a").open_attempt, Some(first));
        fixture.wait_until_due();
    }
    assert_eq!(fixture.task("a").open_attempt, Some(first));
    fixture.wait_until_due();
    let text = "could not read the holder";
    assert_eq!(fixture.word("a"), "held");
    assert!(fixture.comments("a").contains(text), "{}", fixture.comments("a"));
    assert!(fixture.effect_keys().contains(&"settle/1".to_owned()));
    assert_eq!(fixture.attempt(first).workspace, WorkspaceState::Leaving);
}

#[test]
fn a_task_that_a_person_set_aside_stays_there_when_its_agent_cannot_be_stopped() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture
        .ask(Command::Park("a".into(), "later".to_owned()))
        .unwrap();
    for _ in 0..MOST {
        fixture.wait_until_due();
    }
    assert_eq!(fixture.word("a"), "parked");
    assert_eq!(fixture.task("a").open_attempt, None);
    assert!(fixture.notice_kinds().contains(&"block"));
}

fn not_removed(fixture: &mut BoardFixture, attempt: AttemptId) {
    fixture.happen(Event::WorkspaceSettled {
        attempt,
        problem: Some("it is in use".to_owned()),
        kept: None,
        files: Vec::new(),
    });
}

#[test]
fn a_workspace_that_cannot_be_removed_is_tried_so_often_and_then_left_to_a_person_who_may_retry_it() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Block, "no");
    for _ in 1..MOST {
        not_removed(&mut fixture, first);
        fixture.wait_until_due();
        assert_eq!(fixture.effect_keys(), ["settle/1"]);
    }
    not_removed(&mut fixture, first);
    assert_eq!(fixture.board.next_deadline(), None, "no further try is due");
    let alerts = fixture.lines();
    assert!(
        alerts.iter().any(|line| line.contains("it is in use")),
        "{alerts:?}"
    );
    let model = ReadModel::of(&fixture.board, fixture.now);
    let item = model
        .attention
        .iter()
        .find(|item| item.attempt == Some(first))
        .unwrap();
    assert!(
        item.text.contains("it is in use") && item.text.contains("`dbs retry a`"),
        "{}",
        item.text
    );
    fixture.ask(retry("a")).unwrap();
    assert!(fixture.effect_keys().contains(&"settle/1".to_owned()));
    let model = ReadModel::of(&fixture.board, fixture.now);
    assert!(model.attention.is_empty(), "{:?}", model.attention);
    not_removed(&mut fixture, first);
    assert!(
        fixture.attempt(first).deadline.is_some(),
        "the count starts again"
    );
}

#[test]
fn what_is_left_of_a_closed_task_is_removed_when_a_person_retries_it_and_nothing_else_happens() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.ask(Command::Close("a".into(), "no".to_owned())).unwrap();
    fixture.end(first);
    for _ in 1..MOST {
        not_removed(&mut fixture, first);
        fixture.wait_until_due();
    }
    not_removed(&mut fixture, first);
    fixture.ask(retry("a")).unwrap();
    assert_eq!(fixture.effect_keys(), ["settle/1"]);
    fixture.settled(first);
    assert_eq!(fixture.word("a"), "cancelled");
    assert!(fixture.ask(retry("a")).is_err(), "there is nothing left to retry");
}

/// End of an agent that works on a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Machine,
    Session,
    Crash,
    GaveUp,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn interruptions_cost_no_budget_in_whatever_order_they_come(
        ends in vec(prop_oneof![
            4 => Just(End::Machine),
            3 => Just(End::Session),
            1 => Just(End::Crash),
            1 => Just(End::GaveUp),
        ], 1..30),
    ) {
        let mut fixture = BoardFixture::developing("a");
        let mut in_a_row = 0;
        for end in ends {
            let open = fixture.open("a");
            fixture.start(open);
            let (failures, spawns) = (fixture.task("a").failures.clone(), fixture.task("a").spawns);
            match end {
                End::Machine => fixture.end_with(open, ProcessExit::MachineStopped, None),
                End::Session => fixture.end_with(open, ProcessExit::SessionStopped, None),
                End::Crash => fixture.end_with(open, ProcessExit::Code(1), None),
                End::GaveUp => {
                    fixture.say(open, SignalKind::Fail, "no");
                    fixture.end(open);
                }
            }
            match end {
                End::Machine => in_a_row += 1,
                End::Session => {}
                End::Crash | End::GaveUp => in_a_row = 0,
            }
            let is_over = fixture.word("a") == "held";
            if matches!(end, End::Machine | End::Session) {
                prop_assert_eq!(&fixture.task("a").failures, &failures);
                // An attempt that follows at once counts, too.
                let began = u32::from(fixture.task("a").open_attempt.is_some());
                prop_assert_eq!(fixture.task("a").spawns, spawns - 1 + began);
                prop_assert_eq!(is_over, in_a_row >= 5);
            }
            if is_over {
                break;
            }
            fixture.settled(open);
            if fixture.task("a").open_attempt.is_none() {
                fixture.wait_until_due();
            }
        }
    }
}
