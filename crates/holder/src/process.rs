//! Processes of this machine: who one is beyond its number, what belongs to an attempt, where one comes from, and how to end all of it. It
//! starts nothing, and it never signals a process it has not just recognised.

mod departure;
mod identity;
mod origin;
mod selector;
mod table;
mod termination;

pub use departure::{close_inherited_files, leave_session};
pub use identity::ProcessIdentity;
pub use origin::{HOLDER_MARKER, OriginError, origin};
pub use selector::{MARKER, ProcessSelector, members};
pub use table::{ProcessEntry, processes};
pub use termination::terminate;

#[cfg(all(test, target_os = "linux"))]
mod scarcity;
