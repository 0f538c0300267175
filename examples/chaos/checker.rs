//! Checker of a campaign: compares the agents' records outside with the repositories, and looks for leftovers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::faults::wait_for;
use crate::project::Project;
use crate::victims;

/// Longest time that processes may take to end after `dbs stop --all`.
const STOP_LIMIT: Duration = Duration::from_mins(1);

/// Longest time that the lock of a killed git may stay: a minute before it counts as left behind, plus the pauses of the process that runs
/// into it.
const LOCK_LIMIT: Duration = Duration::from_mins(3);

/// Findings of the checker.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) attempts: usize,
    pub(crate) commits: usize,
    pub(crate) lost: usize,
    pub(crate) twice: usize,
    pub(crate) left: usize,
    /// Problems for people, one line each.
    pub(crate) problems: Vec<String>,
}

pub(crate) fn check(project: &mut Project) -> Result<Verdict, String> {
    let mut verdict = Verdict::default();
    check_starts(project, &mut verdict)?;
    check_base(project, &mut verdict);
    wait_for(LOCK_LIMIT, || all_locks(project).is_empty());
    project.stop();
    check_left(project, &mut verdict);
    check_commits(project, &mut verdict)?;
    check_repositories(project, &mut verdict);
    Ok(verdict)
}

fn notes(project: &Project, name: &str) -> Result<Vec<Vec<String>>, String> {
    let file = project.notes().join(name);
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let words = |line: &str| line.split(' ').map(str::to_owned).collect();
    Ok(text.lines().map(words).collect())
}

/// Checks that each attempt started one agent.
fn check_starts(project: &Project, verdict: &mut Verdict) -> Result<(), String> {
    let mut starts: BTreeMap<String, usize> = BTreeMap::new();
    for line in notes(project, "starts")? {
        *starts
            .entry(line.first().cloned().unwrap_or_default())
            .or_default() += 1;
    }
    verdict.attempts = starts.len();
    for (attempt, times) in starts.iter().filter(|(_, times)| **times > 1) {
        verdict.twice += 1;
        verdict
            .problems
            .push(format!("attempt {attempt} was started {times} times"));
    }
    Ok(())
}

/// Checks that each task is merged once and that its file is in the base.
fn check_base(project: &Project, verdict: &mut Verdict) {
    let trailer = "--format=%(trailers:key=Dbs-Task,valueonly,separator=%x2C)";
    let log = project.git(&project.origin(), &["log", "--merges", trailer, "main"]);
    let mut merged: BTreeMap<&str, usize> = BTreeMap::new();
    for task in log.lines().filter(|line| !line.is_empty()) {
        *merged.entry(task).or_default() += 1;
    }
    for number in 1..=project.tasks() {
        let id = format!("t-{number}");
        let times = merged.get(id.as_str()).copied().unwrap_or_default();
        if times > 1 {
            verdict.twice += 1;
            verdict.problems.push(format!("{id} was merged {times} times"));
        }
        // The error text of git is part of the problem, because a failure need not mean that the work is gone.
        let (_, text) = project.try_git(&project.origin(), &["show", &format!("main:work/{id}.txt")]);
        if text.trim() != id {
            verdict.lost += 1;
            verdict
                .problems
                .push(format!("the work of {id} is not in the base: {text:?}"));
        }
    }
}

/// Checks that every commit of an agent can be reached from some ref.
fn check_commits(project: &Project, verdict: &mut Verdict) -> Result<(), String> {
    let made: BTreeMap<String, String> = notes(project, "commits")?
        .into_iter()
        .filter_map(|line| Some((line.first()?.clone(), line.get(1)?.clone())))
        .collect();
    verdict.commits = made.len();
    let mut reachable = BTreeSet::new();
    for repository in repositories(project) {
        let all = project.git(&repository, &["rev-list", "--all"]);
        reachable.extend(all.lines().map(str::to_owned));
    }
    for (commit, task) in made.iter().filter(|(commit, _)| !reachable.contains(*commit)) {
        verdict.lost += 1;
        verdict
            .problems
            .push(format!("commit {commit} of {task} is nowhere"));
    }
    Ok(())
}

/// Returns the project, its origin, and the control repository, wherever it is.
fn repositories(project: &Project) -> Vec<PathBuf> {
    let mut found = vec![project.origin(), project.checkout()];
    let mut folders = vec![project.checkout(), project.disk().join("home")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_name() == "control.git" {
                found.push(path);
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) && entry.file_name() != "objects" {
                folders.push(path);
            }
        }
    }
    found
}

/// Checks that no process of the project is left.
fn check_left(project: &Project, verdict: &mut Verdict) {
    let deadline = Instant::now() + STOP_LIMIT;
    let mut left = victims::processes(project);
    while !left.is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
        left = victims::processes(project);
    }
    for process in left {
        verdict.left += 1;
        let command = process.command.replace('\0', " ");
        verdict
            .problems
            .push(format!("process {} is left: {command}", process.pid));
    }
}

/// Checks that git finds no damage and that no lock is left.
fn check_repositories(project: &Project, verdict: &mut Verdict) {
    for repository in repositories(project) {
        let (is_good, said) = project.try_git(&repository, &["fsck", "--connectivity-only", "--no-dangling"]);
        if !is_good {
            verdict.lost += 1;
            verdict
                .problems
                .push(format!("{} is damaged: {said}", repository.display()));
        }
    }
    for path in all_locks(project) {
        verdict.left += 1;
        verdict.problems.push(format!("{} is left", path.display()));
    }
}

/// Returns the locks in the project's repository.
fn all_locks(project: &Project) -> Vec<PathBuf> {
    let git = project.checkout().join(".git");
    let folders = [
        git.clone(),
        git.join("worktrees"),
        git.join("refs/heads"),
        git.join("refs/heads/feature"),
    ];
    folders.iter().flat_map(|folder| locks(folder)).collect()
}

pub(crate) fn locks(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "lock"))
        .collect()
}
