//! Signals of a rehearsal to the engine: sent through a sink it is given, because siblings do not know each other.

use crate::domain::SignalKind;

/// A signal that a rehearsal sends.
#[derive(Debug, Clone, PartialEq)]
pub struct OutgoingSignal {
    pub attempt: String,
    pub token: String,
    pub kind: SignalKind,
    /// Reason, finding, step or question; may be empty.
    pub text: String,
    pub report: Option<serde_json::Value>,
    /// Unique, so that the same signal arriving twice counts once.
    pub key: String,
}

/// Reason why a signal was not taken.
pub type SinkError = Box<dyn std::error::Error + Send + Sync>;

/// Receiver of a rehearsal's signals. The text of an error is shown to the person and ends the rehearsal.
pub trait SignalSink {
    /// Hands one signal over; returns only when it is safe there.
    ///
    /// # Errors
    /// When it was not taken; the text is a lower-case fragment.
    fn send(&mut self, signal: &OutgoingSignal) -> Result<(), SinkError>;
}
