//! A workflow as read from a file, with the lines that findings about it name.

use super::stage::PlacedStage;
use super::table::Placed;
use crate::domain::workflow::Workflow;

/// A workflow as read, with the lines of its parts.
#[derive(Debug)]
pub(super) struct PlacedWorkflow {
    pub(super) flow: Workflow,
    pub(super) entry: usize,
    pub(super) other_entries: Vec<Placed<String>>,
    pub(super) scan: Vec<Placed<String>>,
    pub(super) stages: Vec<PlacedStage>,
}
