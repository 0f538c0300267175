//! Checks that a task's plan or its stage names: listed files, protected files, a test that must fail first. All of them look at a
//! commit, never at a folder an agent can write to.

use super::context::{EngineContext, base_branch, branch_of, signature};
use super::gate_runs;
use super::guarded_files::is_guarded;
use super::issues::Issues;
use super::job::Job;
use super::story_checks;
use crate::domain::plan_entry::{fits_path, names_path};
use crate::domain::workflow::Workspace;
use crate::domain::{Attempt, Cause, ComplianceIssue, PathRules, PlanEntry, Severity, Tri};
use crate::ports::gates::GateExit;
use crate::ports::git::{CommitId, DiffRange, Head, RestoreRequest, Revision, SafeName};

/// Maximum number of paths that a finding names.
const MOST_PATHS: usize = 20;

/// Checks that no protected file has changed since the task came to the stage.
pub(super) fn protected(context: &EngineContext, job: &Job, head: &CommitId) -> Issues {
    let patterns = PlanEntry::protected(job.task.plan.as_deref(), &job.stage.protected);
    let touched = changed(context, job, head)?;
    let is_protected = |path: &String| patterns.iter().any(|pattern| fits_path(pattern, path));
    let found: Vec<String> = touched.into_iter().filter(is_protected).collect();
    Ok(about_paths(
        Severity::Critical,
        "protected files were changed",
        &found,
    ))
}

/// Gives protected files that an earlier attempt at the stage changed the content they had when the task came there (LA-19). The work that
/// was on the branch stays below.
///
/// # Errors
/// When that cannot be done; then no agent may start.
pub(super) fn restore_protected(context: &EngineContext, job: &Job, attempt: &Attempt) -> Result<(), Cause> {
    let patterns = PlanEntry::protected(job.task.plan.as_deref(), &job.stage.protected);
    let from = job
        .task
        .stage_head
        .as_deref()
        .and_then(|text| CommitId::new(text).ok());
    let Some(from) = from.filter(|_| !patterns.is_empty() && job.workspace() == Workspace::Branch) else {
        return Ok(());
    };
    let branch = branch_of(&job.task);
    let head = match context.git.resolve(&Revision::LocalBranch(branch.clone())) {
        Head::At(head) => head,
        Head::Absent => return Ok(()),
        Head::Unknown(why) => return Err(why),
    };
    let touched = changed(context, job, &head).map_err(|why| match why {
        Tri::Unknown(why) => why,
        Tri::Yes | Tri::No(_) => Cause::from("could not tell which files were changed"),
    })?;
    let is_protected = |path: &String| patterns.iter().any(|pattern| fits_path(pattern, path));
    let paths: Vec<String> = touched.into_iter().filter(is_protected).collect();
    if paths.is_empty() {
        return Ok(());
    }
    let request = RestoreRequest {
        branch,
        head,
        from,
        paths,
        task: SafeName::derive(job.task.id.as_str()),
        attempt: SafeName::derive(&attempt.id.to_string()),
        signature: signature(attempt.created_at),
    };
    let restored = context.git.restore_files(&request);
    restored
        .map(drop)
        .map_err(|error| error.cause().after("could not "))
}

/// Checks that the files listed to be made exist, that those listed to be changed were changed, and that no others were. Another file is a
/// warning, because builds and tests write lock files and snapshots, unless it decides how work is checked (G42). So is a file that the
/// agent reports as changed and that was not (P66).
pub(super) fn listed_files(context: &EngineContext, job: &Job, head: &CommitId) -> Issues {
    let Some(plan) = job.task.plan.as_deref() else {
        return Ok(Vec::new());
    };
    let touched = changed(context, job, head)?;
    let protected = PlanEntry::protected(Some(plan), &job.stage.protected);
    let matters =
        |path: &str| is_guarded(path, &job.gates) || protected.iter().any(|pattern| fits_path(pattern, path));
    let list = FileList {
        rules: &plan.paths,
        notes: plan.notes.as_deref(),
    };
    let mut found = if plan.paths.lists_files() {
        list.compare(&touched, matters)
    } else {
        Vec::new()
    };
    let claimed = job.task.record.claimed_files.iter();
    let unseen = claimed.filter(|claimed| !touched.iter().any(|path| names_path(claimed, path)));
    let unseen: Vec<String> = unseen.cloned().collect();
    let what = "files are reported as changed, and the commit has no change of them";
    found.extend(about_paths(Severity::Low, what, &unseen));
    Ok(found)
}

/// Files that a task may change by its plan.
struct FileList<'a> {
    rules: &'a PathRules,
    notes: Option<&'a str>,
}

