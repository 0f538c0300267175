//! Usage of agents, grouped as a person wants to see it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::{Spending, Usage};
use crate::read_model::ReadModel;

/// Criterion by which figures are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostGroup {
    Task,
    Batch,
    Stage,
    Role,
    Day,
}

/// Usage of one group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostRow {
    /// The id or name of the group; of a day its beginning, in milliseconds.
    pub name: String,
    pub usage: Usage,
}

impl ReadModel {
    /// Returns the usage of agents, in the order of the groups' names. Usage that their tools do not report is not in it.
    pub fn costs(&self, by: CostGroup) -> Vec<CostRow> {
        let mut sums: BTreeMap<String, Usage> = BTreeMap::new();
        for task in self.tasks.values() {
            for entry in &task.spending {
                let name = match by {
                    CostGroup::Task => task.id.to_string(),
                    CostGroup::Batch => task.batch.to_string(),
                    CostGroup::Stage => entry.stage.to_string(),
                    CostGroup::Role => entry.role.to_string(),
                    CostGroup::Day => Spending::beginning_of(entry.day).0.to_string(),
                };
                let sum = sums.entry(name).or_default();
                *sum = *sum + entry.usage;
            }
        }
        let rows = sums.into_iter().map(|(name, usage)| CostRow { name, usage });
        rows.collect()
    }
}
