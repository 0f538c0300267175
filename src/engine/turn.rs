//! One turn: apply, commit, publish. Performing what follows comes after, and only after, the commit.

use crate::domain::{Board, Effect, Event, Notice, Timestamp};
use crate::ports::store::{Store, StoreError, Turn};
use crate::read_model::{ReadModel, Trouble};

/// What one turn led to, all of it durable.
#[derive(Debug)]
pub struct Taken {
    /// Position of the event in the log.
    pub seq: u64,
    /// What is to be done now.
    pub effects: Vec<Effect>,
    /// What people are told.
    pub notices: Vec<Notice>,
}

/// The board and its store, always in step.
pub struct Ledger {
    board: Board,
    store: Box<dyn Store>,
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ledger")
            .field("board", &self.board)
            .finish_non_exhaustive()
    }
}

impl Ledger {
    /// Reads the board from the store. It sleeps: nothing is started before it is told what runs ([`Event::Woke`]).
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(mut store: Box<dyn Store>) -> Result<Ledger, StoreError> {
        let mut board = store.load()?;
        board.sleep();
        Ok(Ledger { board, store })
    }

    /// The board as of the last turn.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The store, for reading what happened.
    pub fn store(&mut self) -> &mut dyn Store {
        self.store.as_mut()
    }

    /// Takes a turn. When this fails, the board may be ahead of the store: the caller must stop.
    ///
    /// # Errors
    /// When the turn could not be made durable.
    pub fn take(&mut self, now: Timestamp, event: &Event) -> Result<Taken, StoreError> {
        let effects = self.board.apply(now, event);
        let touched = self.board.take_touched();
        let turn = Turn {
            at: now,
            event,
            board: &self.board,
            touched: &touched,
            effects: &effects,
        };
        let seq = self.store.commit(&turn)?;
        let notices = effects.iter().filter_map(notice_of).cloned().collect();
        Ok(Taken {
            seq,
            effects,
            notices,
        })
    }

    /// What people may see now.
    pub fn read_model(&self, now: Timestamp) -> ReadModel {
        let mut model = ReadModel::of(&self.board, now);
        if let Some(text) = self.store.warning() {
            model.troubles.insert(0, Trouble::of_store(text));
        }
        model
    }

    /// Wishes for tasks as a whole that were committed but never seen done. Wishes for attempts are not among them: the board
    /// asks for those again itself when it wakes.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn forgotten(&mut self) -> Result<Vec<Effect>, StoreError> {
        let open = self.store.open_intents()?;
        Ok(open
            .into_iter()
            .filter(|effect| match effect {
                Effect::Retire(task) => self.board.is_clear(task),
                _ => false,
            })
            .collect())
    }
}

fn notice_of(effect: &Effect) -> Option<&Notice> {
    match effect {
        Effect::Notify(notice) => Some(notice),
        Effect::Start(_)
        | Effect::Act(..)
        | Effect::Stop(..)
        | Effect::Verify { .. }
        | Effect::Settle(_)
        | Effect::Retire(_)
        | Effect::Tell(..)
        | Effect::Reply(..) => None,
    }
}
