//! What agents used, by what a person wants to know it by.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::{Spending, Usage};
use crate::read_model::ReadModel;

/// What figures are added up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostGroup {
    Task,
    Batch,
    Stage,
    Role,
    Day,
}

/// What one group used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostRow {
    /// The id or name of the group; of a day its beginning, in milliseconds.
    pub name: String,
    pub usage: Usage,
}

impl ReadModel {
    /// What agents used, in the order of groups' names. What their tools do not report is not in it.
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
