//! Every empty, failed and degraded state (A9): its words, the same at every size.

use std::sync::Arc;

use dbs::domain::attempt::Verdict;
use dbs::domain::{
    AttemptId, AttemptState, AttemptUsage, Cause, Command, ContextFill, Cost, FailureClass, NoticeLevel,
    Span, Spending, TaskState, Usage, WaitReason,
};
use dbs::read_model::{CheckResult, CheckRun, ReadModel, Trouble, TroubleKind};
use dbs::ui::{CacheEntry, CacheKey, CheckPhase, DetectedPrograms, SessionKind, UiRequest, ViewCache};

use unicode_width::UnicodeWidthStr;

use crate::fixture::{Dashboard, NOW};
use crate::snapshots::{self, SIZES};

fn check(name: &str, dashboard: &Dashboard) {
    snapshots::check(&format!("state_{name}"), dashboard);
}

/// Asserts the words of the question of the first start, wherever its lines break.
#[track_caller]
fn asks(dashboard: &Dashboard, words: &str) {
    assert_eq!(dashboard.words("First start, "), format!("First start, {words}"));
    assert_eq!(dashboard.last_row(), " ASK   Enter accept  Esc skip the rest");
}

fn first_look() -> DetectedPrograms {
    let found = |name: &str, place: Option<&str>| (name.to_owned(), place.map(str::to_owned));
    DetectedPrograms {
        programs: vec![
            found("claude", Some("/home/ann/.local/bin/claude")),
            found("codex", None),
            found("gemini", Some("/usr/bin/gemini")),
            found("opencode", None),
            found("aider", None),
        ],
        path: "/home/ann/.local/bin:/usr/local/bin:/usr/bin:/bin".to_owned(),
        multiplexer: Some("tmux".to_owned()),
        base: Some(("main".to_owned(), "origin's HEAD".to_owned())),
        is_base_set: false,
    }
}

#[test]
fn a_base_branch_that_is_set_is_not_asked_for() {
    let mut dashboard = Dashboard::empty((120, 40));
    dashboard.state.show_welcome(DetectedPrograms {
        is_base_set: true,
        ..first_look()
    });
    assert!(
        dashboard.text().contains("First start, 1 of 4"),
        "{}",
        dashboard.text()
    );
    dashboard.press("Enter");
    let text = dashboard.text();
    assert!(
        text.contains("First start, 2 of 4") && text.contains("One key stays with dbs"),
        "{text}"
    );
}

/// The first question, where two agents are found.
const WHICH_AGENT: &str = "1 of 5 Which agent does the work? An agent runs as you and can do what you can, unless its own settings, a sandbox or \
    another account limit it. ✓ claude /home/ann/.local/bin/claude ✓ gemini /usr/bin/gemini Not found: codex, opencode, \
    aider. Looked in /home/ann/.local/bin:/usr/local/bin:/usr/bin:/bin claude gemini a command of my own none yet, I only \
    look around";

#[test]
fn who_comes_first_is_asked_four_things_and_offered_the_demo() {
    for size in SIZES {
        let mut dashboard = Dashboard::empty(size);
        dashboard.state.show_welcome(first_look());
        if size.0 <= 80 {
            check("first_agent", &dashboard);
        }
        asks(&dashboard, WHICH_AGENT);
        dashboard.press("j j Enter");
        asks(
            &dashboard,
            "1 of 5 With which command line? {task} {title} {body} {branch} {base} {role} {finding} are filled in. It says how it \
             went by `dbs signal`.",
        );
        dashboard.state.show_welcome(first_look());
        dashboard.press("Enter");
        asks(
            &dashboard,
            "2 of 5 Which branch do tasks start from, and is what is done merged into? A branch that the remote has, if \
             there is one. The engine merges into it; your checkout stays as it is. main (origin's HEAD) a branch that I name none yet: no task \
             starts without one",
        );
        dashboard.press("Enter C-a");
        if size == (80, 24) {
            check("first_prefix", &dashboard);
        }
        asks(
            &dashboard,
            "3 of 5 One key stays with dbs while you type to an agent. It is C-b. Press it to see that it arrives, or another that \
             you want instead. This terminal is in tmux, which may keep C-b for itself: use C-a. ✓ C-a arrives.",
        );
        dashboard.press("Enter j");
        asks(
            &dashboard,
            "4 of 5 May your terminal notify you when something needs you? With a notification and the bell, while you are \
             elsewhere. yes, when I look elsewhere never",
        );
        dashboard.press("Enter");
        asks(
            &dashboard,
            "5 of 5 Watch a demo? Scripted agents in a throw-away repository: one minute, no account, no network. Then you are back \
             here. yes, play it no, to the board",
        );
        let asked = dashboard.press("Enter");
        let answers = [
            ("roles.default.agent", "claude"),
            ("base_branch", "main"),
            ("keys.prefix", "ctrl-a"),
            ("notify.when", "never"),
        ];
        let answers = answers.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(
            asked,
            [UiRequest::SaveSettings(answers.to_vec()), UiRequest::PlayDemo]
        );
        assert_eq!(dashboard.mode(), "NAV");
    }
}

