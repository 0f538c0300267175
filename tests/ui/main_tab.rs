//! The first tab: the tasks, the agent of the selected task beside them, and the log below.

use std::sync::Arc;

use dbs::display::LeaveEffect;
use dbs::domain::{
    AttemptId, AttemptState, Delivery, DeliveryEnd, OwedDelivery, Span, TaskId, TaskState, Verdict,
    WaitReason, Worker,
};
use dbs::ui::{ScreenId, UiInput, UiRequest};

use crate::fixture::{Dashboard, NOW};
use crate::snapshots;

/// The terminal on the screen, and whether it has the focus.
fn shown(dashboard: &Dashboard) -> Option<(ScreenId, bool)> {
    let panes = dashboard.frame().1.panes;
    panes
        .iter()
        .find_map(|pane| pane.screen.map(|screen| (screen, pane.focus)))
}

fn agent(attempt: u64) -> ScreenId {
    ScreenId::Attempt(AttemptId(attempt))
}

/// Ends that attempt, and with it the work on its task.
fn end(dashboard: &mut Dashboard, attempt: u64) {
    let at = dashboard.now;
    let attempt = AttemptId(attempt);
    let ended = Arc::make_mut(dashboard.board.attempts.get_mut(&attempt).expect("attempt"));
    ended.state = AttemptState::Settled(Verdict::Passed);
    ended.ended_at = Some(at);
    let task = ended.task.clone();
    dashboard.change(task.as_str(), |task| task.open_attempt = None);
    let screen = dashboard.screens.all.get_mut(&ScreenId::Attempt(attempt));
    screen.expect("screen").alive = false;
    dashboard.input(UiInput::Tick);
}

/// Gives the task that attempt as its open attempt again.
fn begin(dashboard: &mut Dashboard, task: &str, attempt: u64) {
    let open = AttemptId(attempt);
    Arc::make_mut(dashboard.board.attempts.get_mut(&open).expect("attempt")).task = TaskId::from(task);
    dashboard.change(task, |task| task.open_attempt = Some(open));
    dashboard.input(UiInput::Tick);
}

#[test]
fn the_agent_of_the_selected_task_is_shown_beside_the_list_and_else_the_task() {
    for size in [(80, 24), (100, 30), (120, 40), (200, 60)] {
        let mut dashboard = Dashboard::full(size);
        assert_eq!(shown(&dashboard), Some((agent(11), false)), "{size:?}");
        dashboard.press("j");
        assert_eq!(shown(&dashboard), Some((agent(12), false)), "{size:?}");
        dashboard.press("j j j");
        assert_eq!(shown(&dashboard), None, "{size:?}");
        let text = dashboard.text();
        assert!(
            text.contains("Task dbs-13") && text.contains("state   ↻"),
            "{text}"
        );
        dashboard.press("k k");
        assert_eq!(shown(&dashboard), Some((agent(13), false)), "{size:?}");
    }
}

#[test]
fn enter_leads_to_the_agent_and_esc_back_to_the_list() {
    for (size, many) in [((120, 40), 3), ((80, 24), 1)] {
        let mut dashboard = Dashboard::full(size);
        dashboard.press("j Enter");
        assert_eq!(shown(&dashboard), Some((agent(12), true)));
        assert_eq!(dashboard.mode(), "LOOK");
        assert_eq!(dashboard.frame().1.panes.len(), many, "{size:?}");
        dashboard.press("Esc");
        assert_eq!(dashboard.mode(), "NAV");
        assert_eq!(shown(&dashboard), Some((agent(12), false)));
        dashboard.press("i");
        assert_eq!(dashboard.mode(), "TYPE");
        assert_eq!(shown(&dashboard), Some((agent(12), true)));
        dashboard.press("C-b b");
        assert_eq!(dashboard.mode(), "NAV");
        assert_eq!(shown(&dashboard), Some((agent(12), false)));
        dashboard.press("j j j Enter");
        assert_eq!(dashboard.mode(), "NAV");
        assert!(dashboard.text().contains("Task dbs-13"), "{}", dashboard.text());
        dashboard.press("Esc");
        let list = dashboard
            .frame()
            .1
            .panes
            .iter()
            .any(|pane| pane.focus && pane.area.x == 1);
        assert!(
            list && dashboard.text().contains("─ Board "),
            "{}",
            dashboard.text()
        );
    }
}

