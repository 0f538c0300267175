//! The concrete adapters a session works with: the engine's world, agents, holders and live terminals.

use std::sync::Arc;

use parking_lot::RwLock;

use crate::adapters::agents::LocalAgents;
use crate::adapters::clock::{self, WallClock};
use crate::adapters::gates::{RecordedGates, ShellGates};
use crate::adapters::holder::LocalHolders;
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup::SessionSetup;
use crate::domain::event::EndCause;
use crate::domain::{Attempt, AttemptId, Timestamp, Worker};
use crate::engine::context::{EngineConfig, EngineContext, signature};
use crate::engine::inbox::Inbox;
use crate::ports::agents::Agents as _;
use crate::ports::git::{Git, Signature};
use crate::ports::holders::PaneSize;
use crate::server::hub::TerminalHub;
use crate::server::inbox_folder;
use crate::server::intake::SignalIntake;

/// Terminals whose programs are heard to the last word before their end counts.
pub(super) fn terminals(
    holders: &Arc<LocalHolders>,
    setup: &SessionSetup,
    intake: &SignalIntake,
    agents: &Arc<LocalAgents>,
) -> TerminalHub {
    let (last_words, agents, engine) = (intake.clone(), Arc::clone(agents), intake.engine.clone());
    let cause = move |attempt: AttemptId, tail: &str| {
        let attempt = engine.read_model().attempts.get(&attempt).cloned();
        attempt.and_then(|attempt| named(&agents, &attempt, tail))
    };
    TerminalHub::new(
        Arc::clone(holders),
        (setup.engine, setup.history),
        intake.engine.inbox.clone(),
        (
            Box::new(move || inbox_folder::take_all(&last_words)),
            Box::new(cause),
        ),
    )
}

/// Programs in terminals, below the project's folder of attempts.
pub(super) fn local(place: &ProjectPaths, setup: &SessionSetup) -> LocalHolders {
    let (program, attempts) = (setup.program.clone(), place.attempts.clone());
    LocalHolders::new(program, attempts, place.runtime.clone())
}

/// What an agent's tool names as the cause of its end.
pub(super) fn named(agents: &LocalAgents, attempt: &Attempt, tail: &str) -> Option<EndCause> {
    match &attempt.worker {
        Worker::Agent { role, .. } => agents.end_cause(role, tail, clock::now()),
        Worker::Engine(_) => None,
    }
}

/// The outside, as the engine reaches it.
pub(super) fn world(
    (place, setup): (&ProjectPaths, &SessionSetup),
    (git, agents): (&Arc<dyn Git>, &Arc<LocalAgents>),
    holders: &Arc<LocalHolders>,
    (hub, inbox): (&TerminalHub, &Inbox),
) -> Arc<EngineContext> {
    Arc::new(EngineContext {
        git: Arc::clone(git),
        gates: Arc::new(RecordedGates(ShellGates)),
        holders: Arc::clone(holders) as _,
        agents: Arc::clone(agents) as _,
        terminals: Arc::new(hub.clone()),
        clock: Arc::new(WallClock),
        inbox: inbox.clone(),
        config: facts(place, setup),
    })
}

/// Who signs what the engine commits for agents, as the setting says; without an address it is the engine's.
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

/// The kinds of agents, and what each is started with.
pub(super) fn agents(place: &ProjectPaths, setup: &SessionSetup) -> LocalAgents {
    let secret = place.secret.clone();
    LocalAgents {
        program: setup.program.clone(),
        kinds: RwLock::new(setup.agents.clone()),
        inherited: setup.inherited.clone(),
        socket: place.socket.clone(),
        inbox: place.inbox.clone(),
        root: place.root.clone(),
        token: Arc::new(move |attempt, at| secret.token(attempt, at)),
    }
}

fn facts(place: &ProjectPaths, setup: &SessionSetup) -> EngineConfig {
    let env = |(name, value): (String, String)| (name.into(), value.into());
    let mut gate_env: Vec<(std::ffi::OsString, std::ffi::OsString)> = setup
        .inherited
        .clone()
        .into_pairs()
        .into_iter()
        .map(env)
        .collect();
    gate_env.push(("DBS_PROGRAM".into(), setup.program.clone().into()));
    EngineConfig {
        root: place.root.clone(),
        attempts: place.attempts.clone(),
        checkouts: place.checkouts.clone(),
        gate_env,
        gate_timeout: setup.gate_timeout,
        marker: place.marker.clone(),
        size: PaneSize::cells(120, 40),
        log_limit: Some(setup.log_limit),
        author: author(setup.author.as_deref()),
    }
}
