//! What comes with the settings of a project beside their values: kinds of agents, and what of its files waits for trust.

use crate::config::layers::Config;
use crate::domain::UntrustedFiles;
use crate::formats::agent_kind::AgentKinds;

impl Config {
    /// The same settings, which lack what nobody has trusted yet.
    #[must_use]
    pub(super) fn with_untrusted(mut self, untrusted: Option<UntrustedFiles>) -> Config {
        self.untrusted = untrusted;
        self
    }

    /// The same settings with kinds of agents of the project.
    #[must_use]
    pub(super) fn with_agent_kinds(mut self, agent_kinds: AgentKinds) -> Config {
        self.agent_kinds = agent_kinds;
        self
    }

    /// Kinds of agents that files describe: those of the program, and those of the project that are trusted.
    pub fn agent_kinds(&self) -> &AgentKinds {
        &self.agent_kinds
    }

    /// What of the project's files nobody has trusted yet.
    pub fn untrusted(&self) -> Option<&UntrustedFiles> {
        self.untrusted.as_ref()
    }
}