#[test]
fn from_another_tab_an_agent_is_visited_among_the_agents() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 g Enter");
    assert!(dashboard.text().contains("[2 Agents]"), "{}", dashboard.text());
}

#[test]
fn an_ended_agent_is_marked_at_every_size() {
    for size in snapshots::SIZES {
        for (name, keys) in [("main", "j k"), ("agents", "2 j k")] {
            let mut dashboard = Dashboard::full(size);
            dashboard.press(keys);
            end(&mut dashboard, 11);
            dashboard.change("dbs-4", |task| {
                task.stage = "review".into();
                task.state = TaskState::Released;
                task.why_not = Some(WaitReason::NoRoom { running: 8, most: 8 });
                task.since = NOW;
            });
            let card = dashboard.rows_with("◌ dbs-4 ");
            let text = dashboard.text();
            match (name, size.0) {
                ("main", 60) => assert_eq!(
                    card,
                    ["│ ◌ dbs-4  !Login form posts the p… queued              0s │"]
                ),
                ("main", _) => {
                    let title = dashboard.boxed("◌ dbs-4")[0].clone();
                    assert!(
                        title.starts_with("◌ dbs-4  Review  developer-ravel  queued: 8 of 8 agents are"),
                        "{title}"
                    );
                    assert!(title.ends_with(" ended"), "{title}");
                    assert!(text.contains("test result: ok. 6 passed; 0 failed"), "{text}");
                }
                // A single pane: the list without the agent, whose pane is among the tabs as long as there is room.
                ("agents", 60 | 80) => {
                    let list = dashboard.words("Agents  6 of 8");
                    assert!(
                        list.starts_with("Agents 6 of 8 ▸ dbs-5 Rate limit per customer ")
                            && !list.contains("dbs-4"),
                        "{list}"
                    );
                    let tabs = dashboard.row(usize::from(size.1) - 2);
                    assert!(
                        tabs.starts_with("└─[Agents] dbs-5  dbs-7  dbs-8  dbs-9  dbs-10  "),
                        "{tabs}"
                    );
                }
                _ => {
                    let pane = dashboard.boxed("▹ dbs-4");
                    let title = "▹ dbs-4 developer-ravel  ended 0s  Login form posts the password once ";
                    assert!(
                        pane[0].starts_with(title) && pane[0].ends_with("─ ended"),
                        "{pane:#?}"
                    );
                    assert_eq!(pane[1], "● I will look at the login form first.");
                }
            }
            if size == (120, 40) {
                snapshots::check(&format!("ended_{name}"), &dashboard);
            }
        }
    }
}

#[test]
fn the_screen_of_an_agent_that_ended_stays_until_its_task_has_another_or_the_person_moves() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("j k");
    end(&mut dashboard, 11);
    dashboard.now = NOW + Span::minutes(5);
    dashboard.input(UiInput::Tick);
    assert_eq!(shown(&dashboard), Some((agent(11), false)));
    let text = dashboard.text();
    assert!(
        text.contains(" ended ─") && text.contains("cargo test login"),
        "{text}"
    );
    begin(&mut dashboard, "dbs-4", 13);
    assert_eq!(shown(&dashboard), Some((agent(13), false)));
    end(&mut dashboard, 13);
    dashboard.press("j");
    assert_eq!(shown(&dashboard), Some((agent(12), false)));
    dashboard.press("k");
    assert_eq!(shown(&dashboard), None, "the task has no agent any more");
}

