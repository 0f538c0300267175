//! Environment of what the program starts, as the settings say it.

use crate::config::setting::{FromSettingValue as _, Setting};
use crate::config::value::listed;
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

    /// Returns the entries of a list, those of all sources together: a list of one source takes none away from another.
    fn entries(&self, list: &Setting<Option<String>>) -> Vec<String> {
        let path: Vec<String> = list.name().split('.').map(str::to_owned).collect();
        let texts = self.all(&list.spec, &path).iter();
        let texts = texts.filter_map(|(value, _)| String::from_value(value));
        texts
            .flat_map(|text| listed(&text).map(str::to_owned).collect::<Vec<_>>())
            .collect()
    }

    /// Returns the folders in which the programs of agents and checks are looked for: the `PATH` of the settings, else that of `environment`.
    pub fn search_path(&self, environment: &[(String, String)]) -> Option<String> {
        let set = self.family(&schema::ENVIRONMENT_SET);
        let mut all = set.iter().chain(environment);
        all.find(|(name, _)| name == "PATH").map(|(_, path)| path.clone())
    }
}
