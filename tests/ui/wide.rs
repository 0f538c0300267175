//! What a board with columns does with its room.

use dbs::domain::TaskId;
use dbs::ui::{ColourDepth, Glyphs, Theme};

use crate::fixture::Desk;

/// The tab of the board, with nothing but these tasks.
fn few(size: (u16, u16), tasks: &[&str]) -> Desk {
    let mut desk = Desk::full(size);
    desk.board
        .tasks
        .retain(|id, _| tasks.iter().any(|task| TaskId::from(*task) == *id));
    desk.change("dbs-4", |_| {});
    desk.press("3");
    desk
}

#[test]
fn a_board_with_room_to_spare_says_how_much_was_done_lately() {
    let mut desk = few((200, 60), &["dbs-1", "dbs-2", "dbs-3", "dbs-4"]);
    let text = desk.text();
    let row = text.lines().nth(57).unwrap_or_default();
    let wanted = "│ Throughput   last hour 2 done     █            █               last day 3 done                       ▄█";
    assert!(row.starts_with(wanted), "{text}");
    desk.theme = Theme::builtin(ColourDepth::Mono, Glyphs::Ascii);
    let plain = desk.text();
    assert!(plain.contains("last hour 2 done ....#............#"), "{plain}");
    let mut full = Desk::full((200, 60));
    full.press("3");
    assert!(!full.text().contains("Throughput"), "the tasks need the room");
}

#[test]
fn columns_out_of_sight_are_counted_on_their_side() {
    let heading = |desk: &Desk| desk.text().lines().nth(3).unwrap_or_default().to_owned();
    let mut desk = Desk::full((152, 40));
    desk.press("3");
    let right = heading(&desk);
    assert!(right.contains("Accept 1") && right.ends_with("+1 │"), "{right}");
    desk.press("l l l l l l l");
    let left = heading(&desk);
    let first = left.split('│').nth(1).unwrap_or_default();
    assert!(first.contains("Dev 8") && left.contains("Done 5"), "{left}");
    let mut all = Desk::full((160, 50));
    all.press("3");
    let all = heading(&all);
    assert!(all.contains("Done 5") && !all.contains("+1"), "{all}");
}
