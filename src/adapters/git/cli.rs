//! Adapter itself: opened once per project, shared by all threads. The work is in the sibling files; this one holds what they share and
//! hands the trait's calls on.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::command::{ConfigScope, GitCommand, GitOutput, GitProgram};
use super::control_repo::ControlRepo;
use super::discovery::{self, OriginUrls, ProjectRepo};
use super::filter_settings::KnownFilters;
use super::known_hooks::{self, KnownHooks};
use super::options::{self, GitSetup, RemoteChoice};
use super::write_lock::{RepoLock, WriteGuard};
use crate::domain::{BaseMove, Cause, Delivery, Integration, Timestamp, Tri};
use crate::ports::git::{
    AgentsRemote, AtticOwner, AtticSnapshot, BranchEntry, BranchName, CleanCheckout, CommitFile, CommitId,
    CommitOutcome, CommitRequest, CommitsAhead, DeleteOutcome, DiffRange, Git, GitError, GitOverride, Head,
    LimitedText, MergeOutcome, MergeRequest, Preflight, PreflightError, PublishOutcome, PublishRequest,
    PushOutcome, RemoteBase, RemoveOutcome, RestoreRequest, Revision, SafeName, TreeId, WorkingTree,
    WorkspaceTree, Worktree, WorktreeEntry, WorktreeSpec,
};

const CONTROL: &str = "the control repository";
/// Maximum number of bytes of a list of a remote's refs.
const MOST_LISTED: usize = 64 * 1024 * 1024;

/// Implementation of the `Git` port for one project, by the git command line.
pub struct GitCli {
    pub(super) program: GitProgram,
    pub(super) project: ProjectRepo,
    pub(super) control: ControlRepo,
    pub(super) remote: RemoteChoice,
    /// True if commits for a base are signed where the person's git signs.
    pub(super) signs_merges: bool,
    /// Held while something changes the control repository.
    control_lock: RepoLock,
    /// Held while something changes refs or worktrees of the project's repository. Always taken before the other queue, never after it.
    pub(super) project_lock: RepoLock,
    /// Held while the control repository is packed: over processes, and over threads.
    pub(super) maintenance_lock: (RepoLock, Mutex<()>),
    n_scratch: AtomicU64,
    pub(super) trees: Mutex<HashMap<CommitId, TreeId>>,
    /// Pairs of which the first commit is part of the second.
    pub(super) ancestors: Mutex<HashSet<(CommitId, CommitId)>>,
    pub(super) filters: Mutex<KnownFilters>,
    pub(super) hooks: Mutex<KnownHooks>,
    /// Git's version and the address of the remote as seen at the opening, for the first preflight, which follows at once.
    pub(super) opened: Mutex<Option<(String, OriginUrls)>>,
}

impl GitCli {
    /// Looks at the project and opens its control repository, which is made the first time. No network. Errors: the
    /// ones of [`Git::preflight`], except a changed origin and a missing identity, which only preflight reports.
    pub fn open(setup: &GitSetup) -> Result<Self, PreflightError> {
        let mut program = GitProgram::new(setup);
        let version = discovery::version(&program, &setup.project)?;
        program.runs_named_hooks = known_hooks::are_known_to(&version);
        let (mut project, origin) = discovery::find(&program, &setup.project, &setup.remote)?;
        let personal = discovery::personal(&program, &setup.project);
        project.has_attributes = personal.attributes_file.is_some() || options::has_attributes(setup);
        project.excludes_file = personal.excludes_file;
        project.take_roots(&setup.roots);
        if let Some(command) = personal.ssh_command {
            program.use_ssh(&command);
        }
        let origin = origin?;
        let control = ControlRepo::open(&program, &project, &origin, setup.control)?;
        let git = Self {
            program,
            control_lock: RepoLock::new(control.path.join("queue"), CONTROL),
            project_lock: RepoLock::new(control.path.join("project-queue"), "the project's repository"),
            maintenance_lock: (
                RepoLock::new(control.path.join("upkeep"), CONTROL),
                Mutex::new(()),
            ),
            control,
            remote: setup.remote.clone(),
            signs_merges: setup.signs_merges,
            n_scratch: AtomicU64::new(0),
            trees: Mutex::default(),
            ancestors: Mutex::default(),
            filters: Mutex::new(KnownFilters::read(project.filters.clone(), &project.common)),
            hooks: Mutex::default(),
            project,
            opened: Mutex::new(Some((version, origin))),
        };
        git.sweep_project_locks();
        git.settle_delivery_if_free();
        git.repair_if_free();
        Ok(git)
    }

