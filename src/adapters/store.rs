//! Durable truth of the board, in `SQLite`: a turn is one transaction, events are append-only, and a damaged or newer database is refused
//! untouched. It must not decide anything and must not look at the world. Begin with [`SqliteStore`].
//!
//! When the disk is full, a turn fails as a whole. Before that the store gives up its ballast, a file kept for nothing else, and tries once
//! more, so that running work can be brought to an end; [`Store::warning`](crate::ports::store::Store::warning) reports this from then on,
//! and the next opening makes a new ballast when there is room again.

mod backup;
mod ballast;
mod commit;
mod create;
mod earlier;
mod errors;
mod files;
mod integrity;
mod last_turn;
mod lock;
mod open;
mod presence;
mod read;
mod repair;
mod rescue;
mod restore;
mod rows;
mod schema;
mod sums;
#[cfg(test)]
mod tests;

pub use earlier::EarlierHistory;
pub use files::StoreFiles;
pub use lock::{LockOwner, ServerLock};
pub use open::{SqliteStore, attempts_at};
pub use read::{StoreReader, TaskLabel};