#[test]
fn that_the_base_branch_is_missing_is_said_only_when_the_questions_are_over() {
    let missing = "No base branch is set";
    for size in SIZES {
        let mut dashboard = Dashboard::empty(size);
        dashboard.press("3");
        assert!(dashboard.text().contains(missing), "{}", dashboard.text());
        dashboard.state.show_welcome(first_look());
        for keys in ["Enter", "j Enter", "Esc"] {
            let text = dashboard.text();
            assert!(!text.contains(missing), "{text}");
            dashboard.press(keys);
        }
        assert_eq!(dashboard.mode(), "NAV");
        assert!(dashboard.text().contains(missing), "{}", dashboard.text());
    }
}

#[test]
fn every_question_can_be_skipped_and_what_was_answered_is_kept() {
    let mut dashboard = Dashboard::empty((80, 24));
    dashboard.state.show_welcome(first_look());
    assert_eq!(dashboard.press("Esc"), [UiRequest::SaveSettings(Vec::new())]);
    dashboard.state.show_welcome(DetectedPrograms::default());
    dashboard.press("Enter m y Space t o o l Enter Enter t r u n k Enter");
    let kept = [("roles.default.command", "my tool"), ("base_branch", "trunk")];
    let kept = kept
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .to_vec();
    assert_eq!(dashboard.press("Esc"), [UiRequest::SaveSettings(kept)]);
    // A key with a fixed meaning cannot be the prefix, and the screen says so.
    dashboard.state.show_welcome(DetectedPrograms::default());
    dashboard.press("j Enter j Enter q Enter");
    assert!(
        dashboard.text().contains("q is needed as it is"),
        "{}",
        dashboard.text()
    );
    dashboard.press("C-d Enter");
    assert!(
        dashboard.text().contains("C-d means page down already"),
        "{}",
        dashboard.text()
    );
    dashboard.press("C-b Enter j Enter j");
    assert_eq!(
        dashboard.press("Enter"),
        [UiRequest::SaveSettings(vec![(
            "notify.when".to_owned(),
            "never".to_owned()
        )])]
    );
}

#[test]
fn another_prefix_is_proposed_only_where_ours_would_not_arrive() {
    for (outer, proposed) in [("tmux", true), ("zellij", true), ("screen", false)] {
        let mut dashboard = Dashboard::empty((120, 40));
        dashboard.state.show_welcome(DetectedPrograms {
            multiplexer: Some(outer.to_owned()),
            ..first_look()
        });
        dashboard.press("G Enter");
        while !dashboard.text().contains("One key stays with dbs") {
            dashboard.press("Enter");
        }
        let text = dashboard.text();
        assert_eq!(
            text.contains("may keep C-b for itself: use C-a"),
            proposed,
            "{outer}\n{text}"
        );
        assert!(text.contains(&format!("is in {outer}")), "{text}");
    }
}

