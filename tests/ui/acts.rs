//! Actions on tasks: undo, several tasks at once, confirmation where an action cannot be undone; forms, the editor, labels.

use std::sync::Arc;

use dbs::domain::attempt::{Obstacle, WorkspaceState};
use dbs::domain::{AttemptId, Command, Span, TaskId, TaskPatch, TroubleKind};
use dbs::read_model::ReadModel;
use dbs::ui::{NewTask, PlanQuestion, ProgramInput, ScreenId, UiInput, UiRequest};

use crate::fixture::{Dashboard, allow};

fn retry(task: &str) -> UiRequest {
    UiRequest::Command(Command::Retry {
        task: task.into(),
        stage: None,
        note: None,
    })
}

fn skip(task: &str) -> UiRequest {
    UiRequest::Command(Command::Skip(task.into()))
}

fn undo(task: &str) -> UiRequest {
    UiRequest::Command(Command::Undo(vec![task.into()]))
}

/// Skips a task that no agent works on.
fn skip_waiting(dashboard: &mut Dashboard, task: &str) -> Vec<UiRequest> {
    dashboard.press(":");
    dashboard.input(UiInput::Paste(format!("skip {task}")));
    dashboard.press("Enter")
}

#[test]
fn a_skip_is_undone_for_ten_seconds_and_can_be_redone() {
    let mut dashboard = Dashboard::full((120, 40));
    assert_eq!(skip_waiting(&mut dashboard, "dbs-15"), [skip("dbs-15")]);
    assert!(
        dashboard.text().contains("undo: skipped dbs-15"),
        "{}",
        dashboard.text()
    );
    assert_eq!(dashboard.press("u"), [undo("dbs-15")]);
    assert_eq!(dashboard.press("C-r"), [skip("dbs-15")]);
    dashboard.now = dashboard.now + Span::seconds(11);
    assert_eq!(dashboard.press("u"), []);
    assert!(dashboard.text().contains("nothing to undo"));
}

#[test]
fn what_the_board_refused_is_not_undone() {
    let mut dashboard = Dashboard::full((120, 40));
    skip_waiting(&mut dashboard, "dbs-15");
    dashboard.state.drop_refused(&Command::Skip("dbs-15".into()));
    assert_eq!(dashboard.press("u"), []);
}

#[test]
fn a_task_of_the_backlog_comes_back_into_the_backlog() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press(":");
    dashboard.input(UiInput::Paste("release dbs-20".to_owned()));
    assert_eq!(
        dashboard.press("Enter"),
        [UiRequest::Command(Command::Release(vec!["dbs-20".into()]))]
    );
    assert_eq!(dashboard.press("u"), [undo("dbs-20")]);
}

#[test]
fn a_task_moved_back_to_the_backlog_is_released_again() {
    let mut dashboard = Dashboard::full((120, 40));
    for task in ["dbs-15", "dbs-19"] {
        dashboard.press(":");
        dashboard.input(UiInput::Paste(format!("to backlog {task}")));
        let withdrawn = UiRequest::Command(Command::Withdraw(task.into()));
        assert_eq!(dashboard.press("Enter"), [withdrawn]);
        assert_eq!(dashboard.press("u"), [undo(task)]);
    }
}

#[test]
fn a_priority_is_changed_by_key_and_undone() {
    let mut dashboard = Dashboard::full((120, 40));
    let to = |priority| {
        let patch = TaskPatch {
            priority: Some(priority),
            ..TaskPatch::default()
        };
        UiRequest::Command(Command::Update("dbs-4".into(), patch))
    };
    assert_eq!(dashboard.press("-"), [to(1)]);
    assert_eq!(dashboard.press("u"), [to(0)]);
    assert_eq!(dashboard.press("+"), []);
}

#[test]
fn a_pane_that_was_closed_comes_back() {
    let mut dashboard = Dashboard::full((200, 60));
    let before = dashboard.frame().1.panes;
    dashboard.press("C-b x");
    assert_ne!(dashboard.frame().1.panes, before);
    dashboard.press("u");
    assert_eq!(dashboard.frame().1.panes, before);
}

