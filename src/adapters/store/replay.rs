//! The board computed anew from the log. Holds as long as the rules are the same; rows are the truth, this is the check.

use crate::domain::Board;
use crate::ports::store::StoredEvent;

/// Applies stored events in order, beginning with the first, as the engine did: each session begins asleep.
pub fn replay<'a>(events: impl IntoIterator<Item = &'a StoredEvent>) -> Board {
    let (mut board, mut session) = (Board::default(), 0);
    for stored in events {
        if stored.session != session {
            session = stored.session;
            board.sleep();
        }
        drop(board.apply(stored.at, &stored.event));
        drop(board.take_changed_rows());
    }
    board
}
