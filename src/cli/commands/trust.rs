//! `dbs trust`: the parts of a project's files that start programs or steer agents, and the person's trust in them.

mod origin;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use crate::adapters::git::{FileCommit, GitSetup, last_commit_of};
use crate::adapters::project::Project;
use crate::cli::commands::prelude::*;
use crate::config::trust::{
    TrustChange, TrustEntry, TrustError, TrustKind, TrustRecord, TrustReport, changed_lines,
};
use crate::protocol::wire::ServerCall;
use crate::term::{sanitize, sanitize_command};

/// Part that `dbs trust` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TrustView {
    /// Print everything that starts a program or steers an agent, with its place and the hash
    Show,
    /// Print the difference from what you trusted
    Diff,
}

/// Review or trust the commands this project's files would run
///
/// This includes settings that influence agents. Exits with 1 while something is not trusted. An agent cannot trust anything.
///
/// An agent could change the address of origin, so `dbs` remembers it. If it changes, `dbs doctor` says so, and no server starts until you
/// accept the new address with `--origin`. Stop a running server first.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs trust show\ndbs trust diff\ndbs trust --hash HASH\ndbs trust --forget\ndbs trust --origin git@example.org:shop.git"))]
pub struct TrustArgs {
    /// Part to print: everything, or the difference from what you trusted
    #[arg(default_value = "show")]
    view: TrustView,
    /// Trust everything in the project's files if it has this hash
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,
    /// Revoke all trust in this project
    #[arg(long, conflicts_with = "hash")]
    forget: bool,
    /// Accept state that was created by another user or on another machine
    #[arg(long, conflicts_with_all = ["hash", "forget"])]
    state: bool,
    /// Accept this new address of origin, if origin has it now
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["hash", "forget", "state"])]
    origin: Option<String>,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for TrustArgs {
    /// Shows the parts to trust, trusts them or forgets them.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let place = ProjectPaths::find(&env.folder, env)?;
        if self.hash.is_none() && self.origin.is_none() && !self.forget && !self.state {
            return Ok(print(env, &place, &self));
        }
        refuse_agents(env)?;
        place.prepare()?;
        let done = if let Some(hash) = self.hash.as_deref().map(str::trim) {
            place.trust.trust(hash)?;
            format!("trusted: what has the hash {hash}")
        } else if let Some(address) = &self.origin {
            origin::accept(&place, env, address)?
        } else if self.state {
            let project = Project::find(&place.root)?;
            let own = env.state_folder();
            project.adopt_state(own.as_deref())?;
            "the state in this project is used from now on".to_owned()
        } else {
            place.trust.forget()?;
            "nothing of this project is trusted any more".to_owned()
        };
        // A running server takes it over at once; it reports itself the parts that it cannot understand.
        BoardAccess::open_project(place)?.call(ServerCall::Reload { by: env.author() })?;
        print_done(&done, self.json);
        Ok(ExitCode::SUCCESS)
    }
}

/// Refuses agents, which must not decide what may be started.
///
/// # Errors
/// When an agent asks.
pub(super) fn refuse_agents(env: &ProcessEnv) -> CommandResult<()> {
    if env.is_agent() {
        return Err(CommandError::config(
            "could not trust anything for an agent: a person does that, in a terminal of their own",
        ));
    }
    Ok(())
}

/// A text in the listing, as tools read it.
#[derive(Serialize)]
struct TrustRow<'a> {
    kind: TrustKind,
    name: &'a str,
    file: &'a Path,
    line: usize,
    change: &'static str,
    text: &'a str,
    /// The text that was trusted, if it was another one.
    trusted: Option<&'a str>,
    /// The last commit of its file, where git knows one and the differences are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_commit: Option<serde_json::Value>,
}

/// The last commits of the files in a comparison.
type FileCommits = BTreeMap<PathBuf, FileCommit>;

fn commits_of(env: &ProcessEnv, root: &Path, entries: &[TrustEntry]) -> FileCommits {
    let setup = GitSetup::new(root, env.environment.clone());
    let files: BTreeSet<&Path> = entries.iter().map(|entry| entry.listed.file.as_path()).collect();
    // The author of a file is worth knowing; without git the differences are shown all the same.
    let commit = |file: &Path| Some((file.to_owned(), last_commit_of(&setup, file).ok()??));
    files.into_iter().filter_map(commit).collect()
}

/// Returns the line on the last commit of a file, and on changes since.
fn commit_line(found: &FileCommit) -> String {
    let since = if found.is_committed {
        ""
    } else {
        "; it was changed since, and that is not committed"
    };
    format!(
        "         last committed by {} on {} ({}){since}",
        found.author, found.date, found.commit
    )
}

