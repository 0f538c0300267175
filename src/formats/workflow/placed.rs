//! A workflow as read from a file, with the lines that findings about it name.

use super::stage::LocatedStage;
use super::table::Located;
use crate::domain::workflow::Workflow;

/// A workflow as read, with the lines of its parts.
#[derive(Debug)]
pub(super) struct LocatedWorkflow {
    pub(super) flow: Workflow,
    pub(super) entry: usize,
    pub(super) other_entries: Vec<Located<String>>,
    pub(super) scan: Vec<Located<String>>,
    pub(super) stages: Vec<LocatedStage>,
}
