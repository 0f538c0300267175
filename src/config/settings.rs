//! The settings that decide, as the rules want them.

use crate::config::layers::Config;
use crate::config::value::SettingValue;
use crate::domain::task::GateCommand;
use crate::domain::{BoardSettings, RoleId, time::Span};

impl Config {
    /// What the rules need; everything else stays with the application.
    pub fn settings(&self) -> BoardSettings {
        BoardSettings {
            max_agents: small(self.count("max_total_agents")),
            max_by_role: self.by_role(),
            max_starts: small(self.count("limits.starts_per_turn")),
            agent_timeout: span(self.count("agent_timeout")),
            linger: span(self.count("limits.linger")),
            base: self.text("base_branch"),
            gates: self.gates(),
            infra_backoff: span(self.count("limits.infra_backoff")),
            crash_backoff: span(self.count("limits.crash_backoff")),
            cooldown: match self.get("limits.cooldown") {
                Ok(Some(SettingValue::Count(seconds))) => Some(span(seconds)),
                Ok(_) | Err(_) => None,
            },
        }
    }

    fn by_role(&self) -> std::collections::BTreeMap<RoleId, u32> {
        let all = self.family("max_role_agents").into_iter();
        all.filter_map(|(role, most)| match most {
            SettingValue::Count(most) => Some((RoleId::new(role), small(most))),
            SettingValue::Decimal(_)
            | SettingValue::Switch(_)
            | SettingValue::Text(_)
            | SettingValue::Secret(_) => None,
        })
        .collect()
    }

    fn gates(&self) -> Vec<GateCommand> {
        let all = self.family("gates").into_iter();
        all.map(|(name, command)| GateCommand {
            name,
            command: command.to_string(),
        })
        .collect()
    }
}

fn small(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

fn span(seconds: i64) -> Span {
    Span::seconds(u64::try_from(seconds).unwrap_or(0))
}
