//! Adapters to the outside world: each knows one thing and none of its siblings. Code that several of them share for the system is written
//! once, in modules that know no port: `child_process`, `pipe`, `excludes`, `program`, `projected`, `state_folder`, `text_file`, and the holder's
//! `process`.

pub mod agents;
pub(crate) mod child_process;
pub mod clock;
pub mod crash;
pub mod deadline;
pub mod desktop;
pub(crate) mod excludes;
pub mod forge;
pub mod gates;
pub mod git;
pub mod ipc;
pub mod load;
pub mod logging;
pub mod logout;
pub mod notify;
pub mod output;
pub mod own_program;
pub(crate) mod pipe;
pub(crate) mod program;
pub mod project;
pub mod projected;
pub mod rehearsal;
pub(crate) mod state_folder;
pub mod store;
pub mod stories;
pub mod termination;
pub mod text_file;
pub mod tool_process;
pub mod version_probe;
pub mod workspaces;

pub use dbs_holder as holder;
