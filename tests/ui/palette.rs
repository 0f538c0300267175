//! The palette and the help: every action can be found by name, run, and explained.

use dbs::domain::{AttemptId, Command};
use dbs::keymap::entries;
use dbs::ui::{UiInput, UiRequest};

use crate::fixture::Dashboard;

fn type_in(dashboard: &mut Dashboard, text: &str) {
    dashboard.input(UiInput::Paste(text.to_owned()));
}

fn line<'a>(text: &'a str, wanted: &str) -> Option<&'a str> {
    text.lines().find(|line| line.contains(wanted))
}

#[test]
fn every_action_is_found_in_the_palette_by_its_title_and_by_every_synonym() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("Tab");
    for entry in entries() {
        for word in entry.synonyms.iter().chain([&entry.title, &entry.name]) {
            dashboard.press(":");
            type_in(&mut dashboard, &format!(">{word}"));
            let shown = |dashboard: &Dashboard| {
                let row = format!("│ {} ", entry.title);
                dashboard.text().lines().any(|line| line.contains(&row))
            };
            let mut found = shown(&dashboard);
            for _ in 0..5 {
                if found {
                    break;
                }
                dashboard.press("PageDown");
                found = shown(&dashboard);
            }
            assert!(
                found,
                "{word} does not find {}:\n{}",
                entry.title,
                dashboard.text()
            );
            dashboard.press("Esc");
        }
    }
}

#[test]
fn whoever_wants_to_kill_abort_or_cancel_finds_how_an_agent_is_stopped() {
    let mut dashboard = Dashboard::full((120, 40));
    for word in ["kill", "abort", "cancel"] {
        dashboard.press(":");
        type_in(&mut dashboard, word);
        assert!(
            line(&dashboard.text(), "│ stop agent ").is_some(),
            "{word}\n{}",
            dashboard.text()
        );
        dashboard.press("Esc");
    }
}

#[test]
fn enter_runs_what_is_marked_and_it_comes_first_the_next_time() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press(":");
    type_in(&mut dashboard, "abort");
    assert_eq!(dashboard.press("Enter"), []);
    assert!(
        dashboard.text().contains("Stop developer-ravel?"),
        "{}",
        dashboard.text()
    );
    assert_eq!(
        dashboard.press("y"),
        [UiRequest::Command(Command::Kill(AttemptId(11)))]
    );
    dashboard.press(":");
    let text = dashboard.text();
    let first = text
        .lines()
        .find(|line| line.contains("stop agent"))
        .expect("listed");
    assert!(text.lines().nth(4) == Some(first), "{text}");
}

#[test]
fn an_action_may_name_its_task() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press(":");
    type_in(&mut dashboard, "approve dbs-16");
    assert_eq!(
        dashboard.press("Enter"),
        [UiRequest::Command(Command::Approve("dbs-16".into()))]
    );
}

#[test]
fn tab_completes_the_id_behind_an_action_and_a_ghost_says_what_is_missing() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press(": r e t r");
    assert!(
        line(&dashboard.text(), ": retry TASK").is_some(),
        "{}",
        dashboard.text()
    );
    dashboard.press("Tab");
    assert!(
        line(&dashboard.text(), ": retry TASK").is_some(),
        "{}",
        dashboard.text()
    );
    assert!(
        line(&dashboard.text(), "│ retry dbs-18 ").is_some(),
        "the tasks that can be retried are listed\n{}",
        dashboard.text()
    );
    assert!(
        line(&dashboard.text(), "│ retry dbs-4 ").is_none(),
        "{}",
        dashboard.text()
    );
    dashboard.press("Tab");
    assert!(
        line(&dashboard.text(), ": retry dbs-17").is_some(),
        "{}",
        dashboard.text()
    );
    dashboard.press("C-u");
    type_in(&mut dashboard, "again 18");
    dashboard.press("Tab");
    assert!(
        line(&dashboard.text(), ": retry dbs-18").is_some(),
        "{}",
        dashboard.text()
    );
    let again = Command::Retry {
        task: "dbs-18".into(),
        stage: None,
        note: None,
    };
    assert_eq!(dashboard.press("Enter"), [UiRequest::Command(again)]);
    dashboard.press(": !");
    assert!(line(&dashboard.text(), ": !").is_some(), "{}", dashboard.text());
}

#[test]
fn ten_rows_wait_wherever_the_palette_is_opened_and_all_of_them_are_possible() {
    for (place, keys) in [
        ("board", ":"),
        ("a terminal looked at", "g Enter :"),
        ("a terminal typed to", "g i C-b :"),
        ("a terminal held still", "g Enter C-b [ C-b :"),
        ("the inbox", "5 :"),
        ("the log", "W :"),
        ("the differences", "d :"),
    ] {
        let mut dashboard = Dashboard::full((120, 40));
        dashboard.press(keys);
        let (_, layouted) = dashboard.frame();
        let rows = layouted.hits.iter();
        let rows = rows
            .filter(|(_, hit)| matches!(hit, dbs::ui::ClickTarget::MenuItem(_)))
            .count();
        assert_eq!(rows, 10, "{place}\n{}", dashboard.text());
        assert!(
            !dashboard.text().contains("not now:"),
            "{place}\n{}",
            dashboard.text()
        );
    }
}

