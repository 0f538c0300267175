//! Alerts for the person at a terminal: their recipients and times, the window title, the progress of the work.

use std::sync::Arc;

use dbs::display::{AlertEvents, AlertWhen, Glyphs, ProgramCalls, WorkProgress};
use dbs::domain::batch::RunState;
use dbs::domain::command::TaskDraft;
use dbs::domain::{AttemptId, PauseReason, Span, Task, TaskState, Timestamp};
use dbs::read_model::{AttentionItem, AttentionKind, ReadModel};
use dbs::ui::{AlertRules, ProgramCall, TerminalAlerts, TerminalUpdate};

const RULES: AlertRules = AlertRules {
    when: AlertWhen::Away,
    events: AlertEvents::Needs,
    programs: ProgramCalls::All,
    min_interval: Span(5_000),
    title: true,
    progress: true,
    glyphs: Glyphs::Unicode,
};

fn board(items: &[(&str, &str)]) -> ReadModel {
    ReadModel {
        attention: items
            .iter()
            .map(|(task, text)| AttentionItem {
                task: (*task).into(),
                attempt: Some(AttemptId(7)),
                kind: AttentionKind::Permission,
                text: (*text).to_owned(),
                since: Timestamp(1),
                ask: None,
            })
            .collect(),
        ..ReadModel::default()
    }
}

/// Only the notifications, without titles and progress.
fn notices(alerts: &mut TerminalAlerts, at: u64, board: &ReadModel) -> Vec<String> {
    let calls = alerts.update(Timestamp(at), None, board, "shop").into_iter();
    calls
        .filter_map(|call| match call {
            TerminalUpdate::Notification(text) => Some(text),
            TerminalUpdate::Title(_) | TerminalUpdate::Progress(_) => None,
        })
        .collect()
}

const NONE: [&str; 0] = [];

#[test]
fn only_who_looks_elsewhere_is_called_and_only_about_what_is_new() {
    let mut alerts = TerminalAlerts::new(RULES);
    assert_eq!(notices(&mut alerts, 1, &board(&[("t-1", "a")])), NONE, "no news");
    assert_eq!(
        notices(&mut alerts, 2, &board(&[("t-1", "a"), ("t-2", "b")])),
        NONE,
        "the terminal has the focus"
    );
    alerts.set_focused(false);
    let three = board(&[("t-1", "a"), ("t-2", "b"), ("t-3", "npm test")]);
    assert_eq!(
        notices(&mut alerts, 3, &three),
        ["needs you: t-3 permission: npm test"]
    );
    assert_eq!(notices(&mut alerts, 99_999, &three), NONE, "nothing twice");
    let mut never = TerminalAlerts::new(AlertRules {
        when: AlertWhen::Never,
        ..RULES
    });
    never.set_focused(false);
    never.update(Timestamp(1), None, &board(&[]), "shop");
    assert_eq!(notices(&mut never, 2, &three), NONE);
}

#[test]
fn what_happens_soon_after_a_call_is_sent_together_and_what_was_settled_not_at_all() {
    let mut alerts = TerminalAlerts::new(RULES);
    alerts.set_focused(false);
    alerts.update(Timestamp(1), None, &board(&[]), "shop");
    assert_eq!(notices(&mut alerts, 10, &board(&[("t-1", "a")])).len(), 1);
    let more = board(&[("t-1", "a"), ("t-2", "b"), ("t-3", "c"), ("t-4", "d")]);
    assert_eq!(notices(&mut alerts, 20, &more), NONE, "too soon");
    assert_eq!(alerts.next_due(), Some(Timestamp(5_010)));
    let left = board(&[("t-2", "b"), ("t-4", "d"), ("t-5", "e"), ("t-6", "f")]);
    assert_eq!(notices(&mut alerts, 5_009, &left), NONE);
    assert_eq!(
        notices(&mut alerts, 5_010, &left),
        ["4 need you: t-2 permission, t-4 permission, t-5 permission and 1 more"]
    );
    assert_eq!(alerts.next_due(), None);
    alerts.update(Timestamp(5_020), None, &more, "shop");
    alerts.set_focused(true);
    assert_eq!(alerts.next_due(), None, "the person has looked");
}

