//! What a board with columns does with its room.

use dbs::domain::TaskId;
use dbs::ui::{ColourDepth, Glyphs, Theme};

use crate::fixture::Dashboard;

/// The tab of the board, with nothing but these tasks.
fn few(size: (u16, u16), tasks: &[&str]) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    dashboard
        .board
        .tasks
        .retain(|id, _| tasks.iter().any(|task| TaskId::from(*task) == *id));
    dashboard.change("dbs-4", |_| {});
    dashboard.press("3");
    dashboard
}

#[test]
fn a_board_with_room_to_spare_says_how_much_was_done_lately() {
    let mut dashboard = few((200, 60), &["dbs-1", "dbs-2", "dbs-3", "dbs-4"]);
    let text = dashboard.text();
    let row = text.lines().nth(57).unwrap_or_default();
    let wanted = "│ Throughput   last hour 2 done     █            █               last day 3 done                       ▄█";
    assert!(row.starts_with(wanted), "{text}");
    dashboard.theme = Theme::builtin(ColourDepth::Mono, Glyphs::Ascii);
    let plain = dashboard.text();
    assert!(plain.contains("last hour 2 done ....#............#"), "{plain}");
    let mut full = Dashboard::full((200, 40));
    full.press("3");
    assert!(!full.text().contains("Throughput"), "the tasks need the room");
}

#[test]
fn columns_out_of_sight_are_counted_on_their_side() {
    let heading = |dashboard: &Dashboard| dashboard.text().lines().nth(3).unwrap_or_default().to_owned();
    let mut dashboard = Dashboard::full((152, 40));
    dashboard.press("3");
    let right = heading(&dashboard);
    assert!(right.contains("Accept 1") && right.ends_with("+1 │"), "{right}");
    dashboard.press("l l l l l l l");
    let left = heading(&dashboard);
    let first = left.split('│').nth(1).unwrap_or_default();
    assert!(first.contains("Dev 8") && left.contains("Done 5"), "{left}");
    let mut all = Dashboard::full((160, 50));
    all.press("3");
    let all = heading(&all);
    assert!(all.contains("Done 5") && !all.contains("+1"), "{all}");
}

#[test]
fn a_column_without_cards_is_only_its_heading_and_the_others_share_its_room() {
    let mut dashboard = few((160, 50), &["dbs-1", "dbs-4", "dbs-8"]);
    let text = dashboard.text();
    let heading = text.lines().nth(3).unwrap_or_default();
    let widths: Vec<(bool, usize)> = heading
        .trim_matches('│')
        .split('│')
        .map(|column| (column.trim_end().ends_with(" 0"), column.chars().count()))
        .collect();
    assert_eq!(widths.len(), 7, "{heading}");
    for (is_empty, width) in widths {
        assert_eq!(is_empty, width < 16, "{heading}");
        assert!(is_empty || width > 20, "{heading}");
    }
    // Two lines and no more, however long the title; one where the heading says the state.
    let long = "A title that goes on for much longer than any column on any screen is wide";
    dashboard.change("dbs-4", |task| task.title = long.to_owned());
    let text = dashboard.text();
    let row = |number: usize| text.lines().nth(number).unwrap_or_default();
    assert!(row(4).contains("dbs-4") && row(4).contains('…'), "{text}");
    assert!(
        row(5).contains("11m") && row(6).chars().all(|c| " │".contains(c)),
        "{text}"
    );
    let done = row(4).rsplit('│').nth(1).unwrap_or_default();
    assert!(
        done.contains("✓ dbs-1") && done.trim_end().ends_with("1.3h"),
        "{text}"
    );
}