#[test]
fn marked_tasks_are_acted_on_together_and_undone_together() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("v Space");
    assert!(dashboard.text().contains("2 marked"), "{}", dashboard.text());
    assert_eq!(dashboard.press("-").len(), 2);
    assert!(!dashboard.text().contains("2 marked"));
    assert_eq!(dashboard.press("u").len(), 2);
}

#[test]
fn escape_forgets_marks_and_undo_brings_them_back() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("v");
    assert!(dashboard.text().contains("1 marked"));
    dashboard.press("u");
    assert!(!dashboard.text().contains("1 marked"));
    dashboard.press("v Esc");
    assert!(!dashboard.text().contains("1 marked"));
}

#[test]
fn stopping_several_agents_names_every_one_and_no_is_the_default() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("v v v x");
    let text = dashboard.text();
    assert!(text.contains("agents?") && text.contains("dbs-4"), "{text}");
    assert_eq!(dashboard.press("Enter"), []);
    assert_eq!(dashboard.mode(), "NAV");
}

#[test]
fn closing_a_task_with_work_needs_the_word_and_says_where_the_work_is_kept() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("X");
    let text = dashboard.text();
    assert!(
        text.contains("refs/dbs/attic/dbs-4/") && text.contains("dbs-4"),
        "{text}"
    );
    assert_eq!(dashboard.press("t o o Space b i g Enter"), []);
    assert!(dashboard.text().contains("must begin with the word discard"));
    dashboard.press("C-u");
    dashboard.input(UiInput::Paste("discard too big".to_owned()));
    assert_eq!(
        dashboard.press("Enter"),
        [UiRequest::Command(Command::Close(
            "dbs-4".into(),
            "too big".to_owned()
        ))]
    );
}

#[test]
fn a_task_that_is_over_is_retried_where_its_workspace_could_not_be_removed() {
    let mut dashboard = Dashboard::full((120, 40));
    let retry_it = |dashboard: &mut Dashboard, verb: &str| {
        dashboard.press(":");
        dashboard.input(UiInput::Paste(format!("{verb} dbs-1")));
        dashboard.press("Enter")
    };
    assert_eq!(retry_it(&mut dashboard, "retry"), []);
    dashboard.press("Esc Esc");
    let attempt = dashboard.board.attempts.values_mut().next().expect("an attempt");
    let attempt = Arc::make_mut(attempt);
    attempt.task = "dbs-1".into();
    attempt.workspace = WorkspaceState::Leaving;
    attempt.deadline = None;
    attempt.obstacle = Some(Obstacle {
        tries: 12,
        why: TroubleKind::Disk.cause("could not remove it".to_owned()),
    });
    dashboard.model = ReadModel::of(&dashboard.board, dashboard.now);
    assert_eq!(retry_it(&mut dashboard, "retry"), [retry("dbs-1")]);
    assert_eq!(retry_it(&mut dashboard, "retry with note"), []);
    assert!(!dashboard.mode().contains("Prompt"), "{}", dashboard.mode());
}

#[test]
fn a_retry_may_carry_a_note() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press(":");
    dashboard.input(UiInput::Paste("retry with note dbs-17".to_owned()));
    dashboard.press("Enter");
    dashboard.input(UiInput::Paste("mind the dates".to_owned()));
    let note = Command::Retry {
        task: "dbs-17".into(),
        stage: None,
        note: Some("mind the dates".to_owned()),
    };
    assert_eq!(dashboard.press("Enter"), [UiRequest::Command(note)]);
}

#[test]
fn an_answer_shows_what_was_asked() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press(":");
    dashboard.input(UiInput::Paste("answer dbs-12".to_owned()));
    dashboard.press("Enter");
    assert!(
        dashboard.text().contains("dbs-12 asks: keep the old"),
        "{}",
        dashboard.text()
    );
    dashboard.input(UiInput::Paste("yes".to_owned()));
    assert_eq!(
        dashboard.press("Enter"),
        [UiRequest::Command(Command::Answer(
            "dbs-12".into(),
            "yes".to_owned()
        ))]
    );
}

