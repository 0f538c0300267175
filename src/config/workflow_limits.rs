//! Limits of workflows as the settings have them: `limits.<workflow>.<limit>`, and `max_retries` of earlier programs (P21, P51).

use crate::config::setting::Setting;
use crate::config::{Config, schema};
use crate::domain::{FailureClass, Workflow};
use crate::formats::plan::PlanKind;

type Limit = Setting<Option<u32>>;

/// Settings of the limits for each class of failures.
static BY_CLASS: [(&Limit, FailureClass); 6] = [
    (&schema::LIMIT_CRASH, FailureClass::Crash),
    (&schema::LIMIT_TIMEOUT, FailureClass::Timeout),
    (&schema::LIMIT_EMPTY, FailureClass::Empty),
    (&schema::LIMIT_GATE, FailureClass::Gate),
    (&schema::LIMIT_PROTOCOL, FailureClass::Protocol),
    (&schema::LIMIT_FAILED, FailureClass::Failed),
];

/// Replaces the limits that the settings name; the number of retries of earlier programs is one less than that of tries.
pub(super) fn apply(config: &Config, flows: &mut [Workflow]) {
    let of = |name: &str, flows: &mut [Workflow], change: &dyn Fn(&mut Workflow)| {
        if let Some(flow) = flows.iter_mut().find(|flow| flow.id.as_str() == name) {
            change(flow);
        }
    };
    if let Some(retries) = config.value(&schema::MAX_RETRIES) {
        let tries = retries.saturating_add(1);
        of(PlanKind::Phased.workflow(), flows, &|flow| {
            let all = BY_CLASS.iter().map(|(_, class)| (*class, tries));
            flow.limits.by_class.extend(all);
        });
    }
    for (setting, class) in &BY_CLASS {
        for (name, most) in config.family(setting) {
            of(&name, flows, &|flow| {
                flow.limits.by_class.insert(*class, most);
            });
        }
    }
    for (name, most) in config.family(&schema::LIMIT_REJECTIONS) {
        of(&name, flows, &|flow| flow.limits.rejections = most);
    }
    for (name, most) in config.family(&schema::LIMIT_SPAWNS) {
        of(&name, flows, &|flow| flow.limits.spawns = most);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::{ConfigFiles, ConfigOverrides};
    use crate::formats::workflow;

    /// The limits of a built-in workflow with these settings: those by class, then rejections and attempts.
    fn limits(name: &str, text: &str) -> (Vec<u32>, u32, u32) {
        let folder = tempfile::tempdir().unwrap();
        let places = ConfigFiles::new(folder.path(), None, None);
        std::fs::write(places.toml(), text).unwrap();
        let config = Config::read(&places, &ConfigOverrides::default());
        assert!(config.diagnostics().is_empty(), "{:?}", config.diagnostics());
        let files = workflow::builtin().into_iter();
        let mut flows: Vec<Workflow> = files
            .filter_map(|(file, text)| workflow::read(Path::new(file), text).0)
            .collect();
        apply(&config, &mut flows);
        let flow = flows.iter().find(|flow| flow.id.as_str() == name).unwrap();
        let most = |(_, class): &(&Limit, FailureClass)| flow.limits.by_class[class];
        let by_class = BY_CLASS.iter().map(most).collect();
        (by_class, flow.limits.rejections, flow.limits.spawns)
    }

    #[test]
    fn every_limit_of_a_workflow_can_be_set_and_those_of_others_stay() {
        let own = "[limits.phased]\ncrash = 11\ntimeout = 12\nempty = 13\ngate = 14\nprotocol = 15\nfailed = 16\nrejections = 17\nspawns = 18\n";
        assert_eq!(limits("phased", own), (vec![11, 12, 13, 14, 15, 16], 17, 18));
        assert_eq!(limits("kanban", own), limits("kanban", ""));
    }

    #[test]
    fn the_retries_of_earlier_programs_are_one_less_than_the_tries_of_a_phase() {
        assert_eq!(limits("phased", "max_retries = 0\n").0, [1; 6]);
        let both = "max_retries = 4\n[limits.phased]\ngate = 9\n";
        assert_eq!(limits("phased", both).0, [5, 5, 5, 9, 5, 5]);
        assert_eq!(limits("graph", both), limits("graph", ""));
    }
}
