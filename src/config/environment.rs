//! Environment of what the program starts, as the settings say it.

use crate::config::{Config, schema};
use crate::domain::EnvironmentRules;

impl Config {
    /// Returns the rules for the variables that agents, checks and shells get.
    pub fn environment_rules(&self) -> EnvironmentRules {
        EnvironmentRules {
            mode: self.choice(&schema::ENVIRONMENT_MODE),
            pass: self.entries(&schema::ENVIRONMENT_PASS),
            hide: self.entries(&schema::ENVIRONMENT_HIDE),
            set: self.family(&schema::ENVIRONMENT_SET),
        }
    }

    /// Returns the folders in which the programs of agents and checks are looked for: the `PATH` of the settings, else that of `environment`.
    pub fn search_path(&self, environment: &[(String, String)]) -> Option<String> {
        let set = self.family(&schema::ENVIRONMENT_SET);
        let mut all = set.iter().chain(environment);
        all.find(|(name, _)| name == "PATH").map(|(_, path)| path.clone())
    }
}