#[test]
fn what_is_read_back_stays_though_the_task_has_another_agent() {
    for (keys, back) in [("Enter C-b [", "Esc"), ("Enter k k", "End")] {
        let mut dashboard = Dashboard::full((120, 40));
        let screen = dashboard.screens.all.get_mut(&agent(11)).expect("screen");
        screen.lines = (0..200).map(|number| format!("line {number}")).collect();
        dashboard.press("j k");
        dashboard.press(keys);
        end(&mut dashboard, 11);
        begin(&mut dashboard, "dbs-4", 13);
        assert_eq!(shown(&dashboard), Some((agent(11), true)), "{keys}");
        dashboard.press(back);
        assert_eq!(shown(&dashboard).map(|shown| shown.0), Some(agent(13)), "{keys}");
    }
}

#[test]
fn while_nobody_has_chosen_a_task_one_that_is_worked_on_is_shown_and_from_the_first_key_on_it_stays() {
    let mut dashboard = Dashboard::full((120, 40));
    end(&mut dashboard, 11);
    assert_eq!(
        shown(&dashboard),
        Some((agent(11), false)),
        "the ended agent stays on the screen"
    );
    dashboard.now = NOW + Span::seconds(3);
    dashboard.input(UiInput::Tick);
    assert_eq!(shown(&dashboard), Some((agent(11), false)));
    dashboard.now = NOW + Span::seconds(4);
    dashboard.input(UiInput::Tick);
    assert_eq!(shown(&dashboard), Some((agent(12), false)));
    dashboard.press("?");
    dashboard.press("Esc");
    end(&mut dashboard, 12);
    dashboard.now = NOW + Span::minutes(5);
    dashboard.input(UiInput::Tick);
    assert_eq!(shown(&dashboard), Some((agent(12), false)), "a key was pressed");
}

#[test]
fn in_a_low_pane_the_log_has_one_line_for_each_thing_that_happened() {
    let mut dashboard = Dashboard::full((100, 30));
    let long = "a sentence that goes on and on ".repeat(12);
    for line in &mut dashboard.log {
        line.notice.text.clone_from(&long);
    }
    let text = dashboard.text();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("a sentence that"))
        .collect();
    assert_eq!(lines.len(), 5, "{text}");
    assert!(
        lines
            .iter()
            .all(|line| line.trim_end_matches(['│', ' ']).ends_with('…')),
        "{text}"
    );
    let widths = text.lines().map(|line| line.chars().count());
    assert!(widths.max() <= Some(100), "{text}");
}

#[test]
fn below_160_columns_the_agents_are_a_list_and_one_large_terminal() {
    for (size, many) in [((120, 40), 2), ((159, 50), 2), ((160, 60), 2), ((200, 60), 2)] {
        let mut dashboard = Dashboard::full(size);
        for attempt in [12, 13, 14, 15, 16, 17, 18, 19, 20] {
            if let Some(open) = dashboard.board.attempts.get_mut(&AttemptId(attempt)) {
                Arc::make_mut(open).state = AttemptState::Settled(Verdict::Passed);
            }
        }
        dashboard.change("dbs-4", |_| ());
        dashboard.press("2");
        let panes = dashboard.frame().1.panes;
        let has_list = panes.iter().any(|pane| pane.screen.is_none());
        assert_eq!(
            (panes.len(), has_list),
            if size.0 < 160 { (many, true) } else { (1, false) },
            "{size:?}"
        );
    }
}

#[test]
fn an_agent_that_ended_stays_among_the_agents_until_the_person_moves() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("2");
    dashboard.press("j k");
    assert_eq!(shown(&dashboard), Some((agent(11), false)));
    end(&mut dashboard, 11);
    dashboard.now = NOW + Span::minutes(5);
    dashboard.input(UiInput::Tick);
    assert_eq!(shown(&dashboard), Some((agent(11), false)));
    assert!(dashboard.text().contains(" ended ─"), "{}", dashboard.text());
    dashboard.press("j");
    assert_eq!(shown(&dashboard), Some((agent(12), false)));
    dashboard.press("z");
    end(&mut dashboard, 12);
    assert!(
        dashboard.text().contains("Agents  "),
        "a zoomed list stays a list"
    );
}

