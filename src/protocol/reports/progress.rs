//! Progress that an agent at work reported.

use crate::domain::{Attempt, SignalKind, Span, Worker};
use crate::read_model::ReadModel;

/// Silence after which an agent that reports no step is said to be silent.
const LONG_SILENCE: Span = Span::minutes(10);

/// Returns the last step that an agent at work reported, and the time of silence since then; an agent that never reported one is silent
/// from its start, which is shown once it is long (P39).
pub(super) fn progress(model: &ReadModel, attempt: &Attempt) -> Option<String> {
    let Worker::Agent { .. } = &attempt.worker else {
        return None;
    };
    let mut steps = attempt.signals.iter().rev();
    if let Some(step) = steps.find(|signal| signal.kind == SignalKind::Progress) {
        return Some(format!(
            "last step {} ago: {}",
            model.at.since(step.at),
            step.text
        ));
    }
    let silent = model.at.since(attempt.started_at?);
    (silent >= LONG_SILENCE).then(|| format!("no step reported in {silent}"))
}