    /// A call in the control repository, without the network.
    pub(super) fn in_control(&self, what: impl Into<String>) -> Result<GitCommand, GitError> {
        self.control.check()?;
        let call = self
            .program
            .command(ConfigScope::Control, &self.control.path, what);
        Ok(call
            .git_option("--git-dir=", &self.control.path)
            .config("core.attributesFile=/dev/null"))
    }

    /// A call in the control repository that talks to the remote or to the project's repository.
    pub(super) fn over_network(&self, what: impl Into<String>) -> Result<GitCommand, GitError> {
        self.control.check()?;
        let call = self
            .program
            .command(ConfigScope::Network, &self.control.path, what);
        let call = call.without(&self.project.left_out);
        Ok(self.without_named_hooks(call.git_option("--git-dir=", &self.control.path)))
    }

    /// A question to the remote about its refs; options and names follow.
    pub(super) fn ask_origin(&self, what: impl Into<String>) -> Result<GitCommand, GitError> {
        let call = self.over_network(what)?.timeout(self.program.limits.ask);
        let call = call.memory(self.program.limits.memory).limit(MOST_LISTED);
        // The remote then lists its branches alone, over the protocol that can be asked for less than everything.
        Ok(call.words("ls-remote --quiet --heads --upload-pack=git-upload-pack"))
    }

    /// A call in the control repository that reads or writes the files of a folder, with an index of its own. The person's own
    /// configuration counts, which may name filters; the repository's does not (ADR 0013).
    pub(super) fn on_files(&self, folder: &Path, index: &Path, what: &str) -> Result<GitCommand, GitError> {
        self.control.check()?;
        let mut call = self.program.command(ConfigScope::Files, folder, what);
        call = call
            .git_option("--git-dir=", &self.control.path)
            .git_option("--work-tree=", folder);
        for setting in &self.project.file_settings {
            call = call.config(setting);
        }
        if let Some(excludes) = &self.project.excludes_file {
            call = call.config_path("core.excludesFile=", excludes);
        }
        let call = self.without_named_hooks(self.with_own_filters(call));
        Ok(call.env("GIT_INDEX_FILE", index))
    }

    pub(super) fn in_project(&self, what: impl Into<String>) -> GitCommand {
        let call = self
            .program
            .command(ConfigScope::Project, &self.project.root, what);
        let call = call.git_option("--git-dir=", &self.project.git_dir);
        self.without_named_hooks(call.git_option("--work-tree=", &self.project.root))
    }

    pub(super) fn lock_control(&self) -> Result<WriteGuard<'_>, GitError> {
        self.control_lock.acquire(self.program.limits.transfer, |_notes| {
            self.control.clean_up();
            String::new()
        })
    }

    /// Runs one writing call in a turn of its own. A git that was killed leaves the turn unfinished.
    pub(super) fn run_in_control_lock(&self, call: GitCommand) -> Result<GitOutput, GitError> {
        let turn = self.lock_control()?;
        let output = call.with_lock(&turn)?.run()?;
        if output.code.is_some() {
            turn.finish()?;
        }
        Ok(output)
    }

    /// A name no other call of this process uses.
    pub(super) fn unique_name(&self, stem: &str) -> String {
        format!(
            "{stem}-{}-{}",
            std::process::id(),
            self.n_scratch.fetch_add(1, Ordering::Relaxed)
        )
    }
}