/// A board with all tasks done, on which no task was chosen.
fn all_done(size: (u16, u16)) -> Dashboard {
    all_done_after(size, "")
}

/// The same board, after these keys while there was work.
fn all_done_after(size: (u16, u16), keys: &str) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    if !keys.is_empty() {
        dashboard.press(keys);
    }
    let ids: Vec<String> = dashboard.board.tasks.keys().map(ToString::to_string).collect();
    for id in ids {
        dashboard.change(&id, |task| {
            task.open_attempt = None;
            if !task.state.is_terminal() {
                task.state = TaskState::Done;
            }
        });
    }
    dashboard
        .board
        .attempts
        .retain(|_, attempt| !attempt.state.is_open());
    dashboard.change("dbs-1", |_| {});
    dashboard.now = NOW + Span::minutes(5);
    dashboard.input(UiInput::Tick);
    dashboard
}

#[test]
fn when_all_is_done_how_it_went_is_shown_beside_the_list_until_a_task_is_selected() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let mut dashboard = all_done(size);
        let text = dashboard.text();
        assert!(
            text.contains("─ All done ─") && text.contains("finished"),
            "{text}"
        );
        assert!(!text.contains("Next, in a repository of your own:"), "{text}");
        assert_eq!(text.matches("All done").count(), 1, "{text}");
        dashboard.press(". j");
        assert!(!dashboard.text().contains("All done"), "{}", dashboard.text());
    }
}

#[test]
fn the_card_of_the_end_says_what_the_persons_checkout_lacks() {
    let mut dashboard = all_done((120, 40));
    let mut batch = dashboard.board.batches.values().next().unwrap().as_ref().clone();
    let delivery = Delivery {
        base: "main".to_owned(),
        remote: Some("origin".to_owned()),
        to: "0123".to_owned(),
        n_commits: 3,
        end: DeliveryEnd::Told,
    };
    batch.owed = Some(Box::new(OwedDelivery {
        delivery,
        task: "dbs-1".into(),
        at: NOW,
        n_looks: 0,
    }));
    dashboard.board.batches.insert(batch.id.clone(), batch.into());
    dashboard.change("dbs-1", |_| {});
    let text = dashboard.text();
    assert!(text.contains(" 3 commits on origin/main: dbs pull"), "{text}");
}

#[test]
fn what_has_no_room_on_the_card_of_the_end_goes_on_in_the_next_line_or_is_cut_with_a_mark() {
    // A task that was selected before the end has its details in the wide pane.
    let mut dashboard = all_done_after((120, 40), "j j");
    let long = "Translate every help text, and read each of them once more afterwards";
    dashboard.change("dbs-18", |task| long.clone_into(&mut task.title));
    let text = dashboard.text();
    let card: Vec<&str> = text
        .lines()
        .filter_map(|row| row.strip_prefix("││")?.split_once('│'))
        .map(|(row, _)| row.trim())
        .collect();
    assert!(card.iter().all(|row| row.chars().count() <= 43), "{text}");
    let all = card.join(" ");
    for wanted in [
        "18 of 21 done, 1 failed, 1 skipped, 1 cancelled",
        "4 attempts by agents, 1 retried, 2 sent back",
    ] {
        assert!(all.contains(wanted), "{wanted}\n{text}");
    }
    let row = card.iter().find(|row| row.starts_with("✗ dbs-18 "));
    assert!(
        row.is_some_and(|row| row.contains("Translate e") && row.ends_with('…')),
        "{text}"
    );
}