#[test]
fn a_clock_that_is_set_back_holds_no_call_up_for_longer_than_the_pause() {
    const HOUR: u64 = 3_600_000;
    let mut alerts = TerminalAlerts::new(RULES);
    alerts.set_focused(false);
    alerts.update(Timestamp(1), None, &board(&[]), "shop");
    assert_eq!(notices(&mut alerts, 2 * HOUR, &board(&[("t-1", "a")])).len(), 1);
    let both = board(&[("t-1", "a"), ("t-2", "b")]);
    assert_eq!(notices(&mut alerts, 2 * HOUR + 1, &both), NONE, "too soon");
    alerts.set_time(Timestamp(HOUR));
    assert_eq!(alerts.next_due(), Some(Timestamp(HOUR + 5_000)));
    assert_eq!(notices(&mut alerts, HOUR + 5_000, &both).len(), 1);
}

#[test]
fn in_quiet_hours_nobody_is_called_and_what_still_waits_at_their_end_is_sent_once_and_together() {
    let mut alerts = TerminalAlerts::new(RULES);
    alerts.set_focused(false);
    alerts.update(Timestamp(1), None, &board(&[]), "shop");
    let end = Timestamp(90_000);
    let quiet = |alerts: &mut TerminalAlerts, at: u64, board: &ReadModel| {
        alerts.update(Timestamp(at), Some(end), board, "shop")
    };
    let both = board(&[("t-1", "a"), ("t-2", "b")]);
    let title = vec![TerminalUpdate::Title("2 need you · shop – dbs".to_owned())];
    assert_eq!(quiet(&mut alerts, 10_000, &both), title, "the title goes on");
    assert_eq!(alerts.next_due(), Some(end));
    let left = board(&[("t-2", "b"), ("t-3", "c")]);
    assert_eq!(quiet(&mut alerts, 89_999, &left), []);
    assert_eq!(
        notices(&mut alerts, 90_000, &left),
        ["2 need you: t-2 permission, t-3 permission"]
    );
    assert_eq!(notices(&mut alerts, 99_000, &left), NONE, "once");
    quiet(&mut alerts, 200_000, &board(&[("t-4", "d")]));
    alerts.set_focused(true);
    assert_eq!(alerts.next_due(), None, "the person has looked");
}

#[test]
fn the_end_of_a_run_is_sent() {
    let run = |run| {
        let batch = dbs::domain::batch::Batch {
            id: "main".into(),
            title: String::new(),
            goal: String::new(),
            base: None,
            needs: std::collections::BTreeSet::default(),
            go_ahead: None,
            run,
            base_moves: None,
            owed: None,
            job: None,
            options: dbs::domain::RunOptions::default(),
            since: Timestamp(1),
        };
        ReadModel {
            batches: [(batch.id.clone(), Arc::new(batch))].into(),
            ..ReadModel::default()
        }
    };
    let mut alerts = TerminalAlerts::new(RULES);
    alerts.set_focused(false);
    assert_eq!(
        notices(&mut alerts, 1, &run(RunState::Completed)),
        NONE,
        "no news"
    );
    assert_eq!(notices(&mut alerts, 2, &run(RunState::Running)), NONE);
    let sent = notices(&mut alerts, 3, &run(RunState::Completed));
    assert_eq!(sent, ["batch main: all done"]);
    assert_eq!(notices(&mut alerts, 9_000, &run(RunState::Running)), NONE);
    let stalled = run(RunState::Stalled);
    assert_eq!(notices(&mut alerts, 10_000, &stalled), ["batch main: stalled"]);
    assert_eq!(notices(&mut alerts, 20_000, &run(RunState::Running)), NONE);
    let mut why = board(&[("t-1", "a")]);
    why.batches = stalled.batches;
    assert_eq!(
        notices(&mut alerts, 21_000, &why),
        ["needs you: t-1 permission: a"],
        "the waiting ask is why the batch is stalled"
    );
}