#[test]
fn the_demo_is_not_played_in_a_demo() {
    let mut dashboard = Dashboard::empty((80, 24));
    assert_eq!(dashboard.press(": d e m o Enter"), [UiRequest::PlayDemo]);
    dashboard.session.kind = SessionKind::Rehearsal;
    assert_eq!(dashboard.press(": d e m o Enter"), []);
    assert!(dashboard.text().contains("scripted already"));
}

#[test]
fn where_nothing_is_planned_the_board_says_what_to_do() {
    for size in SIZES {
        let mut dashboard = Dashboard::empty(size);
        dashboard.press("3");
        assert_eq!(
            dashboard.words("Board"),
            "Board 0 tasks No tasks yet. n create a task ? help : demo watch scripted agents for a minute \
             No base branch is set, and agents need one: dbs config base_branch NAME",
            "{size:?}"
        );
    }
}

#[test]
fn a_filter_that_finds_nothing_says_how_it_is_cleared() {
    for size in SIZES {
        let mut dashboard = Dashboard::full(size);
        dashboard.press("3 / z z z Enter");
        let row = dashboard.rows_with("0 of 21 match `zzz`. Esc clears.");
        assert_eq!(row.len(), 1, "{}", dashboard.text());
        let title = "Board  21 tasks  onto feature/shop  /zzz 0 of 21";
        assert_eq!(dashboard.boxed("Board")[0], title);
        if size == (80, 24) {
            check("filter_finds_nothing", &dashboard);
        }
    }
}

/// A board on which all work is over: most tasks merged, some of them retried; one failed, one skipped, one cancelled.
fn all_over(size: (u16, u16)) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    let ids: Vec<String> = dashboard.board.tasks.keys().map(ToString::to_string).collect();
    for (nth, id) in ids.iter().enumerate() {
        dashboard.change(id, |task| {
            task.open_attempt = None;
            task.tries = [("development".into(), if nth < 3 { 2 } else { 1 })].into();
            if !task.state.is_terminal() {
                task.state = TaskState::Done;
            }
            if task.state == TaskState::Done {
                task.merged = Some(format!("{nth:02}f00dfeedbeef0123"));
            }
        });
    }
    dashboard.press("3");
    dashboard
}

#[test]
fn when_all_is_over_the_board_says_how_it_went_what_was_merged_and_what_is_worth_a_look() {
    for size in SIZES {
        let mut dashboard = all_over(size);
        let text = dashboard.text();
        for told in [
            "18 of 21 done, 1 failed, 1 skipped, 1 cancelled",
            "4 attempts by agents, 1 retried, 2 sent back",
            "18 merged into feature/shop",
            "3 worth a look",
            "new task",
        ] {
            assert!(text.contains(told), "{told}\n{text}");
        }
        if size.0 <= 80 {
            check("all_over", &dashboard);
        }
        dashboard.press("n");
        assert_eq!(dashboard.mode(), "ASK");
    }
    // The statistics agree.
    let mut dashboard = all_over((120, 40));
    dashboard.press("6");
    let text = dashboard.text();
    for told in ["4 attempts", "2 sent back", "1 retried"] {
        assert!(text.contains(told), "{told}\n{text}");
    }
    // No figures are made up before they are fetched.
    dashboard.cache = ViewCache::default();
    dashboard.press("3");
    assert!(dashboard.text().contains("in 2.4h ") && !dashboard.text().contains(" retried"));
    let wanted = dashboard.frame().1.cache_requests;
    assert!(wanted.iter().any(|request| request.key == CacheKey::Figures));
    let text = all_over((120, 40)).text();
    for told in [
        "f00dfeed",
        "dbs-18  Translate the help",
        "skipped: dbs-18 failed",
        "sent back 2 times",
    ] {
        assert!(text.contains(told), "{told}\n{text}");
    }
}

