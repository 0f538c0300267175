//! Git through its command line: implements [`crate::ports::git::Git`]. Must not decide anything about tasks.
//!
//! # Who may execute what
//!
//! Agents can write the project's repository: its configuration, hooks, attributes, locks and files. So git runs here
//! in one of four scopes (see `command`), and only argv is ever used, never a shell:
//!
//! - **control**: the bare repository `control.git` in the project's state, with a configuration text of our own that is compared
//!   before each call, and without system and user configuration. Merges and diffs are made here; filters, textconv,
//!   merge drivers, fsmonitor, aliases and hooks named by an agent have no definition.
//! - **files**: the control repository again, plus the person's own system and user configuration, because it may name
//!   filters (ADR 0013). Snapshots, clean checkouts and the files of new worktrees are made here; an agent's folder is only
//!   ever the `--work-tree`.
//! - **network**: the control repository again, plus the person's own system and user configuration, because
//!   credentials, proxies and ssh live there. All fetches and pushes start here.
//! - **project**: the project's repository, with hooks, fsmonitor, pagers, editors and odd protocols switched off.
//!   Only plumbing that neither reads an index nor runs filters is used: reading refs and configuration,
//!   `worktree add --no-checkout`, `worktree remove`, `update-ref`, `fetch` from the control repository. The person's own
//!   index is only ever read and written as a copy, in the control scope, or with files of which no attribute names a filter (see `deliver`).
//!
//! # What remains
//!
//! - An agent that is not sandboxed runs as the person: it can rewrite the project's state, `~/.gitconfig` or `git` itself.
//! - The remote's own hooks run when something is pushed to it; of a folder on this machine those in its `hooks`, and none that a
//!   configuration names.
//! - The limit of memory for a git that lists what the remote has is looked at from outside, five times a second.
//! - Hooks of the person (`pre-push`) do not run for pushes of the engine, which sends objects of Git LFS itself (see `large_files`).
//! - Submodules are filled where the person's git fills them; the others are empty, which `dbs doctor` says.
//! - What is in submodules and other repositories inside a worktree is kept when the worktree goes, but for their ignored files;
//!   a link to a commit that its submodule's address does not have is not merged.
//! - What only the project's own configuration says about the remote (`core.sshCommand`, `credential.*`, `url.*`,
//!   `http.*`) is not used; a person puts it into their own configuration, where `includeIf "gitdir:..."` works.
//! - Ignored files and what is only in a worktree's index are not in snapshots.
//! - A git of ours that is killed in the project's repository leaves its lock there for a minute (see `stale_locks`), and what
//!   it left of a worktree until the next call or start (see `registration_repair`).
//! - A git of the remote that is killed while it updates a branch may keep a lock there; pushes are Unknown and name it.
//! - Partial clones: objects the project lacks are not fetched on demand, such imports end as Unknown.

mod ancestry;
mod attic;
mod attic_expiry;
mod auto_commit;
mod base_moves;
mod branches;
mod built_folders;
mod call_environment;
mod case_names;
mod checkout;
mod cli;
mod command;
mod command_output;
mod commit_message;
mod config_entries;
mod conflict_text;
mod control_fill;
mod control_remote;
mod control_repo;
mod deliver;
mod delivery_checks;
mod delivery_files;
mod delivery_index;
mod delivery_move;
mod delivery_obstacles;
mod diff;
mod discovery;
mod error_text;
mod fetch;
mod file_origin;
mod files;
mod filter_settings;
mod filters;
mod ignored;
mod integration;
mod inventory;
mod kept_work;
mod known_hooks;
mod landings;
mod large_files;
mod last_change;
mod likely_base;
mod links;
mod maintenance;
mod malformed;
mod merge;
mod named_hooks;
mod nested;
mod nested_refs;
mod nested_search;
mod no_checkout;
mod options;
mod overrides;
mod parse;
mod person_base;
mod person_notes;
mod person_submodules;
mod place_tree;
mod plain_settings;
mod preflight;
mod process;
mod program_keys;
mod push;
mod refs;
mod refusal;
mod registration_repair;
mod registrations;
mod removal;
mod replay;
mod revisions;
mod signing;
mod spare;
mod sparse;
mod stale_locks;
mod submodules;
mod tree_edits;
mod uncommitted;
mod worktree;
mod worktree_link;
mod worktree_state;
mod write_lock;

pub use cli::GitCli;
pub use delivery_move::DeliveryStep;
pub use discovery::{seen_files, task_branches};
pub use kept_work::BroughtBack;
pub use last_change::{FileCommit, last_commit_of};
pub use likely_base::{LikelyBase, has_remote, known_branches, likely_base};
pub use options::{ControlPlace, GitLimits, GitSetup, ProgramMarking, RemoteChoice, WorktreeRoots};
pub use uncommitted::UncommittedFiles;
