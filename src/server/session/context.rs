//! Context for the engine of a session: the facts about the project.

use crate::adapters::holder::process::{GATE, MARKER};
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup::SessionSetup;
use crate::domain::Timestamp;
use crate::engine::context::{EngineConfig, signature};
use crate::ports::gates::{GateEnv, GateEnvSource};
use crate::ports::git::Signature;

/// Returns the signature of the engine's commits for agents, by the setting; without an address it has the engine's.
fn author(text: Option<&str>) -> Signature {
    let own = signature(Timestamp(0));
    let Some((name, address)) = text.and_then(|text| text.split_once('<')) else {
        let name = text
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty());
        return Signature {
            name: name.unwrap_or_else(|| own.name.clone()),
            ..own
        };
    };
    Signature {
        name: name.trim().to_owned(),
        email: address.trim_end_matches(['>', ' ']).to_owned(),
        ..own
    }
}

/// Returns the source of the environment of gates, as the settings have it at each of them.
fn gate_env(paths: &ProjectPaths, setup: &SessionSetup) -> GateEnvSource {
    let (inherited, program) = (setup.inherited.clone(), setup.program.clone());
    let marker = format!("{}-{GATE}", paths.marker);
    GateEnvSource::new(move || {
        let now = inherited.now();
        let pairs = now.pairs().iter();
        let mut variables: Vec<_> = pairs.map(|(name, value)| (name.into(), value.into())).collect();
        variables.push(("DBS_PROGRAM".into(), program.clone().into()));
        // A gate runs code that agents wrote, so nothing below it calls for a person.
        variables.push((MARKER.into(), marker.clone().into()));
        GateEnv {
            variables,
            hidden: now.hidden().to_vec(),
        }
    })
}

/// Builds the paths, limits and identities of the project for the engine.
pub(super) fn config(paths: &ProjectPaths, setup: &SessionSetup) -> EngineConfig {
    let places = paths.places();
    EngineConfig {
        root: paths.root.clone(),
        attempts: paths.attempts.clone(),
        checkouts: places.checkouts(),
        former_checkouts: places.former_checkouts(),
        unguessable: crate::adapters::project::random_word,
        gate_env: gate_env(paths, setup),
        gate_timeout: setup.gate_timeout,
        marker: paths.marker.clone(),
        log_limit: Some(setup.log_limit),
        min_free_disk: setup.min_free_disk,
        free_disk: crate::adapters::load::room,
        author: author(setup.author.as_deref()),
        commit_message: setup.commit_message.clone(),
        merging: setup.merging.clone(),
    }
}