#[test]
fn a_card_and_a_task_say_which_check_runs_how_long_and_how_long_it_usually_takes() {
    let mut dashboard = Dashboard::full((100, 40));
    dashboard.press("3");
    assert!(
        dashboard.text().contains("tests 40s of ~74s"),
        "{}",
        dashboard.text()
    );
    dashboard.press(":");
    dashboard.input(dbs::ui::UiInput::Paste("@dbs-9".to_owned()));
    dashboard.press("Enter V");
    let line = dashboard
        .text()
        .lines()
        .find(|line| line.contains("check   "))
        .map(str::to_owned);
    assert!(
        line.is_some_and(|line| line.contains("tests 40s of ~74s")),
        "{}",
        dashboard.text()
    );
    let wanted = dashboard.frame().1.cache_requests;
    assert!(
        wanted.iter().any(|want| want.key == CacheKey::Checks(None)),
        "{wanted:?}"
    );
}

#[test]
fn the_last_row_offers_first_what_helps_and_nothing_that_does_nothing() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3");
    let row = dashboard.last_row();
    let place = |word: &str| row.find(word);
    assert!(
        place("x stop agent") < place("n new task") && place("send back").is_none(),
        "{row}"
    );
    dashboard.press(":");
    dashboard.input(dbs::ui::UiInput::Paste("@dbs-12".to_owned()));
    dashboard.press("Enter");
    let row = dashboard.last_row();
    assert!(
        row.contains("Enter open  t answer"),
        "the key for the answer is offered: {row}"
    );
    let mut dashboard = Dashboard::empty((120, 40));
    for keys in ["2", "3", "5"] {
        dashboard.press(keys);
        assert!(
            !dashboard.last_row().contains("open") && dashboard.last_row().contains("n new task"),
            "{keys}: {}",
            dashboard.last_row()
        );
    }
}

#[test]
fn an_empty_inbox_names_who_works_longest() {
    for size in SIZES {
        let mut dashboard = Dashboard::full(size);
        dashboard.model.attention.clear();
        dashboard.press("5");
        let words = "Inbox 0 oldest first Nothing needs you. Longest running: dbs-4 11m.";
        assert_eq!(dashboard.words("Inbox"), words, "{size:?}");
        assert_eq!(dashboard.row(1), " Nothing needs you. Longest running: dbs-4 11m");
    }
}

/// A board on which nothing needs a person, with work that cannot go on.
fn troubled(cause: TroubleKind, text: &str, size: (u16, u16)) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    for task in ["dbs-13", "dbs-15"] {
        dashboard.change(task, |task| {
            task.not_before = Some(NOW + Span::seconds(25));
            task.why_not = Some(WaitReason::Until(NOW + Span::seconds(25)));
        });
    }
    dashboard.model.attention.clear();
    dashboard.model.troubles = vec![Trouble {
        kind: cause,
        text: text.to_owned(),
        tasks: vec!["dbs-13".into(), "dbs-15".into()],
        retry_at: Some(NOW + Span::seconds(25)),
    }];
    dashboard
}

/// Asserts that the second row tells the trouble: as much of it as fits, and the key to act.
#[track_caller]
fn assert_row_tells(dashboard: &Dashboard, word: &str, text: &str) {
    let row = dashboard.row(1);
    let told = row.strip_prefix(&format!(" ? {word}: "));
    let told = told.and_then(|told| told.strip_suffix("  2 tasks wait, retry in 25s  T now"));
    assert!(told.is_some(), "{row}");
    let told = told.unwrap_or_default().trim_end();
    let (start, is_cut) = told
        .strip_suffix('…')
        .map_or((told, false), |start| (start, true));
    assert!(text.starts_with(start) && start.len() > 5, "{row}");
    assert!(
        is_cut != (start == text) && (!is_cut || row.width() == usize::from(dashboard.state.size.0) - 1),
        "{row}"
    );
}