#[test]
fn a_row_of_the_palette_can_be_copied_as_a_command_with_the_task_it_names() {
    for (typed, command) in [
        ("send back dbs-5", "dbs reject dbs-5 TEXT"),
        ("less urgent dbs-4", "dbs task update dbs-4 --priority 1"),
        ("merge now dbs-5", "dbs task update dbs-5 --stage merging"),
        ("pause all", "dbs pause"),
        ("@dbs-7", "dbs task show dbs-7"),
        ("!git log -3", "git log -3"),
    ] {
        let mut dashboard = Dashboard::full((120, 40));
        dashboard.press(":");
        type_in(&mut dashboard, typed);
        assert_eq!(
            dashboard.press("C-y"),
            [UiRequest::CopyToClipboard(command.to_owned())],
            "{typed}"
        );
        assert_eq!(dashboard.mode(), "ASK", "the palette stays");
        dashboard.press("Esc");
        assert!(
            dashboard.text().contains("copied command `"),
            "{}",
            dashboard.text()
        );
    }
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press(":");
    type_in(&mut dashboard, "zoom");
    assert_eq!(dashboard.press("C-y"), []);
    assert!(
        dashboard.text().contains("only the screen has that"),
        "{}",
        dashboard.text()
    );
}

#[test]
fn what_is_not_possible_says_why_and_does_nothing() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press(":");
    type_in(&mut dashboard, "approve");
    assert!(
        dashboard
            .text()
            .contains("not now: dbs-4 does not wait for approval")
    );
    assert_eq!(dashboard.press("Enter"), []);
    assert!(
        dashboard
            .text()
            .contains("approve: dbs-4 does not wait for approval")
    );
}

#[test]
fn a_task_is_found_by_its_title_and_enter_goes_there() {
    let mut dashboard = Dashboard::full((200, 60));
    dashboard.press(":");
    type_in(&mut dashboard, "@migration");
    dashboard.press("Enter");
    assert_eq!(dashboard.mode(), "NAV");
    assert_eq!(
        dashboard.press("x y"),
        [UiRequest::Command(Command::Kill(AttemptId(13)))]
    );
}

#[test]
fn tab_spells_the_marked_row_out() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press(": @ m i g r Tab");
    assert!(
        line(&dashboard.text(), ": @dbs-7").is_some(),
        "{}",
        dashboard.text()
    );
    assert_eq!(dashboard.mode(), "ASK");
    dashboard.press("Esc");
    assert_eq!(dashboard.mode(), "NAV");
}

#[test]
fn panes_and_tabs_are_places_to_go_to() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press(":");
    type_in(&mut dashboard, "#3 board");
    dashboard.press("Enter");
    assert!(dashboard.text().contains("[3 Board]"));
}

#[test]
fn a_click_marks_a_row_and_the_next_one_runs_it() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press(":");
    type_in(&mut dashboard, ">zoom");
    let (_, layouted) = dashboard.frame();
    let rows = layouted
        .hits
        .iter()
        .filter(|(_, hit)| matches!(hit, dbs::ui::ClickTarget::MenuItem(_)))
        .count();
    assert!(rows >= 1);
}

#[test]
fn the_help_begins_with_what_you_see_and_finds_what_is_typed() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("?");
    let text = dashboard.text();
    assert!(text.contains("What you see") && text.contains("The board: every task by stage."));
    assert!(text.contains("Keys here"));
    type_in(&mut dashboard, "kill");
    assert!(
        dashboard.text().contains("Stop the agent."),
        "{}",
        dashboard.text()
    );
    assert!(!dashboard.text().contains("What you see"));
    assert_eq!(
        dashboard.press("Enter y"),
        [UiRequest::Command(Command::Kill(AttemptId(11)))]
    );
}

#[test]
fn escape_first_clears_the_search_of_the_help_and_then_closes_it() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("? z o o m Esc");
    assert!(dashboard.text().contains("What you see"));
    dashboard.press("Esc");
    assert_eq!(dashboard.mode(), "NAV");
    dashboard.press("? ?");
    assert_eq!(dashboard.mode(), "NAV");
}

#[test]
fn a_row_of_the_help_can_be_copied_as_a_command_of_the_shell() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("? s k i p");
    assert!(
        line(&dashboard.text(), "C-y copies dbs skip dbs-4").is_some(),
        "{}",
        dashboard.text()
    );
    assert_eq!(
        dashboard.press("C-y"),
        [UiRequest::CopyToClipboard("dbs skip dbs-4".to_owned())]
    );
}

#[test]
fn a_slash_finds_what_was_shown_and_lines_of_the_log() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press(":");
    dashboard.input(UiInput::Paste("/crash".to_owned()));
    let text = dashboard.text();
    assert!(
        text.contains("find `crash`") && text.contains("the third crash"),
        "{text}"
    );
    dashboard.press("Down Enter");
    let text = dashboard.text();
    assert!(
        text.contains("newer below"),
        "the log stands at that line\n{text}"
    );
    dashboard.press(":");
    dashboard.input(UiInput::Paste("/crash".to_owned()));
    dashboard.press("Enter");
    assert_eq!(dashboard.mode(), "NAV");
    assert!(dashboard.text().contains("History of all agents  /crash"));
}

#[test]
fn an_exclamation_mark_runs_a_command_where_the_agent_works() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 g :");
    dashboard.input(UiInput::Paste("!git log -3".to_owned()));
    assert!(
        dashboard.text().contains("where developer-ravel works on dbs-4"),
        "{}",
        dashboard.text()
    );
    let requests = dashboard.press("Enter");
    let [UiRequest::RunInShell(_, attempt, command)] = requests.as_slice() else {
        unreachable!("{requests:?}")
    };
    assert_eq!((*attempt, command.as_str()), (Some(AttemptId(11)), "git log -3"));
    assert!(
        dashboard.text().contains("git]"),
        "a tab of its own\n{}",
        dashboard.text()
    );
}
