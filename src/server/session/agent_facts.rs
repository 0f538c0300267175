//! Facts about the agents of a session, from its board and the tools that play its roles.

use std::sync::Arc;

use crate::adapters::agents::{LocalAgents, ReadScreen, TypedPrompt};
use crate::adapters::clock;
use crate::adapters::holder::LocalHolders;
use crate::agent_state::AgentReport;
use crate::config::session_setup::SessionSetup;
use crate::domain::event::EndCause;
use crate::domain::{AgentDisplay, Attempt, AttemptId, Timestamp};
use crate::ports::agents::Agents as _;
use crate::server::hooks::still_asked;
use crate::server::hub::{AgentFacts, TerminalHub};
use crate::server::inbox_folder;
use crate::server::intake::SignalIntake;

/// Returns terminals that know the agents of the session.
pub(super) fn terminals(
    holders: &Arc<LocalHolders>,
    setup: &SessionSetup,
    intake: &SignalIntake,
    agents: &Arc<LocalAgents>,
) -> TerminalHub {
    let facts = SessionFacts {
        agents: Arc::clone(agents),
        intake: intake.clone(),
    };
    TerminalHub::new(
        Arc::clone(holders),
        setup.engine,
        setup.history,
        intake.engine.inbox.clone(),
        Box::new(facts),
    )
}

/// Facts about the agents of one session.
struct SessionFacts {
    agents: Arc<LocalAgents>,
    intake: SignalIntake,
}

impl SessionFacts {
    fn attempt(&self, id: AttemptId) -> Option<Arc<Attempt>> {
        self.intake.engine.read_model().attempts.get(&id).cloned()
    }
}

impl AgentFacts for SessionFacts {
    fn before_end(&self) {
        inbox_folder::take_all(&self.intake);
    }

    fn end_cause(&self, attempt: AttemptId, tail: &str) -> Option<EndCause> {
        end_cause(&self.agents, &*self.attempt(attempt)?, tail)
    }

    fn read_title(&self, attempt: AttemptId, title: &str) -> AgentReport {
        let attempt = self.attempt(attempt);
        let of = attempt.as_ref().and_then(|attempt| attempt.role_choice());
        of.map(|of| self.agents.read_title(of, title)).unwrap_or_default()
    }

    fn login_hint(&self, attempt: AttemptId) -> Option<String> {
        self.agents.way_to_log_in(self.attempt(attempt)?.role_choice()?)
    }

    fn prompt_to_type(&self, attempt: AttemptId) -> Option<TypedPrompt> {
        self.agents
            .prompt_to_type(self.attempt(attempt)?.role_choice()?, attempt)
    }

    fn screen_reader(&self, attempt: AttemptId) -> Option<ReadScreen> {
        let attempt = self.attempt(attempt)?;
        // Without an interface there are no dialogs, only texts about them.
        let is_visible = attempt.choice.display() != Some(AgentDisplay::Headless);
        self.agents
            .screen_reader(attempt.role_choice().filter(|_| is_visible)?)
    }

    fn limit_end(&self, attempt: AttemptId, words: &str) -> Option<Timestamp> {
        match self.end_cause(attempt, words)? {
            EndCause::Quota { until, .. } => until,
            EndCause::Infra(_) => None,
        }
    }

    fn continues_after_errors(&self, attempt: AttemptId) -> bool {
        self.attempt(attempt).is_some_and(|attempt| {
            let is_headless = attempt.choice.display() == Some(AgentDisplay::Headless);
            let of = attempt.role_choice();
            is_headless || of.is_some_and(|of| self.agents.goes_on_after_errors(of))
        })
    }

    fn request_before(&self, attempt: AttemptId) -> Option<AgentReport> {
        still_asked(&*self.attempt(attempt)?, clock::now())
    }
}

/// Returns the cause of its end that an agent's tool names.
pub(super) fn end_cause(agents: &LocalAgents, attempt: &Attempt, tail: &str) -> Option<EndCause> {
    agents.end_cause(attempt.role_choice()?, tail, clock::now())
}