#[test]
fn what_outside_keeps_work_from_going_on_is_told_on_every_screen_with_a_key_to_act() {
    let cases = [
        (
            "no network",
            TroubleKind::Network,
            "could not ask origin for branch main: no answer (killed after 20s); it will be tried again",
        ),
        (
            "git locked",
            TroubleKind::Lock,
            "could not add a worktree: Unable to create '/home/ann/shop/.git/index.lock': File exists.",
        ),
        (
            "disk full",
            TroubleKind::Disk,
            "could not write the log: No space left on device",
        ),
        (
            "no agent",
            TroubleKind::Agent,
            "could not find the program claude for a developer: looked in /usr/local/bin:/usr/bin:/bin; install it, or name \
             another with `dbs config roles.developer.command 'PROGRAM ARGUMENT …'`",
        ),
    ];
    for (word, cause, text) in cases {
        for size in SIZES {
            let mut dashboard = troubled(cause, text, size);
            dashboard.press("3");
            assert_row_tells(&dashboard, word, text);
            assert_eq!(dashboard.rows_with("↻ dbs-1").len(), 2, "{}", dashboard.text());
            if (word, size) == ("no network", (80, 24)) {
                check("trouble_network", &dashboard);
            }
        }
    }
    let mut dashboard = troubled(TroubleKind::Network, "no answer", (120, 40));
    let again = |task: &str| {
        UiRequest::Command(Command::Retry {
            task: task.into(),
            stage: None,
            note: None,
        })
    };
    assert_eq!(dashboard.press("T"), [again("dbs-13"), again("dbs-15")]);
    // An item that needs a person has precedence in this row; the trouble moves to the top row.
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.model.troubles = vec![Trouble::of_store(
        TroubleKind::Disk
            .cause("the disk of /p/board.db is full or nearly so; free some space and restart dbs"),
    )];
    let text = dashboard.text();
    assert!(
        text.lines().next().is_some_and(|row| row.contains("disk full")),
        "{text}"
    );
    assert!(text.contains("NEEDS YOU"));
    assert_eq!(dashboard.press("T"), []);
    assert!(
        dashboard
            .text()
            .contains("nothing waits because of something outside")
    );
}

#[test]
fn troubles_are_read_off_the_last_attempt_of_a_task_that_waits() {
    let mut dashboard = Dashboard::full((80, 24));
    assert_eq!(dashboard.model.troubles, []);
    // The kind comes from the place of the failure, not from the text, which is for people.
    let why = TroubleKind::Network.cause("could not write: No space left on device\n  (killed after 60s)");
    fail(&mut dashboard, 30, "dbs-13", (FailureClass::Infra, why));
    dashboard.change("dbs-13", |task| task.not_before = Some(NOW + Span::seconds(9)));
    let trouble = Trouble {
        kind: TroubleKind::Network,
        text: "could not write: No space left on device (killed after 60s)".to_owned(),
        tasks: vec!["dbs-13".into()],
        retry_at: Some(NOW + Span::seconds(9)),
    };
    assert_eq!(dashboard.model.troubles, [trouble]);
    assert_eq!(dashboard.model.delayed().collect::<Vec<_>>(), [&"dbs-13".into()]);
    // A later attempt that failed for another reason replaces the trouble.
    fail(
        &mut dashboard,
        31,
        "dbs-13",
        (FailureClass::Crash, "ended with code 1"),
    );
    assert_eq!(dashboard.model.troubles, []);
}

/// Adds a settled attempt of a task that failed with that class and cause.
fn fail(dashboard: &mut Dashboard, id: u64, task: &str, (class, why): (FailureClass, impl Into<Cause>)) {
    let mut attempt = (*dashboard.board.attempts[&AttemptId(4)]).clone();
    attempt.id = AttemptId(id);
    attempt.task = task.into();
    attempt.evidence.clear();
    attempt.state = AttemptState::Settled(Verdict::Failed(class, why.into()));
    dashboard.board.attempts.insert(attempt.id, Arc::new(attempt));
    dashboard.model = ReadModel::of(&dashboard.board, dashboard.now);
}

/// A dashboard whose task `dbs-17` failed in that way, with the last output of its agent.
fn failed(size: (u16, u16), class: FailureClass, why: &str) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    dashboard.screens.agent(
        30,
        "reading src/help.rs\n\nwriting de/help.md\nerror: the translation table is empty\n  at translate.py line 12\n",
    );
    fail(&mut dashboard, 30, "dbs-17", (class, why));
    dashboard
}

