//! How a rehearsal speaks to the engine: through a sink it is given, because siblings do not know each other.

use std::io::Write;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::domain::SignalKind;

/// A signal that a rehearsal sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// Where a rehearsal sends its signals. The text of an error is shown to the person and ends the rehearsal.
pub trait SignalSink {
    /// Hands one signal over; returns only when it is safe there.
    ///
    /// # Errors
    /// Why it was not taken, as a lower-case fragment.
    fn send(&mut self, signal: &OutgoingSignal) -> Result<(), String>;
}

/// Sink that writes each signal as a JSON file into the inbox folder. Without a folder signals are only shown on the screen,
/// which is what a scenario tried by hand needs.
#[derive(Debug, Clone, Default)]
pub struct InboxSink {
    folder: Option<PathBuf>,
}

impl InboxSink {
    /// A sink into a folder, which is created when it is missing.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self { folder }
    }
}

impl SignalSink for InboxSink {
    fn send(&mut self, signal: &OutgoingSignal) -> Result<(), String> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let keep = || -> std::io::Result<()> {
            std::fs::create_dir_all(folder)?;
            let mut file = tempfile::Builder::new().prefix(".signal-").tempfile_in(folder)?;
            serde_json::to_writer(&mut file, signal)?;
            file.flush()?;
            file.as_file().sync_all()?;
            file.persist(folder.join(format!("{}.json", signal.key)))?;
            Ok(())
        };
        keep().map_err(|error| format!("write into {}: {error}", folder.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_one_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let signal = OutgoingSignal {
            attempt: "7".into(),
            token: "t".into(),
            kind: SignalKind::Done,
            text: "all good".into(),
            report: Some(serde_json::json!({ "n": 1 })),
            key: "k-1".into(),
        };
        InboxSink::new(Some(folder.path().join("inbox")))
            .send(&signal)
            .unwrap();
        let names: Vec<_> = std::fs::read_dir(folder.path().join("inbox")).unwrap().collect();
        assert_eq!(names.len(), 1);
        let text = std::fs::read_to_string(folder.path().join("inbox/k-1.json")).unwrap();
        assert_eq!(serde_json::from_str::<OutgoingSignal>(&text).unwrap(), signal);
    }

    #[test]
    fn a_folder_that_cannot_be_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let signal = OutgoingSignal {
            attempt: String::new(),
            token: String::new(),
            kind: SignalKind::Claim,
            text: String::new(),
            report: None,
            key: "k".into(),
        };
        assert!(
            InboxSink::new(Some(file.path().join("x")))
                .send(&signal)
                .unwrap_err()
                .contains("write into")
        );
    }
}
