//! Random deliveries: random files, random changes of the person in a random state of the checkout, a random result, and a kill before a
//! random step. No byte of the person is ever changed, and branch, index and files agree afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use dbs::domain::DeliveryEnd;
use dbs::ports::git::Git;
use proptest::prelude::*;

use super::deliver::{assert_nothing_left, killed_at, merged};
use super::{GitFixture, branch, open};

const PATHS: [&str; 8] = [
    "a.txt",
    "b",
    "b/c.txt",
    "d/e.txt",
    "d/f",
    "d/f/g.txt",
    ".env",
    "h/.env",
];

type Files = BTreeMap<&'static str, &'static str>;

/// Generates the files of a commit; no path is a folder of another.
fn files() -> impl Strategy<Value = Files> {
    let content = prop::sample::select(vec!["1\n", "2\n", "3\n"]);
    prop::collection::btree_map(prop::sample::select(PATHS.to_vec()), content, 0..6).prop_map(|mut files| {
        let all: Vec<&str> = files.keys().copied().collect();
        files.retain(|path, _| !all.iter().any(|other| other.starts_with(&format!("{path}/"))));
        files
    })
}

#[derive(Debug, Clone)]
enum Change {
    Write(&'static str, &'static str),
    Delete(&'static str),
    Stage(&'static str, &'static str),
    Unstage(&'static str),
    Folder(&'static str),
}

fn change() -> impl Strategy<Value = Change> {
    let path = || prop::sample::select(PATHS.to_vec());
    let content = || prop::sample::select(vec!["mine\n", "2\n"]);
    prop_oneof![
        3 => (path(), content()).prop_map(|(path, text)| Change::Write(path, text)),
        1 => path().prop_map(Change::Delete),
        1 => (path(), content()).prop_map(|(path, text)| Change::Stage(path, text)),
        1 => path().prop_map(Change::Unstage),
        1 => path().prop_map(Change::Folder),
    ]
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Situation {
    OnBase,
    Detached,
    OtherBranch,
    LinkedWorktree,
    Merge,
    Rebase,
    Locked,
}

fn situation() -> impl Strategy<Value = Situation> {
    prop_oneof![
        8 => Just(Situation::OnBase),
        1 => Just(Situation::Detached),
        1 => Just(Situation::OtherBranch),
        1 => Just(Situation::LinkedWorktree),
        1 => Just(Situation::Merge),
        1 => Just(Situation::Rebase),
        1 => Just(Situation::Locked),
    ]
}

/// Writes a file unless a file of another kind is in its way.
fn write(folder: &Path, path: &str, text: &str) -> bool {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).is_ok() && !file.is_dir() && fs::write(file, text).is_ok()
}

fn apply(fixture: &GitFixture, at: &Path, change: &Change) {
    match change {
        Change::Write(path, text) => drop(write(at, path, text)),
        Change::Delete(path) => drop(fs::remove_file(at.join(path))),
        Change::Stage(path, text) => {
            if write(at, path, text) {
                fixture.try_git(at, &["add", "-f", path]);
            }
        }
        Change::Unstage(path) => drop(fixture.try_git(at, &["rm", "-q", "--cached", path])),
        Change::Folder(path) => drop(fs::create_dir_all(at.join(path))),
    }
}

fn enter(fixture: &GitFixture, at: &Path, situation: Situation) {
    match situation {
        Situation::OnBase => {}
        Situation::Detached => drop(fixture.git(at, &["checkout", "-q", "--detach"])),
        Situation::OtherBranch => drop(fixture.git(at, &["checkout", "-q", "-b", "other"])),
        Situation::LinkedWorktree => {
            fixture.git(at, &["checkout", "-q", "-b", "other"]);
            fixture.git(at, &["worktree", "add", "-q", "../linked", "main"]);
        }
        Situation::Merge => {
            fixture.git(at, &["merge", "-q", "--no-ff", "--no-commit", "side"]);
        }
        Situation::Rebase => drop(fixture.try_git(at, &["rebase", "-q", "--exec", "false", "side~0"])),
        Situation::Locked => fs::write(at.join(".git/index.lock"), "").unwrap(),
    }
}

/// Returns all files of a checkout except those of git and of the program.
fn on_disk(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_owned();
            if name == Path::new(".git") || name.to_string_lossy().starts_with(".debussy") {
                continue;
            }
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

/// Asserts that each file is as it was, or went from its content in the old commit to that in the new one, where it may be absent.
fn assert_no_byte_lost(
    before: &BTreeMap<PathBuf, Vec<u8>>,
    after: &BTreeMap<PathBuf, Vec<u8>>,
    commits: (&Files, &Files),
) {
    let (from, to) = commits;
    let all: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    for path in all {
        let in_commit = |files: &Files| {
            files
                .get(path.to_str().unwrap())
                .map(|text| text.as_bytes().to_vec())
        };
        let (was, is) = (before.get(path).cloned(), after.get(path).cloned());
        assert!(
            was == is || (was == in_commit(from) && is == in_commit(to)),
            "{}: {was:?} became {is:?}",
            path.display()
        );
    }
}

#[derive(Debug, Clone)]
struct Case {
    from: Files,
    to: Files,
    changes: Vec<Change>,
    situation: Situation,
    kill: Option<usize>,
    /// File that the person writes after the kill, and whether they remove the lock, as git advises.
    after_kill: Option<(&'static str, bool)>,
}

fn case() -> impl Strategy<Value = Case> {
    let after = prop::option::of((prop::sample::select(PATHS.to_vec()), any::<bool>()));
    let changes = prop::collection::vec(change(), 0..3);
    let kill = prop::option::of(0..30_usize);
    (files(), files(), changes, situation(), kill, after).prop_map(
        |(from, to, changes, situation, kill, after_kill)| Case {
            from,
            to,
            changes,
            situation,
            kill,
            after_kill,
        },
    )
}

fn put_files(folder: &Path, files: &Files) {
    for path in PATHS {
        drop(fs::remove_file(folder.join(path)));
    }
    for path in ["b", "d/f", "d", "h"] {
        drop(fs::remove_dir(folder.join(path)));
    }
    for (path, text) in files {
        assert!(write(folder, path, text));
    }
}

fn prepared(case: &Case) -> GitFixture {
    let fixture = GitFixture::new();
    let at = fixture.project();
    put_files(&at, &case.from);
    fs::write(at.join(".git/info/exclude"), ".env\n").unwrap();
    fixture.git(&at, &["add", "-A", "-f"]);
    fixture.git(&at, &["commit", "-q", "--allow-empty", "-m", "From"]);
    fixture.git(&at, &["push", "-q", "origin", "main"]);
    let tree = fixture.git(&at, &["rev-parse", "main^{tree}"]);
    let side = fixture.git(&at, &["commit-tree", "-p", "main~1", "-m", "Side", &tree]);
    fixture.git(&at, &["branch", "side", &side]);
    fixture
}

/// Branch, index and status of the checkout.
#[derive(Debug, PartialEq)]
struct Seen {
    main: String,
    index: String,
    status: String,
}

impl Seen {
    fn of(fixture: &GitFixture) -> Seen {
        let at = fixture.project();
        let status = "status --porcelain -uall --ignored -- . :!.debussy*";
        let status: Vec<&str> = status.split(' ').collect();
        Seen {
            main: fixture.git(&at, &["rev-parse", "main"]),
            index: fixture.git(&at, &["ls-files", "-s"]),
            status: fixture.git(&at, &status),
        }
    }

    /// Asserts that nothing moved, or only the branch, or everything without a change of a file that was unchanged before.
    fn assert_agrees(self, before: &Seen, end: DeliveryEnd, to: &str) {
        match end {
            DeliveryEnd::Kept(why) => assert_eq!(self, *before, "{why}"),
            DeliveryEnd::Branch => {
                assert_eq!(
                    (self.main.as_str(), &self.index, &self.status),
                    (to, &before.index, &before.status)
                );
            }
            DeliveryEnd::Files | DeliveryEnd::Current => {
                assert_eq!(self.main, to);
                let known: BTreeSet<&str> = before.status.lines().collect();
                let is_known = self.status.lines().all(|line| known.contains(line));
                assert!(is_known, "{} after {}", self.status, before.status);
            }
            DeliveryEnd::Told | DeliveryEnd::NoBranch => {
                panic!("the branch exists and is to be moved")
            }
        }
    }
}

/// Writes a file after the kill, and removes the lock if the person would; adds the file to what the person has.
fn go_on(at: &Path, how: (&'static str, bool), has: &mut BTreeMap<PathBuf, Vec<u8>>) {
    let (path, unlocks) = how;
    if unlocks {
        drop(fs::remove_file(at.join(".git/index.lock")));
    }
    if write(at, path, "written after the kill\n") {
        has.insert(PathBuf::from(path), b"written after the kill\n".to_vec());
    }
}

fn check(case: &Case) {
    let fixture = prepared(case);
    let at = fixture.project();
    let git = open(&fixture);
    let to = merged(&fixture, &git, &|folder| put_files(folder, &case.to));
    enter(&fixture, &at, case.situation);
    let changes = case.changes.iter();
    changes.for_each(|change| apply(&fixture, &at, change));
    let (mut before, seen) = (on_disk(&at), Seen::of(&fixture));
    let killed = case.kill.and_then(|number| killed_at(&git, &to, number));
    let went_on = case.after_kill.filter(|_| killed.is_some());
    if let Some(how) = went_on {
        go_on(&at, how, &mut before);
    }
    let git = if killed.is_some() { open(&fixture) } else { git };
    let end = git.deliver(&branch("main"), &to).unwrap().end;
    let mut after = on_disk(&at);
    if went_on.is_some() {
        // A file may have taken the place of a folder, or the other way round; only what the person wrote counts.
        let mine = |text: &Vec<u8>| text.starts_with(b"written") || text == b"mine\n";
        before.retain(|_, text| mine(text));
        after.retain(|path, _| before.contains_key(path));
    }
    assert_no_byte_lost(&before, &after, (&case.from, &case.to));
    if case.situation != Situation::Locked {
        assert_nothing_left(&fixture);
    }
    if went_on.is_none() {
        Seen::of(&fixture).assert_agrees(&seen, end, to.as_str());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn no_byte_of_the_person_is_ever_changed_and_branch_index_and_files_agree(case in case()) {
        check(&case);
    }
}
