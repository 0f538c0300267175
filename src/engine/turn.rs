//! Turn of the engine: apply, commit, publish. Its effects are performed after, and only after, the commit.

use std::sync::Arc;

use crate::domain::board::ChangedRows;
use crate::domain::{Board, Effect, Event, Notice, Timestamp};
use crate::ports::store::{Store, StoreError, StoredEvent, Turn};
use crate::read_model::{ReadModel, Trouble};

/// Outcome of one committed turn.
#[derive(Debug)]
pub struct TurnOutcome {
    pub effects: Vec<Effect>,
    pub notices: Vec<Notice>,
}

/// The board together with its store, changed only by committed turns.
pub struct DurableBoard {
    board: Board,
    store: Box<dyn Store>,
    mask: Option<MaskFn>,
    /// Changes and effects of the last turn, while it is not written.
    unwritten: Option<UnwrittenTurn>,
}

/// A turn that the board has taken and the store has not.
struct UnwrittenTurn {
    at: Timestamp,
    /// Event without the secrets that were in it, or with the additions of the board, if there was either.
    stored: Option<Event>,
    changed: ChangedRows,
    effects: Vec<Effect>,
}

/// Function that answers an event without the secrets in it; nothing when there are none.
pub type MaskFn = Arc<dyn Fn(&Board, &Event) -> Option<Event> + Send + Sync>;

impl DurableBoard {
    /// Reads the board from the store. It sleeps: nothing is started before it knows the running agents ([`Event::Woke`]).
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(mut store: Box<dyn Store>) -> Result<DurableBoard, StoreError> {
        let mut board = store.load()?;
        board.sleep();
        Ok(DurableBoard {
            board,
            store,
            mask: None,
            unwritten: None,
        })
    }

    /// The same, but no secret that `mask` knows is taken in.
    #[must_use]
    pub fn with_mask(self, mask: MaskFn) -> DurableBoard {
        DurableBoard {
            mask: Some(mask),
            ..self
        }
    }

    /// The board as of the last turn.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the notices of the last events, of at most `events` events, oldest first, and the time when each was written.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn recent_notices(&mut self, events: usize) -> Result<Vec<(Timestamp, Notice)>, StoreError> {
        let events = self.store.recent_events(events)?;
        let notices = |event: StoredEvent| event.notices.into_iter().map(move |notice| (event.at, notice));
        Ok(events.into_iter().flat_map(notices).collect())
    }

    /// Returns the clock time at which the last turn was written; `None` before the first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn last_turn_at(&mut self) -> Result<Option<Timestamp>, StoreError> {
        let newest = self.store.recent_events(1)?;
        Ok(newest.last().map(|event| event.at))
    }

    /// Takes a turn. When this fails, the board is ahead of the store: the caller must stop, or write the turn before anything else.
    ///
    /// # Errors
    /// When the turn could not be made durable.
    pub fn take_turn(&mut self, now: Timestamp, event: &Event) -> Result<TurnOutcome, StoreError> {
        let masked = self.mask.as_ref().and_then(|mask| mask(&self.board, event));
        let stored = masked.or_else(|| self.board.completed(event));
        let effects = self.board.apply(now, stored.as_ref().unwrap_or(event));
        let changed = self.board.take_changed_rows();
        self.write(
            event,
            UnwrittenTurn {
                at: now,
                stored,
                changed,
                effects,
            },
        )
    }

    /// Writes the turn of that event again, which failed before.
    ///
    /// # Errors
    /// When it still cannot be made durable.
    pub fn write_again(&mut self, event: &Event) -> Result<TurnOutcome, StoreError> {
        match self.unwritten.take() {
            Some(turn) => self.write(event, turn),
            None => Err(StoreError::Failed {
                what: "write a turn again".to_owned(),
                why: "none is unwritten".to_owned(),
            }),
        }
    }

    fn write(&mut self, event: &Event, unwritten: UnwrittenTurn) -> Result<TurnOutcome, StoreError> {
        let committed = self.store.commit(&Turn {
            at: unwritten.at,
            event: unwritten.stored.as_ref().unwrap_or(event),
            board: &self.board,
            changed: &unwritten.changed,
            effects: &unwritten.effects,
        });
        if let Err(error) = committed {
            self.unwritten = Some(unwritten);
            return Err(error);
        }
        let effects = unwritten.effects;
        let notices = effects.iter().filter_map(Effect::notice).cloned().collect();
        Ok(TurnOutcome { effects, notices })
    }

    /// Returns the model of what people may see now.
    pub fn read_model(&self, now: Timestamp) -> ReadModel {
        let mut model = ReadModel::of(&self.board, now);
        if let Some(warning) = self.store.warning() {
            model.troubles.insert(0, Trouble::of_store(warning));
        }
        model
    }

    /// Effects on whole tasks that were committed but never seen done. Effects on attempts are not among them: the board
    /// asks for those again itself when it wakes.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn unfinished_effects(&mut self) -> Result<Vec<Effect>, StoreError> {
        let open = self.store.open_intents()?;
        Ok(open
            .into_iter()
            .filter(|effect| match effect {
                Effect::Retire(task) => self.board.is_retirable(task),
                Effect::Deliver(task) => self.board.delivers(task),
                _ => false,
            })
            .collect())
    }
}
