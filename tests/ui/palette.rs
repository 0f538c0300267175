//! The palette and the help: everything can be found by name, run, and explained.

use dbs::domain::{AttemptId, Command};
use dbs::ui::{UiInput, UiRequest, entries};

use crate::fixture::Desk;

fn type_in(desk: &mut Desk, text: &str) {
    desk.input(UiInput::Paste(text.to_owned()));
}

fn line<'a>(text: &'a str, wanted: &str) -> Option<&'a str> {
    text.lines().find(|line| line.contains(wanted))
}

#[test]
fn every_action_is_found_in_the_palette_by_its_title_and_by_every_synonym() {
    let mut desk = Desk::full((120, 40));
    desk.press("Tab");
    for entry in entries() {
        for word in entry.synonyms.iter().chain([&entry.title, &entry.name]) {
            desk.press(":");
            type_in(&mut desk, &format!(">{word}"));
            let shown = |desk: &Desk| {
                let row = format!("│ {} ", entry.title);
                desk.text().lines().any(|line| line.contains(&row))
            };
            let mut found = shown(&desk);
            for _ in 0..5 {
                if found {
                    break;
                }
                desk.press("PageDown");
                found = shown(&desk);
            }
            assert!(found, "{word} does not find {}:\n{}", entry.title, desk.text());
            desk.press("Esc");
        }
    }
}

#[test]
fn whoever_wants_to_kill_abort_or_cancel_finds_how_an_agent_is_stopped() {
    let mut desk = Desk::full((120, 40));
    for word in ["kill", "abort", "cancel"] {
        desk.press(":");
        type_in(&mut desk, word);
        assert!(
            line(&desk.text(), "│ stop agent ").is_some(),
            "{word}\n{}",
            desk.text()
        );
        desk.press("Esc");
    }
}

#[test]
fn enter_runs_what_is_marked_and_it_comes_first_the_next_time() {
    let mut desk = Desk::full((120, 40));
    desk.press(":");
    type_in(&mut desk, "abort");
    assert_eq!(desk.press("Enter"), []);
    assert!(desk.text().contains("Stop developer-ravel?"), "{}", desk.text());
    assert_eq!(
        desk.press("y"),
        [UiRequest::Command(Command::Kill(AttemptId(11)))]
    );
    desk.press(":");
    let text = desk.text();
    let first = text
        .lines()
        .find(|line| line.contains("stop agent"))
        .expect("listed");
    assert!(text.lines().nth(4) == Some(first), "{text}");
}

#[test]
fn an_action_may_name_its_task() {
    let mut desk = Desk::full((120, 40));
    desk.press(":");
    type_in(&mut desk, "approve dbs-16");
    assert_eq!(
        desk.press("Enter"),
        [UiRequest::Command(Command::Approve("dbs-16".into()))]
    );
}

#[test]
fn tab_completes_the_id_behind_an_action_and_a_ghost_says_what_is_missing() {
    let mut desk = Desk::full((120, 40));
    desk.press(": r e t r");
    assert!(line(&desk.text(), ": retry TASK").is_some(), "{}", desk.text());
    desk.press("Tab");
    assert!(line(&desk.text(), ": retry TASK").is_some(), "{}", desk.text());
    assert!(
        line(&desk.text(), "│ retry dbs-18 ").is_some(),
        "what it is possible for is listed\n{}",
        desk.text()
    );
    assert!(line(&desk.text(), "│ retry dbs-4 ").is_none(), "{}", desk.text());
    desk.press("Tab");
    assert!(line(&desk.text(), ": retry dbs-17").is_some(), "{}", desk.text());
    desk.press("C-u");
    type_in(&mut desk, "again 18");
    desk.press("Tab");
    assert!(line(&desk.text(), ": retry dbs-18").is_some(), "{}", desk.text());
    let again = Command::Retry {
        task: "dbs-18".into(),
        stage: None,
        note: None,
    };
    assert_eq!(desk.press("Enter"), [UiRequest::Command(again)]);
    desk.press(": !");
    assert!(line(&desk.text(), ": !").is_some(), "{}", desk.text());
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
        let mut desk = Desk::full((120, 40));
        desk.press(keys);
        let (_, layouted) = desk.frame();
        let rows = layouted.hits.iter();
        let rows = rows
            .filter(|(_, hit)| matches!(hit, dbs::ui::ClickTarget::MenuItem(_)))
            .count();
        assert_eq!(rows, 10, "{place}\n{}", desk.text());
        assert!(!desk.text().contains("not now:"), "{place}\n{}", desk.text());
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
        let mut desk = Desk::full((120, 40));
        desk.press(":");
        type_in(&mut desk, typed);
        assert_eq!(
            desk.press("C-y"),
            [UiRequest::CopyToClipboard(command.to_owned())],
            "{typed}"
        );
        assert_eq!(desk.mode(), "ASK", "the palette stays");
        desk.press("Esc");
        assert!(desk.text().contains("copied command `"), "{}", desk.text());
    }
    let mut desk = Desk::full((120, 40));
    desk.press(":");
    type_in(&mut desk, "zoom");
    assert_eq!(desk.press("C-y"), []);
    assert!(
        desk.text().contains("only the screen has that"),
        "{}",
        desk.text()
    );
}