#[test]
fn a_demo_ends_with_what_comes_next_and_is_left_after_a_question() {
    for size in snapshots::SIZES {
        let mut dashboard = all_done(size);
        dashboard.session.on_leave = LeaveEffect::EndsAndDeletes;
        dashboard.input(UiInput::Tick);
        if size.0 == 60 || size.0 == 120 {
            snapshots::check("demo_end", &dashboard);
        }
        let text = dashboard.text();
        let commands = [
            "dbs init ",
            "dbs agents ",
            "dbs config roles.default.agent claude",
            "dbs task create \"Say hello\" --release ",
            "dbs ",
        ];
        let parts = ["All done", "Next, in a repository of your own:", "q leave "];
        for part in parts.into_iter().chain(commands) {
            assert!(text.contains(part), "{part} {size:?}: {text}");
        }
        // The purpose of each command is shown whole or not at all.
        let is_said = text.contains("makes it a project");
        assert_eq!(is_said, text.contains("a task, handed over"), "{text}");
        assert!(is_said || !text.contains("makes it"), "{text}");
        assert_eq!(dashboard.press("q"), [], "a question comes first");
        let text = dashboard.text();
        assert!(
            text.contains("Its folder is deleted") && !text.contains("agents are ended"),
            "{text}"
        );
        assert_eq!(dashboard.press("n"), []);
        assert!(!dashboard.text().contains("Leave the demo?"));
        assert_eq!(dashboard.press("q y"), [UiRequest::Detach]);
    }
    let mut dashboard = Dashboard::full((120, 40));
    assert_eq!(
        dashboard.press("q"),
        [UiRequest::Detach],
        "leaving a project asks nothing"
    );
}

#[test]
fn leaving_a_demo_names_the_agents_that_are_ended() {
    for size in snapshots::SIZES {
        let mut dashboard = Dashboard::full(size);
        dashboard.session.on_leave = LeaveEffect::EndsAndKeeps;
        dashboard.press("C-b d");
        let told = "Leave the demo? Its folder is kept. These agents are ended: dbs-4 developer-ravel (working) \
            dbs-5 developer-poulenc (working) dbs-7 developer-milhaud (asks: npm run migrate?) dbs-8 reviewer-lili (starting) \
            dbs-9 reviewer-dukas (verifying) dbs-10 security-reviewer-boulez (lost: its process is not found) \
            dbs-12 developer-tailleferre (asks: keep the old checkout route?) y leave n no";
        assert_eq!(dashboard.words("Leave"), told, "{size:?}");
        if size == (60, 15) {
            snapshots::check("demo_leave", &dashboard);
        }
    }
}

#[test]
fn in_a_demo_the_agent_that_asks_is_shown_while_nobody_has_chosen_a_task() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.session.on_leave = LeaveEffect::EndsAndDeletes;
    dashboard.input(UiInput::Tick);
    let asking = dashboard
        .model
        .attention
        .iter()
        .filter(|item| item.kind.is_agents());
    let mut asking = asking.filter_map(|item| item.attempt.map(ScreenId::Attempt));
    let first = asking.find(|screen| dashboard.screens.all.contains_key(screen));
    assert_eq!(
        shown(&dashboard),
        Some((first.expect("an agent that asks"), false))
    );
    dashboard.press("j k");
    let mine = shown(&dashboard);
    dashboard.model.attention.reverse();
    dashboard.input(UiInput::Tick);
    assert_eq!(shown(&dashboard), mine, "the chosen task stays");
}

/// Makes the agent of that attempt a conductor.
fn conducts(dashboard: &mut Dashboard, id: u64) {
    let id = AttemptId(id);
    let mut attempt = (*dashboard.model.attempts[&id]).clone();
    attempt.worker = Worker::Agent {
        role: "conductor".into(),
        name: "conductor-ravel".to_owned(),
    };
    dashboard.model.attempts.insert(id, Arc::new(attempt));
    dashboard.input(UiInput::Tick);
}