/// Keys that choose the failed task.
const CHOOSE: &str = ": @ d b s - 1 7 Enter";

#[test]
fn a_task_that_failed_says_why_with_its_last_lines_and_the_keys_to_act() {
    for size in SIZES {
        let mut dashboard = failed(size, FailureClass::Crash, "crashed (SIGKILL) before reporting");
        dashboard.press("3");
        dashboard.press(CHOOSE);
        dashboard.press("Enter");
        let text = dashboard.text();
        assert!(
            text.matches("crashed (SIGKILL) before reporting").count() == 1,
            "{text}"
        );
        assert!(!text.contains("send back"), "{text}");
        let rows = dashboard.boxed("Task dbs-17");
        let parts: Vec<&str> = rows
            .iter()
            .map(|row| row.split(" │ ").next().unwrap_or_default().trim_end())
            .collect();
        let told = [
            "Task dbs-17",
            " dbs-17  Import of old orders",
            " state   ⚑ held  for 2m",
            " why     exited too often without reporting",
            " stage   Dev  in kanban",
            " diff    reading the differences",
            " about   feature, priority 2, 2.5h old",
            "",
            " What went wrong in attempt 30",
            " crashed (SIGKILL) before reporting",
            " The agent ended without saying what came of its work.",
            " r retry  R with a note  e edit  s skip  d differences",
            "",
            " Last lines of its terminal",
            " reading src/help.rs",
            " writing de/help.md",
            " error: the translation table is empty",
            "   at translate.py line 12",
        ];
        let seen = told.len().min(usize::from(size.1) - 4);
        assert_eq!(parts[..seen], told[..seen], "{size:?}");
        if size == (80, 24) {
            check("failed_crash", &dashboard);
        }
        dashboard.press("5");
        let rows = dashboard.text();
        let rows: Vec<&str> = rows.lines().map(|row| row.trim_matches(['│', ' '])).collect();
        let why = "Held: exited too often without reporting. It stays until you act.";
        let told = [
            "dbs-17  Import of old orders  in Dev",
            why,
            "crashed (SIGKILL) before reporting",
            "r retry   c note   s skip   Enter open",
        ];
        let is_told = |rows: &[&str]| rows.join(" ") == told.join(" ");
        let lines = if size.0 == 60 { 5 } else { 4 };
        assert!(rows.windows(lines).any(is_told), "{rows:#?}");
        if size == (120, 40) {
            check("failed_inbox", &dashboard);
        }
    }
}

#[test]
fn nothing_is_sent_back_from_a_stage_that_leads_nowhere_back() {
    for (task, leads_back) in [("dbs-4", false), ("dbs-8", true), ("dbs-16", true)] {
        let mut dashboard = Dashboard::full((120, 40));
        dashboard.press(&format!(
            "3 : @ {} Enter",
            task.split("").collect::<Vec<_>>().join(" ").trim()
        ));
        dashboard.press("b");
        let text = dashboard.text();
        assert_eq!(dashboard.mode() == "ASK", leads_back, "{task}\n{text}");
        assert_eq!(
            text.contains("Dev sends nothing back"),
            !leads_back,
            "{task}\n{text}"
        );
    }
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.board.workflows.clear();
    dashboard.change("dbs-8", |_| {});
    dashboard.press("3 : @ d b s - 8 Enter b");
    assert_eq!(dashboard.mode(), "NAV", "the stage to go back to is unknown");
}

#[test]
fn checks_out_of_sight_are_counted_with_the_keys_that_lead_there() {
    let mut dashboard = Dashboard::full((60, 15));
    dashboard.press("3 C");
    assert!(dashboard.text().contains("+2 more  J K"), "{}", dashboard.text());
    dashboard.press("J J J J J");
    let text = dashboard.text();
    assert!(text.contains("+2 more  J K") && text.contains("dbs-3"), "{text}");
    let mut dashboard = Dashboard::full((80, 24));
    dashboard.press("3 C");
    assert!(!dashboard.text().contains(" more"), "{}", dashboard.text());
    // The list has one row less where there is no room for the output.
    let mut dashboard = Dashboard::full((100, 15));
    dashboard.press("6 C-b o C");
    let text = dashboard.text();
    let row = |words: &str| text.lines().position(|line| line.contains(words));
    assert!(row("51m ago").is_some(), "{text}");
    assert_eq!(row("+4 more  J K"), row("51m ago").map(|at| at + 1), "{text}");
}