impl Git for GitCli {
    fn preflight(&self) -> Result<Preflight, PreflightError> {
        self.look_at_project()
    }

    fn accept_origin(&self) -> Result<(), GitError> {
        self.take_origin()
    }

    fn resolve(&self, revision: &Revision) -> Head {
        head(self.resolve_revision(revision))
    }

    fn file_at(&self, commit: &CommitId, path: &str, limit: usize) -> Result<CommitFile, GitError> {
        self.read_file(commit, path, limit)
    }

    fn list_files(&self, commit: &CommitId, folder: Option<&str>) -> Result<Vec<String>, GitError> {
        self.files_of(commit, folder)
    }

    fn resolve_all(&self, revisions: &[Revision]) -> Vec<Head> {
        self.resolve_revisions(revisions).into_iter().map(head).collect()
    }

    fn remote_head(&self, branch: &BranchName) -> Head {
        head(self.remote_branch_head(branch))
    }

    fn ensure_worktree(&self, spec: &WorktreeSpec) -> Result<Worktree, GitError> {
        self.create_or_reuse(spec)
    }

    fn workspace_tree(&self, tree: &WorkingTree) -> Result<WorkspaceTree, GitError> {
        self.state_of(tree)
    }

    fn workspace_unchanged(&self, tree: &WorkingTree, start: &WorkspaceTree) -> Tri {
        or_unknown(self.compare_state(tree, start), Tri::Unknown)
    }

    fn snapshot(&self, tree: &WorkingTree, owner: &AtticOwner) -> Result<AtticSnapshot, GitError> {
        self.snapshot_checkout(&self.locate(tree)?, owner)
    }

    fn remove_worktree(&self, folder: &SafeName, owner: &AtticOwner) -> Result<RemoveOutcome, GitError> {
        let queue = self.lock_project()?;
        let removed = self.remove(folder, owner);
        drop(queue);
        self.clean_set_aside();
        removed
    }

    fn worktrees(&self) -> Result<Vec<WorktreeEntry>, GitError> {
        self.list_worktrees()
    }

    fn branches(&self) -> Result<Vec<BranchEntry>, GitError> {
        self.list_branches()
    }

    fn remote_branches(&self) -> Result<Vec<BranchEntry>, GitError> {
        self.list_remote_branches()
    }

    fn delete_branch(
        &self,
        branch: &BranchName,
        recorded: &CommitId,
        base: &RemoteBase,
        owner: &AtticOwner,
    ) -> DeleteOutcome {
        or_unknown(
            self.delete_local(branch, recorded, base, owner),
            DeleteOutcome::Unknown,
        )
    }

    fn delete_remote_branch(
        &self,
        branch: &BranchName,
        recorded: &CommitId,
        base: &RemoteBase,
        owner: &AtticOwner,
    ) -> DeleteOutcome {
        or_unknown(
            self.delete_remote(branch, recorded, base, owner),
            DeleteOutcome::Unknown,
        )
    }

    fn refused_objects(&self, head: &CommitId, base: Option<&CommitId>) -> Result<Option<String>, GitError> {
        self.refused_in(head, base)
    }

    fn commits_ahead(&self, head: &Revision, base: &Revision) -> CommitsAhead {
        or_unknown(self.count_ahead(head, base), CommitsAhead::Unknown)
    }

    fn is_merged(&self, commit: &CommitId, base: &BranchName) -> Tri {
        or_unknown(self.check_merged(commit, base), Tri::Unknown)
    }

    fn base_move(&self, branch: &BranchName, now: &CommitId) -> Result<Option<BaseMove>, GitError> {
        self.find_base_move(branch, now)
    }

    fn note_base(&self, branch: &BranchName, at: &CommitId) -> Result<(), GitError> {
        self.note_seen(branch, at)
    }

