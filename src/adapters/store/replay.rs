//! The board computed anew from the log. Holds as long as the rules are the same; rows are the truth, this is the check.

use crate::domain::Board;
use crate::ports::store::StoredEvent;

/// Applies stored events to `board`, as the engine did. Begin with an empty board and the first event.
pub fn replay<'a>(mut board: Board, events: impl IntoIterator<Item = &'a StoredEvent>) -> Board {
    for stored in events {
        drop(board.apply(stored.at, &stored.event));
        drop(board.take_touched());
    }
    board
}
