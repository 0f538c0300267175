//! Prepares worktrees and gates' checkouts: implements [`crate::ports::workspaces::Workspaces`]. Must never touch a file that git tracks
//! there, follow a link, or read outside of the person's checkout.
//!
//! What was prepared for a commit is kept as a template under the content of the key files, and later workspaces get copies of it. A
//! template is a clean checkout in which no agent ever works. One whose files name their own place, as Python environments do, is not
//! copied: the setup runs in each workspace instead.

mod copying;
mod locks;
mod ports;
mod prepared;
mod rules;
mod template;

pub use locks::WorkspaceLocks;
pub use prepared::PreparedWorkspaces;
pub use rules::WorkspaceRules;
pub use template::{remove_template, templates_in, unused_templates};
