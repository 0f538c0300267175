//! The settings that decide, as the rules want them.

use crate::config::layers::Config;
use crate::config::schema;
use crate::domain::task::GateCommand;
use crate::domain::{BoardSettings, RoleId};

impl Config {
    /// What the rules need; everything else stays with the application.
    pub fn settings(&self) -> BoardSettings {
        let by_role = self.family(&schema::MAX_ROLE_AGENTS).into_iter();
        let gates = self.family(&schema::GATES).into_iter();
        BoardSettings {
            max_agents: self.value(&schema::MAX_TOTAL_AGENTS),
            max_by_role: by_role.map(|(role, most)| (RoleId::new(role), most)).collect(),
            max_starts: self.value(&schema::LIMITS_STARTS_PER_TURN),
            agent_timeout: self.value(&schema::AGENT_TIMEOUT),
            linger: self.value(&schema::LIMITS_LINGER),
            base: self.value(&schema::BASE_BRANCH),
            gates: gates
                .map(|(name, command)| GateCommand { name, command })
                .collect(),
            infra_backoff: self.value(&schema::LIMITS_INFRA_BACKOFF),
            crash_backoff: self.value(&schema::LIMITS_CRASH_BACKOFF),
            cooldown: self.value(&schema::LIMITS_COOLDOWN),
        }
    }
}