#[test]
fn the_form_makes_a_task_of_every_field() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("n");
    dashboard.input(UiInput::Paste("Fix it".to_owned()));
    dashboard.press("Tab");
    dashboard.input(UiInput::Paste("all of it".to_owned()));
    dashboard.press("Tab");
    dashboard.input(UiInput::Paste("mine, secu".to_owned()));
    assert!(
        dashboard.text().contains("Right take  security"),
        "{}",
        dashboard.text()
    );
    dashboard.press("Right Tab");
    dashboard.input(UiInput::Paste("dbs-9 nothing".to_owned()));
    assert_eq!(dashboard.press("Enter"), [], "an unknown task is refused");
    assert!(
        dashboard.text().contains("there is no task nothing"),
        "{}",
        dashboard.text()
    );
    for _ in 0.."nothing".len() {
        dashboard.press("Backspace");
    }
    // Found by a word of its title.
    dashboard.input(UiInput::Paste("typing".to_owned()));
    assert!(
        dashboard.text().contains("Right take  dbs-13"),
        "{}",
        dashboard.text()
    );
    dashboard.press("Right");
    let sent = dashboard.press("Tab Right Tab Tab Left Tab Right Enter");
    let task = NewTask {
        title: "Fix it".to_owned(),
        body: "all of it".to_owned(),
        tags: ["mine".to_owned(), "security".to_owned()].into(),
        deps: ["dbs-13".into(), "dbs-9".into()].into(),
        kind: dbs::domain::task::TaskKind::Bug,
        workflow: Some("kanban".into()),
        priority: 1,
        release: true,
    };
    assert_eq!(sent, [UiRequest::NewTask(Box::new(task))]);
    assert_eq!(dashboard.mode(), "NAV");
}

#[test]
fn a_task_is_edited_in_the_editor_and_only_what_changed_is_sent() {
    let mut dashboard = Dashboard::full((120, 40));
    let sent = dashboard.press("e");
    let [UiRequest::OpenEditor(text)] = sent.as_slice() else {
        panic!("{sent:?}")
    };
    assert!(text.starts_with("Login form posts the password once\n\nThe form posts"));
    let changed = text.replacen("once", "only once", 1);
    let patch = TaskPatch {
        title: Some("Login form posts the password only once".to_owned()),
        ..TaskPatch::default()
    };
    assert_eq!(
        dashboard.input(UiInput::Edited(Some(changed))),
        [UiRequest::Command(Command::Update("dbs-4".into(), patch))]
    );
    dashboard.press("e");
    assert_eq!(dashboard.input(UiInput::Edited(None)), []);
    assert!(dashboard.text().contains("nothing was changed"));
}

#[test]
fn the_body_in_the_form_can_be_written_in_the_editor() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("n a");
    assert_eq!(dashboard.press("C-e"), [UiRequest::OpenEditor(String::new())]);
    dashboard.input(UiInput::Edited(Some("one\ntwo\n".to_owned())));
    assert!(dashboard.text().contains("2 lines"), "{}", dashboard.text());
}

#[test]
fn labels_lead_to_what_they_stand_at() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("f");
    let text = dashboard.text();
    dashboard.press("Esc");
    assert_eq!(dashboard.mode(), "NAV");
    dashboard.press("f a");
    assert_ne!(dashboard.text(), text);
    assert_eq!(dashboard.mode(), "NAV");
}

#[test]
fn a_shell_is_opened_where_the_agent_works() {
    let mut dashboard = Dashboard::full((120, 40));
    let requests = dashboard.press("!");
    assert!(
        matches!(requests.as_slice(), [UiRequest::OpenShellIn(_, AttemptId(11))]),
        "{requests:?}"
    );
}

#[test]
fn where_no_agent_works_the_same_key_opens_a_shell_in_the_project_and_no_key_reaches_the_board() {
    let mut dashboard = Dashboard::empty((80, 24));
    let requests = dashboard.press("!");
    assert!(
        matches!(requests.as_slice(), [UiRequest::OpenShell(_)]),
        "{requests:?}"
    );
    assert_eq!(dashboard.press("q n P"), [], "held for the shell");
    assert_eq!(dashboard.mode(), "TYPE");
}