    fn made_beyond(&self, folder: &SafeName, head: Option<&CommitId>) -> Result<bool, GitError> {
        self.has_made_beyond(folder, head)
    }

    fn changed_paths(&self, range: &DiffRange) -> Result<Vec<String>, GitError> {
        self.paths_between(range)
    }

    fn diff_text(&self, range: &DiffRange, limit: usize) -> Result<LimitedText, GitError> {
        self.text_between(range, limit)
    }

    fn overrides(&self, base: Option<&BranchName>) -> Result<Vec<GitOverride>, GitError> {
        self.read_overrides(base)
    }

    fn reader_settings(&self) -> Result<Vec<(String, String)>, GitError> {
        self.plain_settings()
    }

    fn remote_name(&self) -> Option<String> {
        self.has_remote().then(|| self.remote.name().to_owned())
    }

    fn agents_remote(&self) -> AgentsRemote {
        self.remote_of_agents()
    }

    fn commit_hooks(&self) -> Option<String> {
        self.hooks_of_commits()
    }

    fn push_branch(&self, branch: &BranchName, replaces: Option<&CommitId>) -> PushOutcome {
        or_unknown(self.push_local(branch, replaces), PushOutcome::Unknown)
    }

    fn begin_branch(&self, branch: &BranchName, from: &BranchName) -> Result<bool, GitError> {
        self.push_new(branch, from)
    }

    fn commit_leftovers(&self, request: &CommitRequest) -> Result<CommitOutcome, GitError> {
        self.commit_leftovers(request)
    }

    fn restore_files(&self, request: &RestoreRequest) -> Result<Option<CommitId>, GitError> {
        self.restore(request)
    }

    fn merge(&self, request: &MergeRequest) -> MergeOutcome {
        or_unknown(self.create_merge(request), MergeOutcome::Unknown)
    }

    fn compare_merge(
        &self,
        request: &MergeRequest,
        start: &CommitId,
        now: &CommitId,
    ) -> Result<Option<Integration>, GitError> {
        self.compare_agents_merge(request, start, now)
    }

    fn deliver(&self, base: &BranchName, to: &CommitId) -> Result<Delivery, GitError> {
        self.deliver_in_steps(base, to, &|_| {})
    }

    fn publish(&self, publication: &PublishRequest) -> PublishOutcome {
        or_unknown(self.push_merge(publication), PublishOutcome::Unknown)
    }

    fn checkout_clean(&self, commit: &CommitId, dir: &Path) -> Result<CleanCheckout, GitError> {
        self.export(commit, dir)
    }

    fn restore_checkout(&self, commit: &CommitId, dir: &Path) -> Result<bool, GitError> {
        self.restore_export(commit, dir)
    }

    fn ignored_files(&self, place: Option<(&CommitId, &Path)>) -> Result<Vec<PathBuf>, GitError> {
        self.list_ignored(place)
    }

    fn only_ignored(
        &self,
        commit: &CommitId,
        folder: &Path,
        paths: Vec<PathBuf>,
    ) -> Result<Vec<PathBuf>, GitError> {
        self.keep_ignored(commit, folder, paths)
    }

    fn discard_checkout(&self, dir: &Path) -> Result<(), GitError> {
        self.discard(dir)
    }

    fn expire_attic(&self, over: &BTreeSet<SafeName>, before: Timestamp) -> Result<usize, GitError> {
        self.remove_attic_names(over, before)
    }

    fn maintain(&self) -> Result<bool, GitError> {
        self.pack_if_needed()
    }
}

/// The answer, or the one that says why there is none.
fn or_unknown<T>(answer: Result<T, GitError>, unknown: fn(Cause) -> T) -> T {
    answer.unwrap_or_else(|error| unknown(error.cause()))
}

fn head(found: Result<Option<CommitId>, GitError>) -> Head {
    let head = found.map(|commit| commit.map_or(Head::Absent, Head::At));
    or_unknown(head, Head::Unknown)
}