#[test]
fn the_title_counts_is_clean_and_is_sent_when_it_changes() {
    let mut alerts = TerminalAlerts::new(RULES);
    let title = |calls: Vec<TerminalUpdate>| match calls.as_slice() {
        [TerminalUpdate::Title(title)] => Some(title.clone()),
        _ => None,
    };
    let project = "sh\u{1b}]0;op\u{7}";
    let first = title(alerts.update(Timestamp(1), None, &board(&[]), project));
    assert_eq!(first.as_deref(), Some("sh\\x1b]0;op\\x07 – dbs"));
    assert_eq!(alerts.update(Timestamp(2), None, &board(&[]), project), []);
    let two = board(&[("t-1", "a"), ("t-2", "b")]);
    let second = title(alerts.update(Timestamp(3), None, &two, "shop"));
    assert_eq!(second.as_deref(), Some("2 need you · shop – dbs"));
    alerts.set_rules(AlertRules {
        glyphs: Glyphs::Ascii,
        ..RULES
    });
    let third = title(alerts.update(Timestamp(4), None, &two, "shop"));
    assert_eq!(third.as_deref(), Some("2 need you - shop - dbs"));
}

/// Progress of a board as the terminal shows it.
fn progress_of(board: &ReadModel) -> WorkProgress {
    let mut alerts = TerminalAlerts::new(AlertRules {
        title: false,
        ..RULES
    });
    match alerts.update(Timestamp(1), None, board, "shop").pop() {
        Some(TerminalUpdate::Progress(progress)) => progress,
        _ => WorkProgress::Idle,
    }
}

fn task(id: &str, state: TaskState, (made, since): (u64, u64)) -> Task {
    Task {
        state,
        since: Timestamp(since),
        ..Task::planned(Timestamp(made), &TaskDraft::new(id, ""), "development".into())
    }
}

fn model(tasks: Vec<Task>) -> ReadModel {
    ReadModel {
        tasks: tasks
            .into_iter()
            .map(|task| (task.id.clone(), Arc::new(task)))
            .collect(),
        ..ReadModel::default()
    }
}

#[test]
fn what_ended_before_the_work_under_way_was_made_and_what_nobody_works_on_does_not_count() {
    let mut board = model(vec![
        task("old", TaskState::Done, (1, 99)),
        task("a", TaskState::Active, (100, 300)),
        task("b", TaskState::Released, (150, 150)),
        task("c", TaskState::Done, (120, 200)),
        task("later", TaskState::Backlog, (1, 1)),
        task("parked", TaskState::Parked(String::new()), (1, 1)),
    ]);
    assert_eq!(progress_of(&board), WorkProgress::Working(33));
    board.attention.push(AttentionItem {
        task: "a".into(),
        attempt: None,
        kind: AttentionKind::Permission,
        text: String::new(),
        since: Timestamp(1),
        ask: None,
    });
    assert_eq!(progress_of(&board), WorkProgress::Waiting(33));
    board.attention.clear();
    board.pause = Some(PauseReason::Operator {
        by: "ann".to_owned(),
        at: Timestamp(1),
    });
    assert_eq!(progress_of(&board), WorkProgress::Waiting(33));
}

#[test]
fn without_anything_under_way_nothing_is_shown() {
    assert_eq!(progress_of(&ReadModel::default()), WorkProgress::Idle);
    let over = model(vec![
        task("a", TaskState::Done, (1, 2)),
        task("b", TaskState::Failed(String::new()), (1, 2)),
        task("c", TaskState::Backlog, (1, 2)),
    ]);
    assert_eq!(progress_of(&over), WorkProgress::Idle);
}

#[test]
fn progress_is_sent_when_it_changes_repeated_and_removed_when_switched_off() {
    let rules = |progress| AlertRules {
        programs: ProgramCalls::All,
        when: AlertWhen::Away,
        events: AlertEvents::Needs,
        min_interval: Span(5_000),
        title: false,
        progress,
        glyphs: Glyphs::Unicode,
    };
    let mut alerts = TerminalAlerts::new(rules(true));
    assert_eq!(
        alerts.update(Timestamp(1), None, &model(Vec::new()), "shop"),
        [],
        "nothing to show"
    );
    let board = model(vec![task("a", TaskState::Active, (100, 300))]);
    let working = [TerminalUpdate::Progress(WorkProgress::Working(0))];
    assert_eq!(alerts.update(Timestamp(10), None, &board, "shop"), working);
    assert_eq!(alerts.update(Timestamp(20), None, &board, "shop"), []);
    assert_eq!(alerts.next_due(), Some(Timestamp(10_010)));
    assert_eq!(alerts.update(Timestamp(10_010), None, &board, "shop"), working);
    assert_eq!(alerts.update(Timestamp(10), None, &board, "shop"), []);
    let again = Some(Timestamp(10_010));
    assert_eq!(alerts.next_due(), again, "the clock was set back");
    alerts.set_rules(rules(false));
    let gone = [TerminalUpdate::Progress(WorkProgress::Idle)];
    assert_eq!(alerts.update(Timestamp(10_020), None, &board, "shop"), gone);
    assert_eq!(alerts.update(Timestamp(30_000), None, &board, "shop"), []);
    assert_eq!(alerts.next_due(), None);
}