#[test]
fn a_long_paste_is_shown_before_a_program_gets_it() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("g i");
    let text = "line\n".repeat(9);
    assert_eq!(dashboard.input(UiInput::Paste(text.clone())), []);
    assert!(dashboard.text().contains("Paste 9 lines?"));
    let id = ScreenId::Attempt(AttemptId(11));
    assert_eq!(
        dashboard.press("y"),
        [UiRequest::SendInput(id, ProgramInput::Paste(text))]
    );
    assert_eq!(dashboard.mode(), "TYPE");
}

#[test]
fn what_there_is_to_copy_of_a_task_is_offered() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("y");
    assert!(dashboard.text().contains("feature/dbs-4"), "{}", dashboard.text());
    assert_eq!(
        dashboard.press("Enter"),
        [UiRequest::CopyToClipboard("dbs-4".to_owned())]
    );
    assert!(
        dashboard.text().contains("copied id `dbs-4` (by OSC 52"),
        "{}",
        dashboard.text()
    );
}

#[test]
fn the_key_that_copies_pressed_twice_copies_the_id_and_a_letter_copies_something_else() {
    let copied = |text: &str| [UiRequest::CopyToClipboard(text.to_owned())];
    let mut dashboard = Dashboard::full((120, 40));
    assert_eq!(dashboard.press("y y"), copied("dbs-4"));
    assert_eq!(dashboard.mode(), "NAV");
    assert_eq!(dashboard.press("y b"), copied("feature/dbs-4"));
    assert!(dashboard.text().contains("copied branch `feature/dbs-4`"));
    assert_eq!(dashboard.press("y p"), copied(".debussy-worktrees/11"));
    assert_eq!(dashboard.press("y c"), copied("dbs task show dbs-4"));
    assert_eq!(
        dashboard.press("y j y"),
        copied("Login form posts the password once")
    );
    assert_eq!(dashboard.press("y Esc"), []);
    dashboard.press("v v");
    assert_eq!(dashboard.press("y y"), copied("dbs-4 dbs-5"));
    dashboard.press("y t");
    assert!(dashboard.text().contains("copied 2 lines") || dashboard.text().contains("copied titles"));
}

#[test]
fn every_view_offers_what_its_marked_row_has_to_copy() {
    for (keys, text) in [
        ("W k y y", "the third crash; held until somebody acts"),
        ("C y y", "cargo test --all"),
        ("d y y", "README.md"),
        ("5 y y", "dbs-18"),
        ("2 y y", "dbs-4"),
    ] {
        let mut dashboard = Dashboard::full((120, 40));
        assert_eq!(
            dashboard.press(keys),
            [UiRequest::CopyToClipboard(text.to_owned())],
            "{keys}"
        );
    }
    let mut dashboard = Dashboard::empty((80, 24));
    assert_eq!(dashboard.press("3 y"), []);
    assert!(
        dashboard.text().contains("there is nothing here to copy"),
        "{}",
        dashboard.text()
    );
}

#[test]
fn merging_at_once_names_what_it_leaves_out_and_asks_first() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 g m");
    assert_eq!(dashboard.mode(), "ASK");
    let text = dashboard.text();
    assert!(
        text.contains("Merge dbs-4 now?") && text.contains("from Dev"),
        "{text}"
    );
    assert_eq!(dashboard.press("Enter"), [], "without the word the answer is no");
    let patch = TaskPatch {
        stage: Some("merging".into()),
        ..TaskPatch::default()
    };
    let moved = Command::Update("dbs-4".into(), patch);
    assert_eq!(dashboard.press("m y"), [UiRequest::Command(moved)]);
}