#[test]
fn a_conductor_at_work_comes_before_other_agents_while_nobody_has_chosen_a_task() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.input(UiInput::Tick);
    assert_eq!(shown(&dashboard), Some((agent(11), false)));
    conducts(&mut dashboard, 12);
    assert_eq!(shown(&dashboard), Some((agent(12), false)));
}

#[test]
fn the_conductors_pane_shows_its_terminal_while_it_is_at_work_and_takes_what_is_typed() {
    let mut dashboard = Dashboard::classic((170, 45));
    assert!(dashboard.text().contains("No conductor is running"));
    conducts(&mut dashboard, 12);
    let text = dashboard.text();
    assert!(
        text.contains("conductor-ravel") && text.contains("Reading src/limits.rs"),
        "{text}"
    );
    dashboard.press("S-Tab S-Tab Enter");
    let typed = dashboard.press("x");
    let to_conductor =
        |request: &UiRequest| matches!(request, UiRequest::SendInput(id, _) if *id == agent(12));
    assert!(typed.iter().any(to_conductor), "{typed:?}");
    dashboard.screens.all.remove(&agent(12));
    dashboard.input(UiInput::Tick);
    assert!(dashboard.text().contains("No conductor is running"));
}

/// Last words of a conductor whose plan is on the board.
const PLANNED: &str = "> Customers want to see their orders.\n\nThe plan is on the board, in the batch order-history:\n\n\
    - dbs-31 List orders newest first\n- dbs-32 Page through more than fifty orders, after dbs-31\n- dbs-33 Acceptance, after both\n\n\
    Read it, and release it with `w`, or say what is missing.\n\n> ";

#[test]
fn a_conductor_at_work_stands_beside_the_board_with_what_it_planned() {
    for size in snapshots::SIZES {
        for (name, mut dashboard) in [
            ("main", Dashboard::full(size)),
            ("classic", Dashboard::classic(size)),
        ] {
            conducts(&mut dashboard, 12);
            dashboard.screens.put(agent(12), PLANNED);
            if name == "classic" {
                dashboard.press("S-Tab S-Tab");
            }
            let planned = [
                "The plan is on the board, in the batch order-history:",
                "- dbs-32 Page through more than fifty orders, after ",
            ];
            match (name, size.0) {
                // One column: the conductor has a tab in the place of the board, and the card shows its activity.
                ("main", 60) => {
                    let row = "│ ▸ dbs-5  Rate limit per customer  ravel working       3m │";
                    assert_eq!(dashboard.rows_with("dbs-5 "), [row]);
                }
                ("classic", 60 | 80) => {
                    let top = dashboard.row(0);
                    assert!(
                        top.starts_with(" dbs shop  LOOKING ▸ dbs-5 conductor-ravel  working 3m "),
                        "{top}"
                    );
                    assert_eq!(dashboard.row(3), planned[0]);
                }
                _ => {
                    let title = if name == "main" {
                        "▸ dbs-5  Dev  conductor-ravel  working 3m"
                    } else {
                        "▸ dbs-5 conductor-ravel  working 3m"
                    };
                    let rows = dashboard.boxed(title);
                    assert!(rows.iter().any(|row| row.starts_with(planned[1])), "{rows:#?}");
                    assert!(dashboard.boxed("Board")[0].starts_with("Board  21 tasks"));
                }
            }
            if size == (120, 40) {
                snapshots::check(&format!("conductor_at_work_{name}"), &dashboard);
            }
        }
    }
}

#[test]
fn a_key_asks_what_is_to_be_built_and_gives_it_to_a_conductor_at_once() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("O");
    for key in ["B", "u", "i", "l", "d"] {
        dashboard.press(key);
    }
    let asked = dashboard.press("Enter");
    let new = asked.iter().find_map(|request| match request {
        UiRequest::NewTask(task) => Some(task),
        _ => None,
    });
    let new = new.expect("a task");
    assert_eq!((new.title.as_str(), new.release), ("Build", true));
    assert_eq!(new.workflow, Some("conduct".into()));
}