#[test]
fn where_nothing_was_tried_there_is_nothing_to_count() {
    let mut dashboard = Dashboard::empty((80, 24));
    dashboard.press("6");
    let text = dashboard.text();
    assert!(
        text.contains("0 attempts ended") && !text.contains("Counting"),
        "{text}"
    );
    let mut dashboard = Dashboard::full((80, 24));
    dashboard.cache = ViewCache::default();
    dashboard.press("6");
    assert!(
        dashboard.text().contains("Reading the stats."),
        "{}",
        dashboard.text()
    );
}

#[test]
fn the_way_of_a_task_has_the_short_names_of_its_own_workflow() {
    let mut dashboard = Dashboard::full((120, 40));
    let mut other = (*dashboard.board.workflows[&"kanban".into()]).clone();
    other.id = "another".into();
    for stage in &mut other.stages {
        stage.short = format!("other-{}", stage.short);
    }
    dashboard
        .board
        .workflows
        .insert(other.id.clone(), Arc::new(other));
    dashboard.change("dbs-4", |_| {});
    dashboard.press("6");
    let text = dashboard.text();
    assert!(text.contains("dev 15m > rev! 8m"), "{text}");
}

/// The details of a task whose check failed, with the output of the check.
fn failed_gate(size: (u16, u16)) -> Dashboard {
    let mut dashboard = failed(size, FailureClass::Gate, "cargo test: 2 of 318 failed");
    let checks = vec![CheckRun {
        attempt: AttemptId(30),
        index: 0,
        task: "dbs-17".into(),
        stage: "development".into(),
        name: "test".to_owned(),
        command: "cargo test".to_owned(),
        commit: "0123456789abcdef".to_owned(),
        began: NOW - Span::minutes(3),
        result: CheckResult::Failed("ended with code 101".to_owned()),
        tests: None,
        took: Some(Span::seconds(41)),
        is_cut: false,
        hidden: Vec::new(),
    }];
    dashboard.press("3");
    dashboard.press(CHOOSE);
    dashboard.press("Enter");
    let wants = |dashboard: &Dashboard| {
        dashboard
            .frame()
            .1
            .cache_requests
            .into_iter()
            .map(|want| want.key)
            .collect::<Vec<_>>()
    };
    let list = CacheKey::Checks(Some("dbs-17".into()));
    assert!(wants(&dashboard).contains(&list));
    dashboard
        .cache
        .put(list, CacheEntry::Checks(Arc::new(checks)), NOW);
    let output = CacheKey::Output(AttemptId(30), 0, CheckPhase::Over);
    assert!(wants(&dashboard).contains(&output));
    let said = (1..=20)
        .map(|line| format!("line {line} of the test's output"))
        .collect();
    dashboard.cache.put(output, CacheEntry::Text(Arc::new(said)), NOW);
    dashboard
}

#[test]
fn a_task_whose_check_failed_shows_what_the_check_printed() {
    let mut dashboard = failed_gate((120, 40));
    check("failed_gate", &dashboard);
    // The failure is history while an agent works on the task again.
    dashboard.change("dbs-17", |task| task.open_attempt = Some(AttemptId(11)));
    assert!(!dashboard.text().contains("What went wrong"));
}