#[test]
fn merging_at_once_is_refused_where_there_is_nothing_to_merge() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press(":");
    dashboard.input(UiInput::Paste("merge now dbs-11".to_owned()));
    assert_eq!(dashboard.press("Enter"), []);
    assert!(
        dashboard.text().contains("it stands there already"),
        "{}",
        dashboard.text()
    );
    dashboard.change("dbs-20", |task| task.spawns = 0);
    dashboard.press(":");
    dashboard.input(UiInput::Paste("merge now dbs-20".to_owned()));
    assert_eq!(dashboard.press("Enter"), []);
    assert!(dashboard.text().contains("no agent has worked on it yet"));
}

#[test]
fn what_a_terminal_has_shown_opens_in_the_editor_and_is_changed_nowhere() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 g Enter");
    let requests = dashboard.press("C-b e");
    let [UiRequest::OpenEditor(text)] = requests.as_slice() else {
        unreachable!("{requests:?}")
    };
    assert!(text.contains("I will look at the login form first."), "{text}");
    assert_eq!(dashboard.input(UiInput::Edited(Some("changed".to_owned()))), []);
    dashboard.press("C-b [ g");
    assert_eq!(
        dashboard.press("v 2 l C-b e"),
        [UiRequest::OpenEditor("● I".to_owned())],
        "only the selected text is opened"
    );
}

/// A client of a board with that many more tasks, all of them worked on before and all marked.
fn all_marked(size: (u16, u16)) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    let like = dashboard
        .board
        .tasks
        .get(&TaskId::from("dbs-17"))
        .expect("task")
        .clone();
    for n in 0..30 {
        let mut task = like.as_ref().clone();
        task.id = format!("bulk-{n}").as_str().into();
        task.title = format!("Task number {n}");
        dashboard.board.tasks.insert(task.id.clone(), Arc::new(task));
    }
    dashboard.model = ReadModel::of(&dashboard.board, dashboard.now);
    dashboard.press("3 / b u l k Enter g");
    for _ in 0..30 {
        dashboard.press("v");
    }
    assert!(dashboard.text().contains("30 marked"), "{}", dashboard.text());
    dashboard
}

#[test]
fn of_many_the_first_twenty_are_named_and_the_others_counted_by_state() {
    let mut dashboard = all_marked((200, 60));
    dashboard.press("X");
    let text = dashboard.text();
    assert_eq!(text.matches("  (held)").count(), 20, "{text}");
    assert!(text.contains("  and 10 held"), "{text}");
}

#[test]
fn what_is_asked_can_be_read_and_answered_however_small_the_terminal_is() {
    for size in [(60, 15), (80, 24)] {
        let mut dashboard = all_marked(size);
        dashboard.press("X");
        let text = dashboard.text();
        assert!(
            text.contains("Write discard, and the reason") && text.contains("lines, Up"),
            "{text}"
        );
        dashboard.press("Up ".repeat(40).trim_end());
        let text = dashboard.text();
        assert!(
            text.contains("lines, Down") && !text.contains("lines, Up"),
            "{text}"
        );
        dashboard.press("Esc m");
        let text = dashboard.text();
        assert!(
            text.contains("Merge 30 tasks now?")
                && text.contains("y merge   n no")
                && text.contains("lines, j"),
            "{text}"
        );
        dashboard.press("G");
        let text = dashboard.text();
        assert!(text.contains("checks.") && !text.contains("lines, j"), "{text}");
        assert!(text.contains("y merge   n no"), "{text}");
        dashboard.press("k k k");
        assert!(dashboard.text().contains("lines, j"), "{}", dashboard.text());
        assert_eq!(dashboard.press("y").len(), 30);
    }
}

#[test]
fn a_reason_for_several_tasks_names_them() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 : @ d b s - 8 Enter v v k b");
    let text = dashboard.text();
    assert!(text.contains("Send 2 tasks back, because"), "{text}");
    assert!(text.contains("dbs-9  Audit log of every change"), "{text}");
}

#[test]
fn closing_a_tab_names_the_agents_at_work_in_it() {
    let mut dashboard = Dashboard::full((200, 60));
    dashboard.press("2 C-b &");
    let text = dashboard.text();
    assert!(
        text.contains("At work, and going on:") && text.contains("developer-ravel"),
        "{text}"
    );
    assert_eq!(dashboard.press("Enter"), [], "without the word the answer is no");
}

