//! The present activity of an agent, as its sources report it, in the list of agents and beside its task.

use dbs::domain::{AttemptId, Span};
use dbs::read_model::{LiveActivity, RunningChild, SourceReport};
use dbs::term::ProgressReport;
use dbs::ui::{ProgramCall, ProgramReport, ScreenId};

use crate::fixture::Dashboard;

fn live(words: &str, is_waiting: bool) -> LiveActivity {
    let source = SourceReport {
        source: "hook".to_owned(),
        says: words.to_owned(),
        age: Span::seconds(2),
        counts: true,
        why: "it is the highest source".to_owned(),
    };
    LiveActivity {
        words: words.to_owned(),
        source: Some("hook".to_owned()),
        since: dbs::domain::Timestamp(0),
        age: Span::seconds(2),
        is_stale: false,
        is_waiting,
        children: vec![RunningChild {
            name: "Explore".to_owned(),
            age: Span::seconds(75),
        }],
        sources: vec![source],
    }
}

/// The screen when more is known about the agent of `dbs-4` than the board's word that it works.
fn screen(size: (u16, u16), keys: &str, live: LiveActivity) -> String {
    let mut dashboard = Dashboard::full(size);
    dashboard.screens.doing.insert(AttemptId(11), live);
    dashboard.press(keys);
    dashboard.text()
}

#[test]
fn the_list_of_agents_says_what_one_at_work_does() {
    let text = screen((80, 24), "2", live("working: Bash", false));
    assert!(text.contains("working: Bash; runs Explore"), "{text}");
}

#[test]
fn an_ask_is_shown_when_the_board_has_it_and_can_take_the_answer() {
    let text = screen((80, 24), "2", live("waiting for permission: x", true));
    assert!(!text.contains("waiting for permission"), "{text}");
}

#[test]
fn the_details_of_a_task_say_what_its_agent_does_and_from_what_that_is_known() {
    let text = screen((200, 60), "3 g V", live("retry 3/10", false));
    assert!(text.contains("retry 3/10; runs Explore"), "{text}");
    assert!(text.contains("hook: reported retry 3/10, 2s ago"), "{text}");
    assert!(text.contains("runs    Explore  1m"), "{text}");
    assert!(!text.contains("counts"), "{text}");
}

/// A board on which the program in that terminal reported a call and that it is half done.
fn reporting(size: (u16, u16), id: ScreenId) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    let report = ProgramReport {
        call: Some(ProgramCall::Words("tests are green".to_owned())),
        progress: ProgressReport::Percent(50),
        folder: None,
    };
    dashboard.screens.reports.insert(id, report);
    dashboard
}

#[test]
fn what_the_program_of_an_agent_reports_is_in_the_list_of_agents_in_its_title_and_on_its_card() {
    let agent = ScreenId::Attempt(AttemptId(11));
    let mut small = reporting((100, 24), agent);
    small.press("2");
    let text = small.text();
    assert!(
        text.contains("⚑ working …") && text.contains("50 %  ⚑ says: tests"),
        "{text}"
    );
    let mut board = reporting((200, 60), agent);
    let text = board.text();
    assert!(text.contains("working 50 %"), "{text}");
    board.press("2");
    let text = board.text();
    assert!(text.contains("working 11m  50 %  ⚑ says: "), "{text}");
}

#[test]
fn a_tab_that_is_not_shown_is_marked_when_a_program_in_it_called() {
    let mut dashboard = reporting((200, 60), ScreenId::Attempt(AttemptId(11)));
    assert!(dashboard.text().contains("2 Agents⚑"), "{}", dashboard.text());
    dashboard.press("2");
    assert!(dashboard.text().contains("[2 Agents]"), "{}", dashboard.text());
}

#[test]
fn an_agent_of_which_nothing_was_reported_is_not_known_to_work() {
    let mut dashboard = Dashboard::full((100, 24));
    let attempt = dashboard.board.attempts.get_mut(&AttemptId(11)).unwrap();
    let shown = std::sync::Arc::make_mut(attempt);
    "started".clone_into(&mut shown.activity.source);
    dashboard.model = dbs::read_model::ReadModel::of(&dashboard.board, crate::fixture::NOW);
    dashboard.press("2");
    let text = dashboard.text();
    assert!(text.contains("developer-ravel nothing re… "), "{text}");
    assert!(
        text.contains("dbs-4 developer-ravel  nothing reported yet"),
        "{text}"
    );
}