#[test]
fn what_is_not_possible_says_why_and_does_nothing() {
    let mut desk = Desk::full((120, 40));
    desk.press(":");
    type_in(&mut desk, "approve");
    assert!(desk.text().contains("not now: dbs-4 does not wait for approval"));
    assert_eq!(desk.press("Enter"), []);
    assert!(desk.text().contains("approve: dbs-4 does not wait for approval"));
}

#[test]
fn a_task_is_found_by_its_title_and_enter_goes_there() {
    let mut desk = Desk::full((200, 60));
    desk.press(":");
    type_in(&mut desk, "@migration");
    desk.press("Enter");
    assert_eq!(desk.mode(), "NAV");
    assert_eq!(
        desk.press("x y"),
        [UiRequest::Command(Command::Kill(AttemptId(13)))]
    );
}

#[test]
fn tab_spells_the_marked_row_out() {
    let mut desk = Desk::full((120, 40));
    desk.press(": @ m i g r Tab");
    assert!(line(&desk.text(), ": @dbs-7").is_some(), "{}", desk.text());
    assert_eq!(desk.mode(), "ASK");
    desk.press("Esc");
    assert_eq!(desk.mode(), "NAV");
}

#[test]
fn panes_and_tabs_are_places_to_go_to() {
    let mut desk = Desk::full((120, 40));
    desk.press(":");
    type_in(&mut desk, "#3 board");
    desk.press("Enter");
    assert!(desk.text().contains("[3 Board]"));
}

#[test]
fn a_click_marks_a_row_and_the_next_one_runs_it() {
    let mut desk = Desk::full((120, 40));
    desk.press(":");
    type_in(&mut desk, ">zoom");
    let (_, layouted) = desk.frame();
    let rows = layouted
        .hits
        .iter()
        .filter(|(_, hit)| matches!(hit, dbs::ui::ClickTarget::MenuItem(_)))
        .count();
    assert!(rows >= 1);
}

#[test]
fn the_help_begins_with_what_you_see_and_finds_what_is_typed() {
    let mut desk = Desk::full((120, 40));
    desk.press("?");
    let text = desk.text();
    assert!(text.contains("What you see") && text.contains("The board: every task by stage."));
    assert!(text.contains("Keys here"));
    type_in(&mut desk, "kill");
    assert!(desk.text().contains("Stop the agent."), "{}", desk.text());
    assert!(!desk.text().contains("What you see"));
    assert_eq!(
        desk.press("Enter y"),
        [UiRequest::Command(Command::Kill(AttemptId(11)))]
    );
}

#[test]
fn escape_first_clears_the_search_of_the_help_and_then_closes_it() {
    let mut desk = Desk::full((120, 40));
    desk.press("? z o o m Esc");
    assert!(desk.text().contains("What you see"));
    desk.press("Esc");
    assert_eq!(desk.mode(), "NAV");
    desk.press("? ?");
    assert_eq!(desk.mode(), "NAV");
}

#[test]
fn a_row_of_the_help_can_be_copied_as_a_command_of_the_shell() {
    let mut desk = Desk::full((120, 40));
    desk.press("? s k i p");
    assert!(
        line(&desk.text(), "C-y copies dbs skip dbs-4").is_some(),
        "{}",
        desk.text()
    );
    assert_eq!(
        desk.press("C-y"),
        [UiRequest::CopyToClipboard("dbs skip dbs-4".to_owned())]
    );
}

#[test]
fn a_slash_finds_what_was_shown_and_lines_of_the_log() {
    let mut desk = Desk::full((120, 40));
    desk.press(":");
    desk.input(UiInput::Paste("/crash".to_owned()));
    let text = desk.text();
    assert!(
        text.contains("find `crash`") && text.contains("the third crash"),
        "{text}"
    );
    desk.press("Down Enter");
    let text = desk.text();
    assert!(
        text.contains("newer below"),
        "the log stands at that line\n{text}"
    );
    desk.press(":");
    desk.input(UiInput::Paste("/crash".to_owned()));
    desk.press("Enter");
    assert_eq!(desk.mode(), "NAV");
    assert!(desk.text().contains("History of all agents  /crash"));
}

#[test]
fn an_exclamation_mark_runs_a_command_where_the_agent_works() {
    let mut desk = Desk::full((120, 40));
    desk.press("3 g :");
    desk.input(UiInput::Paste("!git log -3".to_owned()));
    assert!(
        desk.text().contains("where developer-ravel works on dbs-4"),
        "{}",
        desk.text()
    );
    let requests = desk.press("Enter");
    let [UiRequest::RunInShell(_, attempt, command)] = requests.as_slice() else {
        unreachable!("{requests:?}")
    };
    assert_eq!((*attempt, command.as_str()), (Some(AttemptId(11)), "git log -3"));
    assert!(desk.text().contains("git]"), "a tab of its own\n{}", desk.text());
}
