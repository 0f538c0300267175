//! Random work in worktrees, gits that a time limit kills in the middle of a removal, and engines that start anew: everything that was in a
//! worktree when it was put away can be reached from a ref. `DBS_WORK_SEED=n` tries other work.
#![expect(clippy::disallowed_methods, reason = "reads which work to try")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dbs::adapters::git::GitCli;
use dbs::ports::git::{Git as _, RemoveOutcome, Revision, WorktreeKind};

use super::nested::{nested, with_filled_submodule};
use super::repair::{assert_sound, open_later};
use super::shapes::with_submodule;
use super::{GitFixture, branch, name, on_branch, saver, setup, spec};

/// Number of worktrees that are filled and put away.
const N_SEQUENCES: u64 = 24;
/// Number of times that a removal is killed, at most, before it may end.
const MOST_KILLS: u64 = 3;

/// Random numbers decided by their seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % n
    }
}

/// An agent that works without a plan.
struct Scribbler<'a> {
    fixture: &'a GitFixture,
    dice: Dice,
    n: u64,
}

impl Scribbler<'_> {
    /// Does one step of work in a repository.
    fn act(&mut self, repository: &Path) {
        let paths = ["work.txt", "new.txt", "deep/er/file", "deep/other", "README.md"];
        let file = repository.join(paths.get(usize::try_from(self.dice.below(5)).unwrap()).unwrap());
        let git = |args: &[&str]| drop(self.fixture.try_git(repository, args));
        match self.dice.below(8) {
            0 => drop(fs::remove_file(&file)),
            1 => git(&["add", "-A"]),
            2 => {
                git(&["add", "-A"]);
                git(&["commit", "-q", "--allow-empty", "-m", "Work"]);
            }
            3 => git(&["checkout", "-q", "--detach"]),
            _ => {
                self.n += 1;
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(&file, format!("piece {} of work\n", self.n)).unwrap();
            }
        }
    }

    /// Does a worktree's worth of work, in the worktree and in repositories inside it.
    fn fill(&mut self, worktree: &Path, inner: &[PathBuf]) {
        for _ in 0..4 + self.dice.below(8) {
            self.act(worktree);
        }
        for repository in inner {
            for _ in 0..2 + self.dice.below(6) {
                self.act(repository);
            }
        }
    }
}

/// Collects every file below a folder that is not git's own.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_some_and(|name| name == ".git") {
            continue;
        }
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Returns the objects that are in a worktree: each file, and the commit that each repository in it is at.
fn standing(fixture: &GitFixture, worktree: &Path, inner: &[PathBuf]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    files(worktree, &mut found);
    let mut standing = Vec::new();
    let paths: Vec<&str> = found.iter().map(|file| file.to_str().unwrap()).collect();
    if !paths.is_empty() {
        let blobs = fixture.git(
            worktree,
            &[&["hash-object", "--no-filters", "--"], &paths[..]].concat(),
        );
        let blobs = paths.iter().zip(blobs.lines());
        standing.extend(blobs.map(|(path, blob)| ((*path).to_owned(), blob.to_owned())));
    }
    for repository in inner.iter().map(PathBuf::as_path).chain([worktree]) {
        let head = fixture.try_git(repository, &["rev-parse", "--verify", "-q", "HEAD"]);
        let head = String::from_utf8_lossy(&head.stdout).trim().to_owned();
        if !head.is_empty() {
            standing.push((format!("HEAD of {}", repository.display()), head));
        }
    }
    standing
}

/// Returns all objects that a ref reaches, in the project, in our own repository or on the remote.
fn reachable(fixture: &GitFixture) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for repository in [
        fixture.state().join("control.git"),
        fixture.project(),
        fixture.origin(),
    ] {
        // Objects that only a log or a worktree remembers do not count.
        let refs = ["rev-list", "--objects", "--branches", "--tags", "--glob=refs/*"];
        let said = fixture.git(&repository, &refs);
        let ids = said.lines().filter_map(|line| line.split(' ').next());
        all.extend(ids.map(str::to_owned));
    }
    all
}

/// Removes a worktree; the first tries are killed in the middle, and another engine starts after each.
fn put_away(fixture: &GitFixture, folder: &str, dice: &mut Dice) -> (GitCli, u64) {
    let mut killed = 0;
    for _ in 0..dice.below(MOST_KILLS + 1) {
        let mut hasty = setup(fixture);
        hasty.limits.local = Duration::from_millis(2 + dice.below(12));
        if let Ok(git) = GitCli::open(&hasty) {
            killed += u64::from(git.remove_worktree(&name(folder), &saver("t1")).is_err());
        }
    }
    let git = open_later(fixture);
    let removed = git.remove_worktree(&name(folder), &saver("t1")).unwrap();
    assert!(
        !matches!(removed, RemoveOutcome::Kept(_)),
        "{folder}: {removed:?}"
    );
    (git, killed)
}

#[test]
fn whatever_stood_in_a_worktree_is_reachable_from_a_ref_after_any_work_kills_and_removals() {
    let seed = std::env::var("DBS_WORK_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or(1);
    let fixture = with_submodule();
    let mut git = open_later(&fixture);
    let mut agent = Scribbler {
        fixture: &fixture,
        dice: Dice(seed),
        n: 0,
    };
    let (mut kills, mut pieces) = (0, 0);
    let mut ever: Vec<(String, String)> = Vec::new();
    for nth in 0..N_SEQUENCES {
        let folder = format!("a-{nth}");
        let kind = match agent.dice.below(3) {
            0 => WorktreeKind::Detached(Revision::RemoteBranch(branch("main"))),
            _ => on_branch(&format!("t{nth}")),
        };
        let worktree = git.ensure_worktree(&spec(&folder, kind)).unwrap();
        let mut inner = Vec::new();
        if agent.dice.below(3) == 0 {
            inner.push(with_filled_submodule(&fixture, &worktree));
        }
        if agent.dice.below(3) == 0 {
            inner.push(nested(&worktree.path, &fixture, "own"));
        }
        agent.fill(&worktree.path, &inner);
        let stood = standing(&fixture, &worktree.path, &inner);
        pieces += stood.len();
        ever.extend(
            stood
                .into_iter()
                .map(|(what, id)| (format!("sequence {nth}: {what}"), id)),
        );
        let (later, killed) = put_away(&fixture, &folder, &mut agent.dice);
        git = later;
        kills += killed;
        assert!(!worktree.path.exists(), "{folder} is still there");
        if nth % 8 == 7 || nth + 1 == N_SEQUENCES {
            let there = reachable(&fixture);
            for (what, id) in &ever {
                assert!(there.contains(id), "seed {seed}, {what} ({id}) is lost");
            }
        }
    }
    assert_sound(&fixture, "in the end");
    assert!(
        kills > 0 && pieces > 100,
        "{kills} removals were killed, {pieces} pieces of work were checked"
    );
}
