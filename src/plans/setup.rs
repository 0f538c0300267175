//! Settings of a project as far as plans depend on them.

use std::collections::BTreeMap;

use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup;
use crate::domain::task::GateCommand;
use crate::domain::workflow::Actor;
use crate::domain::{self, AgentSettings, BoardSettings, FailureClass, Workflow, pluralized};
use crate::formats::plan::PlanKind;

/// Settings and workflows as they stand in the project's files.
#[derive(Debug, Default)]
pub struct PlanSetup {
    pub settings: BoardSettings,
    pub workflows: Vec<Workflow>,
    /// Templates of new plans that replace those of the program, by the names of their files.
    pub templates: BTreeMap<String, String>,
}

impl PlanSetup {
    /// Reads the settings of a project; nothing is set if they cannot be read.
    pub fn read(paths: &ProjectPaths) -> PlanSetup {
        let read = session_setup::reread(paths).unwrap_or_default();
        let (settings, workflows) = read;
        PlanSetup {
            settings,
            workflows,
            templates: paths.trust.plan_templates(),
        }
    }

    /// Returns true if Claude works on the items of such a plan.
    pub fn works_with_claude(&self, kind: PlanKind) -> bool {
        self.is_claude(kind.workflow(), None)
    }

    /// Returns true if Claude works at a stage of a workflow, or at its first.
    pub fn is_claude(&self, workflow: &str, stage: Option<&str>) -> bool {
        let flow = self.workflow(workflow);
        let stage = flow.and_then(|flow| flow.stage(&stage.map_or_else(|| flow.entry.clone(), Into::into)));
        let chosen = stage.and_then(|stage| {
            let Actor::Role(role) = &stage.actor else {
                return None;
            };
            let nothing = AgentSettings::default();
            self.settings.agents.choose(role, &stage.id, &nothing).agent
        });
        chosen.is_some_and(|agent| agent.value == "claude")
    }

    /// Returns how many failures of each kind end an item of such a plan.
    pub fn limits(&self, kind: PlanKind) -> String {
        let Some(flow) = self.workflow(kind.workflow()) else {
            return "any number of failures".to_owned();
        };
        let counted = [
            (FailureClass::Gate, "failed check"),
            (FailureClass::Crash, "crash"),
            (FailureClass::Timeout, "timeout"),
            (FailureClass::Empty, "empty try"),
            (FailureClass::Failed, "reported failure"),
        ];
        let limits = counted.iter().filter_map(|(class, word)| {
            let most = usize::try_from(*flow.limits.by_class.get(class)?).ok()?;
            Some(match *word {
                "crash" => domain::counted(most, "crash", "crashes"),
                "empty try" => domain::counted(most, "empty try", "empty tries"),
                word => pluralized(most, word),
            })
        });
        limits.collect::<Vec<_>>().join(", ")
    }

    fn workflow(&self, id: &str) -> Option<&Workflow> {
        self.workflows.iter().find(|flow| flow.id.as_str() == id)
    }
}

/// Returns the gates of the project, by whose names a plan may use their commands.
pub fn own_gates(paths: Option<&ProjectPaths>) -> Vec<GateCommand> {
    paths
        .map(|paths| PlanSetup::read(paths).settings.gates)
        .unwrap_or_default()
}
