//! What an agent does right now, as its sources say it, in the list of agents and beside its task.

use dbs::domain::{AttemptId, Span};
use dbs::read_model::{LiveActivity, SourceReport};

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
        children: vec!["Explore".to_owned()],
        sources: vec![source],
    }
}

/// The screen when more is known of the agent of `dbs-4`, which the board holds to work.
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
    let text = screen((200, 60), "3 g T", live("retry 3/10", false));
    assert!(text.contains("retry 3/10; runs Explore"), "{text}");
    assert!(text.contains("hook: retry 3/10, 2s ago; counts"), "{text}");
}