impl<'a> TrustRow<'a> {
    fn of(entry: &'a TrustEntry, commits: &FileCommits) -> TrustRow<'a> {
        let listed = &entry.listed;
        let commit = commits.get(&listed.file);
        TrustRow {
            kind: listed.item.kind,
            name: &listed.item.name,
            file: &listed.file,
            line: listed.line,
            change: entry.change.word(),
            text: &listed.item.text,
            trusted: match &entry.change {
                TrustChange::Changed(old) => Some(old),
                TrustChange::Same | TrustChange::New | TrustChange::Gone => None,
            },
            last_commit: commit.map(|found| {
                serde_json::json!({
                    "commit": found.commit, "author": found.author, "date": found.date,
                    "committed": found.is_committed,
                })
            }),
        }
    }
}

fn print(env: &ProcessEnv, paths: &ProjectPaths, wanted: &TrustArgs) -> ExitCode {
    let report = paths.trust.look();
    let mut entries = report.entries();
    let mut commits = FileCommits::new();
    if wanted.view == TrustView::Diff {
        entries.retain(|entry| entry.change != TrustChange::Same);
        commits = commits_of(env, &paths.root, &entries);
    }
    let plans = paths.trust.plans();
    if wanted.json.json {
        let items: Vec<TrustRow<'_>> = entries
            .iter()
            .map(|entry| TrustRow::of(entry, &commits))
            .collect();
        output::json(&serde_json::json!({
            "trusted": report.is_trusted(), "hash": report.listing.hash(), "items": items,
            "problem": report.problem, "plans": plans.iter().flatten().map(plan_row).collect::<Vec<_>>(),
        }));
    } else {
        for entry in &entries {
            let mut lines = lines_of(entry, &paths.root, wanted.view);
            let commit = commits.get(&entry.listed.file);
            lines.extend(commit.map(commit_line));
            output::all(lines);
        }
        if wanted.view == TrustView::Show {
            output::all(plan_lines(&plans));
            output::all(files_of_tools(&paths.root));
        }
        output::all(summary(&report));
    }
    exit_code(report.is_trusted())
}

/// A text with its place: settings as they are, files by their number of lines; in a comparison the lines that differ.
fn lines_of(entry: &TrustEntry, root: &Path, view: TrustView) -> Vec<String> {
    let listed = &entry.listed;
    let place = entry.place(root);
    let change = entry.change.word();
    let mut lines = vec![format!(
        "{change:<8} {:<9} {}  ({place})",
        listed.item.kind.word(),
        listed.item.name
    )];
    let text = &listed.item.text;
    match (view, &entry.change) {
        (TrustView::Diff, TrustChange::Changed(old)) => lines.extend(changed_lines(old, text)),
        (TrustView::Diff, TrustChange::Gone) => lines.extend(changed_lines(text, "")),
        (TrustView::Diff, _) => lines.extend(changed_lines("", text)),
        (TrustView::Show, _) if listed.item.kind.is_setting() => {
            lines.extend(
                text.lines()
                    .map(|line| format!("         {}", sanitize_command(line))),
            );
        }
        (TrustView::Show, _) => lines.push(format!("         {} lines", text.lines().count())),
    }
    lines
}

/// Files in which Claude Code finds hooks, permissions and servers of a repository.
const FILES_OF_CLAUDE: [&str; 3] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".mcp.json",
];

/// Files and a folder in which opencode finds plugins, permissions and servers of a repository.
const FILES_OF_OPENCODE: [&str; 3] = ["opencode.json", "opencode.jsonc", ".opencode"];

/// Returns a line for each file of the repository that a tool reads by itself.
fn files_of_tools(root: &Path) -> Vec<String> {
    let there = |file: &&&str| root.join(file).exists();
    let of_claude = FILES_OF_CLAUDE.iter().filter(there).map(|file| {
        format!(
            "claude   {file}: dbs does not check its hooks, permissions and servers; without its interface, Claude Code uses them only in \
             a project that you trust in Claude Code"
        )
    });
    let of_opencode = FILES_OF_OPENCODE.iter().filter(there).map(|file| {
        format!(
            "opencode {file}: dbs does not check its plugins, permissions and servers, and opencode uses them without a question; \
             `dbs config environment.set.OPENCODE_DISABLE_PROJECT_CONFIG 1` leaves them out"
        )
    });
    of_claude.chain(of_opencode).collect()
}

/// Returns the trusted commands of a plan, as tools read them.
fn plan_row(record: &TrustRecord) -> serde_json::Value {
    let commands = record.items.iter().map(|item| (&item.name, &item.text));
    serde_json::json!({
        "plan": record.plan, "hash": record.hash(), "commands": commands.collect::<BTreeMap<_, _>>(),
    })
}

/// Returns the trusted commands of plans, which `dbs run` does not ask about again.
fn plan_lines(plans: &Result<Vec<TrustRecord>, TrustError>) -> Vec<String> {
    let lines = |record: &TrustRecord| {
        let plan = record.plan.as_deref().unwrap_or_default();
        let head = format!("{:<8} {:<9} {}", "trusted", "plan", sanitize(plan));
        let commands = record.items.iter();
        let commands = commands.map(|item| {
            format!(
                "         {}: {}",
                sanitize(&item.name),
                sanitize_command(&item.text)
            )
        });
        std::iter::once(head).chain(commands).collect::<Vec<_>>()
    };
    match plans {
        Ok(plans) => plans.iter().flat_map(lines).collect(),
        Err(why) => vec![format!(
            "could not {why}; `dbs trust --forget` drops what you trusted of plans"
        )],
    }
}

fn summary(report: &TrustReport) -> Vec<String> {
    let hash = report.listing.hash();
    if let Some(why) = &report.problem {
        return vec![format!("not trusted: could not {why}")];
    }
    if let Some(why) = &report.listing.unreadable {
        return vec![format!("not trusted: could not use {why}; fix the file first")];
    }
    if report.is_trusted() {
        return vec![match report.listing.items.as_slice() {
            [] => "nothing in this project's files starts a program or steers an agent".to_owned(),
            _ => format!("trusted; hash {hash}"),
        }];
    }
    let note = report.former_note().map(|note| format!("; {note}"));
    vec![
        format!("not trusted; hash {hash}{}", note.unwrap_or_default()),
        format!("trust exactly this: dbs trust --hash {hash}"),
    ]
}
