//! Processes of this machine: the identity of one beyond its number, the members of an attempt, the origin of one, and the end of all of
//! them. It starts nothing, and it never signals a process it has not just recognised.

mod change;
mod departure;
mod identity;
pub(crate) mod keeper;
mod origin;
pub(crate) mod priority;
mod selector;
mod table;
mod termination;

pub use change::ChildChange;
#[cfg(unix)]
pub use change::next_change;
pub use departure::{close_inherited_files, leave_session};
pub use identity::ProcessIdentity;
pub use keeper::Keeper;
pub use origin::{GATE, GIT, HOLDER_MARKER, Origin, OriginError, Starter, origin};
pub use selector::{MARKER, ProcessSelector, members};
pub use table::{ProcessEntry, processes};
pub use termination::terminate;

#[cfg(all(test, target_os = "linux"))]
mod scarcity;
