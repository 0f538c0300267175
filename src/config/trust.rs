//! Trust of a person in a project: the exact text of everything in its files that starts a program or steers an agent. The trust is kept
//! outside of every repository, in the person's state folder, so that neither a clone nor an agent brings trust along, and it counts for
//! one repository at one path.
//!
//! [`ProjectTrust::look`] compares the files with what was trusted. Any change makes the changed text wait; what was trusted before
//! stays in force until a person trusts the new text. [`PlanTrust`] does the same for the commands of a plan.

mod changes;
mod checks;
mod error;
mod item;
mod listing;
mod own_hand;
mod plan;
mod project;
mod record;
mod scripts;

pub use changes::{TrustChange, TrustEntry, TrustReport, changed_lines};
pub use checks::TrustedGates;
pub use error::TrustError;
pub use item::{ListedText, TrustItem, TrustKind};
pub use listing::TrustListing;
pub use plan::PlanTrust;
pub use project::ProjectTrust;
pub use record::TrustRecord;
