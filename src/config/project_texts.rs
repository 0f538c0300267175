//! Texts that come with the settings of a project beside their values: kinds of agents, the notice of files that wait for trust, and the
//! settings without an effect.

use crate::config::layers::Config;
use crate::config::origin::SettingOrigin;
use crate::config::{agent_layers, schema};
use crate::domain::UntrustedFiles;
use crate::formats::agent_kind::AgentKinds;

impl Config {
    /// Returns the same settings with the notice of what is not trusted yet, and is missing among them.
    #[must_use]
    pub(super) fn with_untrusted(mut self, untrusted: Option<UntrustedFiles>) -> Config {
        self.untrusted = untrusted;
        self
    }

    /// Returns the same settings with kinds of agents of the project.
    #[must_use]
    pub(super) fn with_agent_kinds(mut self, agent_kinds: AgentKinds) -> Config {
        self.agent_kinds = agent_kinds;
        self
    }

    /// Returns the kinds of agents that files describe: those of the program, and those of the project that are trusted.
    pub fn agent_kinds(&self) -> &AgentKinds {
        &self.agent_kinds
    }

    /// Returns the settings that are set and have no effect, a line each, with the reason.
    pub fn idle(&self) -> Vec<String> {
        let set = self
            .list()
            .into_iter()
            .filter(|shown| shown.origin != SettingOrigin::Default);
        let idle =
            set.filter_map(|shown| Some(format!("{}, at {}: {}", shown.key, shown.origin, shown.note?)));
        idle.chain(self.idle_model()).collect()
    }

    /// Returns the line about an earlier program's `model` that another setting keeps from having an effect.
    fn idle_model(&self) -> Option<String> {
        let model = self.value(&schema::MODEL)?;
        let is_used = agent_layers::read(self).others.model == Some(model);
        let shown = self
            .list()
            .into_iter()
            .find(|shown| shown.key == schema::MODEL.name())?;
        let why = "without effect: roles.default.agent is not claude, or roles.default.model is set";
        (!is_used).then(|| format!("{}, at {}: {why}", shown.key, shown.origin))
    }

    /// Returns the notice of the project's files that are not trusted yet.
    pub fn untrusted(&self) -> Option<&UntrustedFiles> {
        self.untrusted.as_ref()
    }
}
