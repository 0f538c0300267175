//! Context for the engine of a session: live terminals, causes of ends, and the facts about the project.

use std::sync::Arc;

use crate::adapters::agents::LocalAgents;
use crate::adapters::clock;
use crate::adapters::holder::LocalHolders;
use crate::adapters::holder::process::{GATE, MARKER};
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup::SessionSetup;
use crate::domain::event::EndCause;
use crate::domain::{AgentDisplay, Attempt, AttemptId, Timestamp};
use crate::engine::context::{EngineConfig, signature};
use crate::ports::agents::Agents as _;
use crate::ports::git::Signature;
use crate::ports::holders::PaneSize;
use crate::server::engine_handle::EngineHandle;
use crate::server::hooks::still_asked;
use crate::server::hub::{ScreenReaderFn, TerminalHub, ToolFacts};
use crate::server::inbox_folder;
use crate::server::intake::SignalIntake;

/// Returns terminals that take in the last signals of a program before its end counts.
pub(super) fn terminals(
    holders: &Arc<LocalHolders>,
    setup: &SessionSetup,
    intake: &SignalIntake,
    agents: &Arc<LocalAgents>,
) -> TerminalHub {
    let (signals, known, engine) = (intake.clone(), Arc::clone(agents), intake.engine.clone());
    let cause = move |id, tail: &str| end_cause(&known, attempt_of(&engine, id)?.as_ref(), tail);
    TerminalHub::new(
        Arc::clone(holders),
        setup.engine,
        setup.history,
        intake.engine.inbox.clone(),
        Box::new(move || inbox_folder::take_all(&signals)),
        Box::new(cause),
        tool_facts(&intake.engine, agents),
    )
}

/// Returns what the terminals ask about the tools of the agents in them.
fn tool_facts(engine: &EngineHandle, agents: &Arc<LocalAgents>) -> ToolFacts {
    let (known, board) = (Arc::clone(agents), engine.clone());
    let title = move |id, title: &str| {
        let attempt = attempt_of(&board, id);
        let of = attempt.as_ref().and_then(|attempt| attempt.role_choice());
        of.map(|of| known.read_title(of, title)).unwrap_or_default()
    };
    let (known, board) = (Arc::clone(agents), engine.clone());
    let login = move |id| known.way_to_log_in(attempt_of(&board, id)?.role_choice()?);
    let (known, board) = (Arc::clone(agents), engine.clone());
    let prompt = move |id| known.prompt_to_type(attempt_of(&board, id)?.role_choice()?, id);
    let (known, board) = (Arc::clone(agents), engine.clone());
    let limit = move |id, words: &str| match end_cause(&known, attempt_of(&board, id)?.as_ref(), words)? {
        EndCause::Quota { until, .. } => until,
        EndCause::Infra(_) => None,
    };
    let (known, board) = (Arc::clone(agents), engine.clone());
    let goes_on = move |id| {
        attempt_of(&board, id).is_some_and(|attempt| {
            let is_headless = attempt.choice.display() == Some(AgentDisplay::Headless);
            let of = attempt.role_choice();
            is_headless || of.is_some_and(|of| known.goes_on_after_errors(of))
        })
    };
    let board = engine.clone();
    let asked = move |id| still_asked(attempt_of(&board, id)?.as_ref(), clock::now());
    ToolFacts {
        read_title: Box::new(title),
        way_to_log_in: Box::new(login),
        prompt_to_type: Box::new(prompt),
        screen_reader: screen_reader(engine, agents),
        limit_ends: Box::new(limit),
        goes_on_after_errors: Box::new(goes_on),
        still_asked: Box::new(asked),
    }
}

/// Returns an attempt as the board knows it now.
fn attempt_of(engine: &EngineHandle, id: AttemptId) -> Option<Arc<Attempt>> {
    engine.read_model().attempts.get(&id).cloned()
}

/// Returns the function that finds readers for the screens of agents whose tools have reported nothing yet.
fn screen_reader(engine: &EngineHandle, agents: &Arc<LocalAgents>) -> ScreenReaderFn {
    let (known, board) = (Arc::clone(agents), engine.clone());
    Box::new(move |id| {
        let attempt = attempt_of(&board, id)?;
        // Without an interface there are no dialogs, only texts about them.
        let is_visible = attempt.choice.display() != Some(AgentDisplay::Headless);
        known.screen_reader(attempt.role_choice().filter(|_| is_visible)?)
    })
}

/// Returns the cause of its end that an agent's tool names.
pub(super) fn end_cause(agents: &LocalAgents, attempt: &Attempt, tail: &str) -> Option<EndCause> {
    agents.end_cause(attempt.role_choice()?, tail, clock::now())
}

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

/// Builds the paths, limits and identities of the project for the engine.
pub(super) fn config(paths: &ProjectPaths, setup: &SessionSetup) -> EngineConfig {
    let env = |(name, value): (String, String)| (name.into(), value.into());
    let mut gate_env: Vec<(std::ffi::OsString, std::ffi::OsString)> = setup
        .inherited
        .clone()
        .into_pairs()
        .into_iter()
        .map(env)
        .collect();
    gate_env.push(("DBS_PROGRAM".into(), setup.program.clone().into()));
    // A gate runs code that agents wrote, so nothing below it calls for a person.
    gate_env.push((MARKER.into(), format!("{}-{GATE}", paths.marker).into()));
    EngineConfig {
        root: paths.root.clone(),
        attempts: paths.attempts.clone(),
        checkouts: paths.checkouts.clone(),
        unguessable: crate::adapters::project::random_word,
        gate_env,
        gate_timeout: setup.gate_timeout,
        marker: paths.marker.clone(),
        size: PaneSize::cells(120, 40),
        log_limit: Some(setup.log_limit),
        min_free_disk: setup.min_free_disk,
        free_disk: crate::adapters::load::room,
        author: author(setup.author.as_deref()),
        commit_message: setup.commit_message.clone(),
    }
}