#[test]
fn a_yes_is_not_typed_into_a_question_that_nobody_can_have_read() {
    let id = AttemptId(13);
    let ask = |dashboard: &mut Dashboard| {
        let attempt = dashboard.board.attempts.get_mut(&id).expect("attempt");
        let attempt = Arc::make_mut(attempt);
        attempt.activity.since = dashboard.now;
        attempt.asks[0].since = dashboard.now;
        dashboard.model = ReadModel::of(&dashboard.board, dashboard.now);
    };
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press(":");
    dashboard.input(UiInput::Paste("@dbs-7".to_owned()));
    dashboard.press("Enter");
    ask(&mut dashboard);
    dashboard.now = dashboard.now + Span(399);
    assert_eq!(dashboard.press("a"), []);
    assert_eq!(dashboard.mode(), "LOOK");
    assert!(
        dashboard.text().contains("Do you want to proceed?"),
        "{}",
        dashboard.text()
    );
    dashboard.now = dashboard.now + Span(1);
    let wanted = [UiRequest::Command(allow(id.0, "npm run migrate"))];
    assert_eq!(dashboard.press("a"), wanted);
}

#[test]
fn every_action_that_can_be_undone_is_never_asked_about() {
    for (keys, back) in [
        ("3 g -", 1),
        ("1 G k p", 1),
        ("3 g v", 0),
        ("3 C-b , x Enter", 0),
        ("1 C-b x", 0),
    ] {
        let mut dashboard = Dashboard::classic((120, 40));
        dashboard.press(keys);
        assert_eq!(dashboard.mode(), "NAV", "{keys}\n{}", dashboard.text());
        assert!(
            dashboard.text().contains(" undo: "),
            "{keys}\n{}",
            dashboard.text()
        );
        assert_eq!(dashboard.press("u").len(), back, "{keys}");
        assert!(
            ["undone: ", "undoing: "]
                .iter()
                .any(|said| dashboard.text().contains(said)),
            "{keys}\n{}",
            dashboard.text()
        );
    }
}

#[test]
fn a_session_is_given_another_name_and_the_old_one_back() {
    let mut dashboard = Dashboard::full((120, 40));
    let named = |name: &str| UiRequest::RenameSession(name.to_owned());
    dashboard.press("C-b $");
    let text = dashboard.text();
    assert!(text.contains("New name of this session"), "{text}");
    dashboard.press("C-u");
    dashboard.input(UiInput::Paste(" till ".to_owned()));
    assert_eq!(dashboard.press("Enter"), [named("till")]);
    dashboard.session.project = "till".to_owned();
    assert!(
        dashboard.text().contains("renamed the session"),
        "{}",
        dashboard.text()
    );
    assert_eq!(dashboard.press("u"), [named("shop")]);
    dashboard.session.project = "shop".to_owned();
    assert_eq!(dashboard.press("C-r"), [named("till")]);
    dashboard.session.project = "till".to_owned();
    dashboard.press("C-b $");
    assert_eq!(dashboard.press("Enter"), [], "the label is unchanged");
}

#[test]
fn undo_says_what_cannot_be_undone_and_undoes_nothing_older() {
    for (keys, said) in [
        ("5 g j j a", "cannot be undone: approved dbs-16"),
        ("5 g j j j a", "cannot be undone: allowed dbs-7: npm run migrate"),
        ("3 g x y", "cannot be undone: stopped the agent"),
        ("3 g c h i Enter", "cannot be undone: wrote on dbs-4"),
        ("1 C-b & y", "cannot be undone: closed the tab"),
    ] {
        let mut dashboard = Dashboard::full((120, 40));
        skip_waiting(&mut dashboard, "dbs-15");
        assert!(
            dashboard.text().contains("undo: skipped dbs-15"),
            "{}",
            dashboard.text()
        );
        assert!(!dashboard.press(keys).is_empty() || keys.contains('&'), "{keys}");
        assert!(
            !dashboard.text().contains(" undo: "),
            "{keys}\n{}",
            dashboard.text()
        );
        assert_eq!(dashboard.press("u"), [], "{keys}");
        assert!(dashboard.text().contains(said), "{keys}\n{}", dashboard.text());
        // After this refusal the earlier action is offered again.
        assert!(
            dashboard.text().contains("undo: skipped dbs-15"),
            "{keys}\n{}",
            dashboard.text()
        );
        assert_eq!(dashboard.press("u").len(), 1, "{keys}");
    }
}

