//! Refusal of signals that come too late or too often, whatever they say: judged from the attempt alone, before an event is made of them.

use crate::attempt::{Attempt, AttemptState};
use crate::command::Refusal;
use crate::id::AttemptId;
use crate::signal::{Signal, SignalKind};

/// Reason to refuse a signal whatever it says.
#[derive(Clone, Copy)]
pub(super) enum SignalFault {
    /// The attempt is over, so its token is void.
    Late,
    /// Too many signals of its kind were accepted before.
    TooMany,
}

impl Attempt {
    /// Returns the refusal of a new signal that the board would not take whatever it says, as far as the attempt alone tells. A signal that
    /// was received before is not refused.
    pub fn signal_refusal(&self, kind: SignalKind, key: &str) -> Option<Refusal> {
        let is_over = matches!(self.state, AttemptState::Settled(_));
        let fault = self.signal_fault(kind, is_over)?;
        self.received(key).is_none().then(|| fault.refusal(self.id, kind))
    }

    pub(super) fn signal_fault(&self, kind: SignalKind, is_over: bool) -> Option<SignalFault> {
        if is_over {
            return Some(SignalFault::Late);
        }
        self.has_sent_enough(kind).then_some(SignalFault::TooMany)
    }

    /// Returns true if the signal of that key was accepted, false if it was not allowed; `None` for a new one.
    pub(super) fn received(&self, key: &str) -> Option<bool> {
        let has_key = |signals: &[Signal]| signals.iter().any(|before| before.key == key);
        let was_accepted = has_key(&self.signals);
        (was_accepted || has_key(&self.refused)).then_some(was_accepted)
    }
}

impl SignalFault {
    pub(super) fn refusal(self, id: AttemptId, kind: SignalKind) -> Refusal {
        Refusal::new(match self {
            SignalFault::Late => format!("attempt {id} is over: {kind} came too late"),
            SignalFault::TooMany => {
                format!("attempt {id} has sent too many {kind} signals: no more of them are taken")
            }
        })
    }
}
