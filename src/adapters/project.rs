//! Folder of a project: its root, the folders in it, its secret, its ignore rules, and the private folder of its sockets. It starts no
//! process and reads no environment; begin with [`Project::find`].

mod error;
mod find;
mod folders;
mod identity;
mod places;
mod runtime;
mod secret;
mod token_mask;

pub use error::ProjectError;
pub use find::Project;
pub use folders::restore_inbox;
pub use identity::StateOrigin;
pub use places::{WorkPlaces, WorkspaceRoot};
pub use runtime::{RuntimeDirs, RuntimeFolder};
pub use secret::{ProjectSecret, random_word};