#[test]
fn a_yes_held_with_another_key_is_no_yes() {
    for key in ["C-y", "A-y"] {
        let mut dashboard = Dashboard::full((120, 40));
        dashboard.press("x");
        assert_eq!(dashboard.press(key), [], "{key}");
        assert_eq!(dashboard.mode(), "ASK", "{key}");
    }
}

#[test]
fn a_paste_has_as_many_lines_as_it_shows_however_its_terminal_ends_them() {
    let id = ScreenId::Attempt(AttemptId(11));
    for end in ["\n", "\r", "\r\n"] {
        let text = ["a", "b", "c", "d", "e", "f", "g"].join(end);
        let mut dashboard = Dashboard::full((120, 40));
        dashboard.press("g i");
        assert_eq!(dashboard.input(UiInput::Paste(text.clone())), [], "{end:?}");
        let shown = dashboard.text();
        assert!(
            shown.contains("Paste 7 lines?") && shown.contains("and 2 more lines"),
            "{shown}"
        );
        // The program gets the paste exactly as the terminal sent it.
        assert_eq!(
            dashboard.press("y"),
            [UiRequest::SendInput(id, ProgramInput::Paste(text))],
            "{end:?}"
        );
        let mut dashboard = Dashboard::full((120, 40));
        dashboard.press("n t Tab");
        dashboard.input(UiInput::Paste(["one", "two"].join(end)));
        let sent = dashboard.press("Tab Enter");
        assert!(
            matches!(sent.as_slice(), [UiRequest::NewTask(task)] if task.body == "one\ntwo"),
            "{end:?}: {sent:?}\n{}",
            dashboard.text()
        );
    }
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("g i");
    assert_eq!(dashboard.input(UiInput::Paste("x".repeat(5 * 1024 * 1024))), []);
    assert!(
        dashboard.text().contains("too long to be pasted"),
        "{}",
        dashboard.text()
    );
}

#[test]
fn undo_is_not_offered_of_a_skip_that_stops_an_agent() {
    let mut dashboard = Dashboard::full((120, 40));
    let skipped = skip_waiting(&mut dashboard, "dbs-4");
    let skipped = if skipped.is_empty() {
        dashboard.press("y")
    } else {
        skipped
    };
    assert_eq!(skipped, [skip("dbs-4")]);
    assert!(!dashboard.text().contains("undo: "), "{}", dashboard.text());
    assert_eq!(dashboard.press("u"), []);
    assert!(
        dashboard.text().contains("cannot be undone: skipped dbs-4"),
        "{}",
        dashboard.text()
    );
}

#[test]
fn a_plan_is_shown_and_carried_out_after_a_yes_and_one_is_made_for_a_goal() {
    let mut dashboard = Dashboard::full((120, 40));
    assert_eq!(
        dashboard.press("@ Enter"),
        [UiRequest::ReadPlan(".design/plan.json".to_owned())]
    );
    let asked = || PlanQuestion {
        title: "Invoice export".to_owned(),
        lines: vec!["gate criterion-1: make test".to_owned()],
        commands: vec![Command::Release(vec!["export-0".into()])],
    };
    dashboard.state.ask_about_plan(asked());
    let text = dashboard.text();
    assert!(
        text.contains("Carry out Invoice export?") && text.contains("make test"),
        "{text}"
    );
    assert_eq!(dashboard.press("n"), [], "no is the answer");
    dashboard.state.ask_about_plan(asked());
    let all = Command::All(asked().commands);
    assert_eq!(dashboard.press("y"), [UiRequest::Command(all)]);
    assert_eq!(
        dashboard.press("* g o Enter"),
        [UiRequest::Design("go".to_owned())]
    );
}