#[test]
fn a_program_in_a_pane_calls_who_looks_elsewhere_by_the_name_of_its_pane_and_as_it_is_set() {
    let words = ProgramCall::Words("needs you: t-9 approve".to_owned());
    let told = |programs: ProgramCalls, away: bool, call: &ProgramCall| {
        let mut alerts = TerminalAlerts::new(AlertRules { programs, ..RULES });
        alerts.set_focused(!away);
        alerts.update(Timestamp(1), None, &board(&[]), "shop");
        for _ in 0..50 {
            alerts.add_call("shell 3", call);
        }
        notices(&mut alerts, 9_000, &board(&[]))
    };
    assert_eq!(
        told(ProgramCalls::All, true, &words),
        ["shell 3 says: needs you: t-9 approve"]
    );
    assert_eq!(
        told(ProgramCalls::All, true, &ProgramCall::Bell),
        ["shell 3 rang the bell"]
    );
    assert_eq!(
        told(ProgramCalls::All, false, &words),
        NONE,
        "the terminal has the focus"
    );
    assert_eq!(told(ProgramCalls::Words, true, &words).len(), 1);
    assert_eq!(told(ProgramCalls::Words, true, &ProgramCall::Bell), NONE);
    assert_eq!(told(ProgramCalls::None, true, &words), NONE);
}

#[test]
fn calls_of_programs_come_together_with_what_needs_somebody_and_not_more_often() {
    let mut alerts = TerminalAlerts::new(RULES);
    alerts.set_focused(false);
    alerts.update(Timestamp(1), None, &board(&[]), "shop");
    alerts.add_call("shell 1", &ProgramCall::Bell);
    assert_eq!(notices(&mut alerts, 10, &board(&[])), ["shell 1 rang the bell"]);
    alerts.add_call("shell 2", &ProgramCall::Bell);
    let asks = board(&[("t-1", "a")]);
    assert_eq!(notices(&mut alerts, 20, &asks), NONE, "soon after the first");
    assert_eq!(
        notices(&mut alerts, 5_020, &asks),
        ["needs you: t-1 permission: a, shell 2 rang the bell"]
    );
}

/// P24, P26.
#[test]
fn who_wants_it_is_told_of_each_task_that_is_done_or_tried_again_and_of_nothing_from_before() {
    let tried = |tries: u32| {
        let mut tried = task("b", TaskState::Active, (1, 2));
        tried.work_tries = [("work".into(), tries)].into();
        tried
    };
    let first = model(vec![
        task("a", TaskState::Active, (1, 2)),
        tried(2),
        task("c", TaskState::Done, (1, 2)),
    ]);
    let later = model(vec![
        task("a", TaskState::Done, (1, 2)),
        tried(3),
        task("c", TaskState::Done, (1, 2)),
    ]);
    for (events, wanted) in [
        (AlertEvents::Needs, ""),
        (AlertEvents::Done, "a is done"),
        (AlertEvents::All, "a is done, b is tried again, try 3"),
    ] {
        let mut alerts = TerminalAlerts::new(AlertRules { events, ..RULES });
        alerts.set_focused(false);
        assert_eq!(
            notices(&mut alerts, 1, &first),
            NONE,
            "the first board sends nothing"
        );
        assert_eq!(notices(&mut alerts, 2, &later).concat(), wanted, "{events:?}");
        assert_eq!(notices(&mut alerts, 9_000, &later), NONE, "once");
    }
}