impl FileList<'_> {
    fn has(&self, path: &str) -> bool {
        Some(path) == self.notes || self.rules.listed().any(|pattern| fits_path(pattern, path))
    }

    fn compare(&self, touched: &[String], matters: impl Fn(&str) -> bool) -> Vec<ComplianceIssue> {
        let others = touched.iter().filter(|path| !self.has(path)).cloned();
        let (guarded, others): (Vec<_>, Vec<_>) = others.partition(|path| matters(path));
        let is_open = |pattern: &&str| !touched.iter().any(|path| fits_path(pattern, path));
        let open: Vec<String> = self.rules.listed().filter(is_open).map(str::to_owned).collect();
        [
            (
                Severity::Critical,
                "files that decide how work is checked were changed and are not listed",
                guarded,
            ),
            (Severity::Low, "files were changed that are not listed", others),
            (
                Severity::Critical,
                "listed files were neither made nor changed",
                open,
            ),
        ]
        .into_iter()
        .flat_map(|(severity, what, paths)| about_paths(severity, what, &paths))
        .collect()
    }
}

fn about_paths(severity: Severity, what: &str, paths: &[String]) -> Vec<ComplianceIssue> {
    if paths.is_empty() {
        return Vec::new();
    }
    let shown: Vec<&str> = paths.iter().take(MOST_PATHS).map(String::as_str).collect();
    let more = match paths.len().saturating_sub(MOST_PATHS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let text = format!("{what}: {}{more}", shown.join(", "));
    vec![ComplianceIssue::new(severity, text)]
}

/// Returns the paths that differ between the head and the commit with which the task came to the stage: its own head then, else the base it
/// left.
fn changed(context: &EngineContext, job: &Job, head: &CommitId) -> Result<Vec<String>, Tri> {
    let could_not = |error: &dyn std::fmt::Display| Tri::Unknown(format!("could not {error}").into());
    let to = Revision::Commit(head.clone());
    let range = match job.task.stage_head.as_deref().map(CommitId::new) {
        Some(Ok(from)) => DiffRange::Between {
            from: Revision::Commit(from),
            to,
        },
        Some(Err(error)) => return Err(could_not(&error)),
        None => DiffRange::SinceFork {
            base: Revision::RemoteBranch(base_branch(&job.base).map_err(|error| could_not(&error))?),
            head: to,
        },
    };
    let paths = context.git.changed_paths(&range);
    paths.map_err(|error| Tri::Unknown(error.cause().after("could not ")))
}

/// The gate fails on the head, and not because it could not be found or did not end (LA-5).
pub(super) fn gate_fails(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    head: &CommitId,
    name: &str,
) -> Issues {
    let Some(gate) = job.gates.iter().find(|gate| gate.name == name) else {
        let why = format!("there is no gate {name}; set it with `dbs config gates.{name} COMMAND`");
        return Err(Tri::No(why));
    };
    let run = gate_runs::one(context, job, attempt, gate, head)?;
    let why = match &run.exit {
        GateExit::Code(code) if run.exit.is_missing() => {
            format!("ended with code {code}, so it was not run at all")
        }
        GateExit::Code(_) if run.tests.is_some() => {
            match story_checks::first_run(context, job, head, &run)? {
                None => return Ok(Vec::new()),
                Some(why) => why,
            }
        }
        GateExit::Code(0) => "passes already".to_owned(),
        GateExit::Code(_) => return Ok(Vec::new()),
        GateExit::Signal(signal) => format!("was ended by signal {signal}"),
        GateExit::TimedOut => "did not end in time".to_owned(),
        GateExit::NotRun(why) => return Err(Tri::Unknown(why.clone())),
    };
    let text = format!(
        "gate {name} must fail here, by its own verdict, and {why}\n{}",
        run.tail
    );
    Ok(vec![ComplianceIssue::new(Severity::Critical, text)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_is_held_against_the_list_both_ways() {
        let rules = PathRules {
            create: vec!["src/new.rs".to_owned()],
            modify: vec!["docs/".to_owned(), "Cargo.toml".to_owned()],
            protected: Vec::new(),
        };
        let list = FileList {
            rules: &rules,
            notes: Some("notes/n.md"),
        };
        let compare = |paths: &[&str]| {
            let touched: Vec<String> = paths.iter().map(ToString::to_string).collect();
            let issues = list.compare(&touched, |path| path == ".gitattributes");
            let lines = issues.iter();
            lines
                .map(|issue| format!("{}: {}", issue.severity, issue.text))
                .collect::<Vec<_>>()
        };
        let right = compare(&["src/new.rs", "docs/a.md", "Cargo.toml", "notes/n.md"]);
        assert_eq!(right, Vec::<String>::new());
        let wanted = [
            "critical: files that decide how work is checked were changed and are not listed: .gitattributes",
            "low: files were changed that are not listed: Cargo.lock, a.snap",
            "critical: listed files were neither made nor changed: Cargo.toml",
        ];
        let wrong = [
            "src/new.rs",
            "docs/a.md",
            "Cargo.lock",
            ".gitattributes",
            "a.snap",
        ];
        assert_eq!(compare(&wrong), wanted);
    }
}
