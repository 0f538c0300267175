//! Facts about the agents of a session, from its board and the tools that play its roles.

use std::sync::Arc;

use crate::adapters::agents::{LocalAgents, ReadScreen, TypedPrompt, limit_end};
use crate::adapters::clock;
use crate::adapters::holder::LocalHolders;
use crate::agent_state::{AgentReport, Doing};
use crate::config::session_setup::SessionSetup;
use crate::domain::event::EndCause;
use crate::domain::{AgentDisplay, Attempt, AttemptId, Timestamp};
use crate::ports::agents::Agents as _;
use crate::server::signals::hooks::still_asked;
use crate::server::signals::inbox_folder;
use crate::server::signals::intake::SignalIntake;
use crate::server::terminals::hub::{TerminalAgents, TerminalHub};

/// Returns terminals that know the agents of the session.
pub(super) fn terminals(
    holders: &Arc<LocalHolders>,
    setup: &SessionSetup,
    intake: &SignalIntake,
    agents: &Arc<LocalAgents>,
) -> TerminalHub {
    let facts = SessionAgents {
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
struct SessionAgents {
    agents: Arc<LocalAgents>,
    intake: SignalIntake,
}

impl SessionAgents {
    fn attempt(&self, id: AttemptId) -> Option<Arc<Attempt>> {
        self.intake.engine.read_model().attempts.get(&id).cloned()
    }
}

impl TerminalAgents for SessionAgents {
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

    fn read_screen(&self, attempt: AttemptId, screen: &str) -> Option<Doing> {
        let attempt = self.attempt(attempt).filter(|attempt| is_visible(attempt))?;
        self.agents.read_screen(attempt.role_choice()?, screen)
    }

    fn login_hint(&self, attempt: AttemptId) -> Option<String> {
        self.agents.way_to_log_in(self.attempt(attempt)?.role_choice()?)
    }

    fn prompt_to_type(&self, attempt: AttemptId) -> Option<TypedPrompt> {
        self.agents
            .prompt_to_type(self.attempt(attempt)?.role_choice()?, attempt)
    }

    fn screen_reader(&self, attempt: AttemptId) -> Option<ReadScreen> {
        let attempt = self.attempt(attempt).filter(|attempt| is_visible(attempt))?;
        self.agents.screen_reader(attempt.role_choice()?)
    }

    fn keeps_sessions(&self, attempt: AttemptId) -> bool {
        let attempt = self.attempt(attempt);
        let of = attempt.as_ref().and_then(|attempt| attempt.role_choice());
        of.is_some_and(|of| self.agents.keeps_sessions(of))
    }

    fn has_interface(&self, attempt: AttemptId) -> bool {
        self.attempt(attempt).is_some_and(|attempt| is_visible(&attempt))
    }

    fn limit_end(&self, attempt: AttemptId, words: &str) -> Option<Timestamp> {
        match self.end_cause(attempt, words) {
            Some(EndCause::Quota {
                until: Some(until), ..
            }) => Some(until),
            _ => limit_end(words, clock::now(), &clock::time_zone()),
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

/// Returns true if the tool of an agent has its interface. Without one there are no dialogs, only texts about them.
fn is_visible(attempt: &Attempt) -> bool {
    attempt.choice.display() != Some(AgentDisplay::Headless)
}