#[test]
fn the_same_toast_again_is_counted_and_all_are_kept_for_the_log() {
    let mut dashboard = Dashboard::full((80, 24));
    for _ in 0..3 {
        dashboard
            .state
            .show_toast(dashboard.now, NoticeLevel::Warning, "could not push");
    }
    let text = dashboard.text();
    assert_eq!(text.matches("could not push").count(), 1, "{text}");
    assert!(text.contains("3 times"));
    dashboard.now = dashboard.now + Span::seconds(5);
    dashboard
        .state
        .show_toast(dashboard.now, NoticeLevel::Warning, "could not push");
    for word in ["first told", "second told", "third told"] {
        dashboard.state.show_toast(dashboard.now, NoticeLevel::Info, word);
    }
    dashboard
        .state
        .show_toast(dashboard.now, NoticeLevel::Success, "released dbs-20");
    let shown = dashboard.text();
    assert!(
        !shown.contains("could not push") && !shown.contains("first told"),
        "three at most: {shown}"
    );
    let told = dashboard.state.take_messages();
    let told: Vec<&str> = told.iter().map(|told| told.text.as_str()).collect();
    assert_eq!(
        told,
        [
            "could not push",
            "could not push",
            "first told",
            "second told",
            "third told"
        ]
    );
    assert_eq!(dashboard.state.take_messages(), []);
}

#[test]
fn a_notice_never_covers_the_line_that_is_written() {
    let mut dashboard = Dashboard::full((80, 24));
    dashboard.press("3 g i");
    assert_eq!(dashboard.mode(), "TYPE");
    let written = dashboard.frame().1.cursor.expect("the program's cursor").y;
    let before = dashboard.text();
    for word in ["one", "two", "three"] {
        dashboard
            .state
            .show_toast(dashboard.now, NoticeLevel::Info, word.repeat(5));
    }
    let row = |text: &str| text.lines().nth(usize::from(written)).map(str::to_owned);
    assert_eq!(row(&dashboard.text()), row(&before));
    for word in ["one", "two", "three"] {
        assert!(dashboard.text().contains(&word.repeat(5)), "{}", dashboard.text());
    }
}

#[test]
fn the_cursor_rests_at_the_marked_row() {
    for tab in ["3", "5"] {
        let mut dashboard = Dashboard::full((96, 40));
        dashboard.press(tab);
        let first = dashboard.frame().1.cursor.expect("a marked row");
        dashboard.press("j");
        let second = dashboard.frame().1.cursor.expect("a marked row");
        assert_eq!(
            (second.x, second.y),
            (first.x, first.y + 1),
            "{}",
            dashboard.text()
        );
    }
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 C-b w j j");
    let at = dashboard.frame().1.cursor.expect("the marked choice");
    dashboard.press("k");
    assert_eq!(dashboard.frame().1.cursor.expect("the marked choice").y, at.y - 1);
}

#[test]
fn a_task_is_verified_since_its_agent_ended_and_not_since_it_began() {
    let mut dashboard = Dashboard::full((200, 60));
    dashboard.change("dbs-9", |task| task.since = NOW - Span::seconds(3));
    dashboard.press("1");
    let text = dashboard.text();
    let row = text.lines().find(|row| row.contains("dbs-9")).expect("its row");
    assert!(row.contains("tests 40s") && row.contains(" 3s "), "{row}");
}

#[test]
fn what_agents_have_used_stands_beside_them_and_with_their_task() {
    let mut dashboard = Dashboard::full((200, 60));
    let used = |micros| Usage {
        cost: Some(Cost(micros)),
        ..Usage::default()
    };
    for attempt in dashboard.model.attempts.values_mut() {
        Arc::make_mut(attempt).usage = AttemptUsage {
            session: used(410_000),
            context: Some(ContextFill {
                used: 50_000,
                window: Some(200_000),
                tool_calls: None,
            }),
            ..AttemptUsage::default()
        };
    }
    for task in dashboard.model.tasks.values_mut() {
        Arc::make_mut(task).spending = vec![Spending {
            day: 1,
            stage: "development".into(),
            role: "developer".into(),
            usage: used(1_230_000),
        }];
    }
    let main = dashboard.text();
    assert!(main.contains("working 11m  context 25 % · $0.41"), "{main}");
    dashboard.press("3");
    let board = dashboard.text();
    assert!(board.contains("cost") && board.contains("$1.23"), "{board}");
    dashboard.press("2");
    let terminals = dashboard.text();
    assert!(terminals.contains("context 25 % · $0.41"), "{terminals}");
}
