//! Progress of a task in its workflow, and the counts against it, which undo restores together with its state.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::attempt::AttemptMode;
use super::context_restart::Checkpoint;
use super::failure::FailureClass;
use super::id::StageId;
use super::time::Timestamp;
use super::usage::Cost;

/// Fields of a task of the same names, as they were at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedProgress {
    pub stage: StageId,
    pub stage_head: Option<String>,
    pub next_mode: AttemptMode,
    pub begins_anew: bool,
    pub approved: Option<StageId>,
    pub not_before: Option<Timestamp>,
    pub failures: BTreeMap<StageId, BTreeMap<FailureClass, u32>>,
    pub rejections: u32,
    pub spawns: u32,
    pub troubles: u32,
    pub interruptions: u32,
    pub spent_at_retry: Cost,
    pub checkpoint: Option<Checkpoint>,
    pub finding: Option<String>,
    pub since: Timestamp,
}
