//! `.debussy/config.toml` as far as a session needs it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::app::place::Place;
use crate::formats::diagnostic::line_of;

/// The file.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub(super) struct File {
    pub(super) max_total_agents: u32,
    pub(super) agent_timeout: u64,
    pub(super) base_branch: Option<String>,
    pub(super) gates: BTreeMap<String, String>,
    pub(super) roles: BTreeMap<String, Role>,
    pub(super) rehearsal: Rehearsal,
    pub(super) cooldown: Option<f64>,
    pub(super) crash_backoff: Option<f64>,
}

/// How agents of a role are started.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Role {
    pub(super) agent: String,
    pub(super) command: Option<String>,
    pub(super) scenario: String,
}

/// The scripted agent.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub(super) struct Rehearsal {
    pub(super) scenario: String,
    pub(super) speed: f64,
    pub(super) answer_after: Option<f64>,
}

impl Default for Rehearsal {
    fn default() -> Self {
        Rehearsal { scenario: "demo".to_owned(), speed: 1.0, answer_after: None }
    }
}

impl Default for File {
    fn default() -> Self {
        File {
            max_total_agents: 8,
            agent_timeout: 3600,
            base_branch: None,
            gates: BTreeMap::new(),
            roles: BTreeMap::new(),
            rehearsal: Rehearsal::default(),
            cooldown: None,
            crash_backoff: None,
        }
    }
}

impl File {
    /// Reads it; a missing file is an empty one.
    ///
    /// # Errors
    /// File, line and what is wrong.
    pub(super) fn read(place: &Place) -> Result<File, String> {
        let path = place.debussy.join("config.toml");
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            text => text.map_err(|error| format!("could not read {}: {error}", path.display()))?,
        };
        toml_edit::de::from_str(&text).map_err(|error| {
            let line = error.span().map_or(0, |span| line_of(&text, span.start));
            format!("could not read {}:{line}: {}", path.display(), error.message())
        })
    }
}
