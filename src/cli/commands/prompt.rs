//! `dbs prompt`: the prompt that the agent of a task received, the one that the next agent would receive, and the blocks it is made of.

use std::io::ErrorKind;
use std::path::Path;

use crate::adapters::agents::{program_word, prompt_file};
use crate::adapters::git::GitCli;
use crate::adapters::stories::StoryFormats;
use crate::adapters::text_file;
use crate::cli::commands::prelude::*;
use crate::config::trust::{TrustChange, TrustKind};
use crate::config::{schema, session_setup};
use crate::domain::{AttemptId, PromptFacts, RoleId, Task};
use crate::engine::prompt_place::story_reading;
use crate::formats::nearest::nearest;
use crate::formats::prompt::{BlockOrigin, PromptLibrary};
use crate::ports::git::{BranchName, CommitId, Git as _, Head, Revision, SafeName};

/// Maximum bytes of a prompt that is read back from an attempt's folder.
const LARGEST: u64 = 1024 * 1024;

/// Print a task's agent prompt
///
/// While an agent works on the task, its prompt is printed as it was sent. Otherwise a new prompt is printed, without the facts that are
/// only known at a start: the agent's name and folder, the commit of the base, the files changed so far. `--list` also reports roles and
/// stages that do not agree on signals, and files of the project that have no effect because they are not trusted.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs prompt dbs-1\ndbs prompt dbs-1 --role reviewer\ndbs prompt --list"))]
pub struct PromptArgs {
    /// Id of the task
    #[arg(required_unless_present = "list", conflicts_with = "list")]
    id: Option<String>,
    /// Role to print the prompt for, instead of the task's own
    #[arg(long, requires = "id")]
    role: Option<String>,
    /// List all roles and blocks with their sources
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for PromptArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        match &self.id {
            Some(id) => show(env, id, &self),
            None => list(env, self.json),
        }
    }
}

fn show(env: &ProcessEnv, id: &str, wanted: &PromptArgs) -> CommandResult {
    let mut access = BoardAccess::open(env)?;
    let library = access.paths.trust.prompt_library()?;
    let role = wanted.role.as_deref().map(RoleId::new);
    if let Some(role) = &role {
        check_role(&library, role)?;
    }
    let facts = access.prompt_facts(id.into(), role)?.ok_or_else(|| CommandError::project(format!(
            "could not write a prompt for {id}: no agent works at its stage; `dbs prompt {id} --role ROLE` shows what one would be told, \
             and `dbs prompt --list` lists the roles"
        )))?;
    let sent = facts
        .agent
        .attempt
        .map(|attempt| sent(&access.paths, attempt))
        .transpose()?
        .flatten();
    let is_sent = sent.is_some();
    let text = if let Some(text) = sent {
        text
    } else {
        let mut facts = facts.clone();
        if let Some(detail) = access.task(&id.into())? {
            facts.reading = reading(env, &access.paths, &detail.task, &facts)?;
        }
        next(env, &access.paths, &library, facts)?
    };
    for waiting in waiting(&access.paths) {
        output::problem(&waiting);
    }
    if wanted.json.json {
        output::json(&serde_json::json!({
            "task": facts.task.id, "stage": facts.stage.id, "role": facts.agent.role, "mode": facts.agent.mode.to_string(),
            "attempt": facts.agent.attempt, "sent": is_sent, "prompt": text,
        }));
    } else {
        output::lines(&text);
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks that a requested role has a file: a typing mistake must not look like an answer.
fn check_role(library: &PromptLibrary, role: &RoleId) -> CommandResult<()> {
    let known: Vec<&str> = library.roles().map(|(known, _)| known.id.as_str()).collect();
    if known.contains(&role.as_str()) {
        return Ok(());
    }
    let meant = nearest(role.as_str(), known.iter().copied())
        .map(|word| format!(", did you mean {word}"))
        .unwrap_or_default();
    Err(CommandError::user(format!(
        "could not find a role called {role}{meant}; there are {}",
        known.join(", ")
    )))
}

/// Returns the prompt of that attempt's agent; `None` if none was written for it.
fn sent(paths: &ProjectPaths, attempt: AttemptId) -> CommandResult<Option<String>> {
    let file = prompt_file(&paths.attempts, attempt);
    match text_file::read_text(&file, LARGEST) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CommandError::project(format!(
            "could not read {}: {error}",
            file.display()
        ))),
    }
}

/// Returns the reading that the agent of a story would get: as its work has it, or before there is any the base branch on origin.
fn reading(
    env: &ProcessEnv,
    paths: &ProjectPaths,
    task: &Task,
    facts: &PromptFacts,
) -> CommandResult<String> {
    let plan = task.plan.as_deref().filter(|plan| plan.tests.is_some());
    let Some(plan) = plan.filter(|_| !facts.place.base.is_empty()) else {
        return Ok(String::new());
    };
    let git = GitCli::open(&paths.git_setup(env.environment.clone()))?;
    let base = BranchName::new(&facts.place.base)?;
    let start = task.head.as_deref().and_then(|head| CommitId::new(head).ok());
    let start = match start {
        Some(start) => start,
        None => match git.resolve(&Revision::RemoteBranch(base)) {
            Head::At(commit) => commit,
            // There is nothing to read yet.
            Head::Absent => return Ok(String::new()),
            Head::Unknown(why) => {
                return Err(CommandError::project(format!(
                    "could not look for the base branch: {why}"
                )));
            }
        },
    };
    Ok(story_reading(
        &git,
        &start,
        &StoryFormats,
        plan,
        &facts.stage.evidence,
    )?)
}

/// Returns the prompt of the next agent; parts that only its start decides, such as its folder, are left out.
fn next(
    env: &ProcessEnv,
    paths: &ProjectPaths,
    library: &PromptLibrary,
    mut facts: PromptFacts,
) -> CommandResult<String> {
    if facts.place.base.is_empty() {
        return Err(CommandError::project(
            "could not write the prompt: no base branch is set: dbs config base_branch NAME",
        ));
    }
    let branch = BranchName::feature(&SafeName::derive(&facts.task.id));
    branch.as_str().clone_into(&mut facts.place.branch);
    paths.remote().name().clone_into(&mut facts.place.remote);
    facts.gate_limit = Some(paths.read_config().value(&schema::LIMITS_GATE_TIMEOUT));
    let path = env.get("PATH").unwrap_or_default();
    let program = program_word(&env.program, &paths.root, &path);
    library.render(&facts, &program).map_err(CommandError::from)
}

/// Returns the roles and blocks of the project that differ from the trusted ones, one line each.
fn waiting(paths: &ProjectPaths) -> Vec<String> {
    let entries = paths.trust.look().entries().into_iter();
    let steers = |kind| matches!(kind, TrustKind::Role | TrustKind::Prompt);
    let other = entries.filter(|entry| entry.change != TrustChange::Same && steers(entry.listed.item.kind));
    other
        .map(|entry| {
            let (name, change) = (&entry.listed.item.name, entry.change.word());
            format!("{name} is {change} and not trusted, so it is not in force: dbs trust diff")
        })
        .collect()
}

fn list(env: &ProcessEnv, json: JsonFlag) -> CommandResult {
    let place = ProjectPaths::find(&env.folder, env).ok();
    let library = match &place {
        Some(place) => place.trust.prompt_library(),
        None => PromptLibrary::read(&[]),
    };
    let library = library?;
    let flows = session_setup::workflows(place.as_ref())?;
    let differences: Vec<String> = flows.iter().flat_map(|flow| library.differences(flow)).collect();
    let waiting = place.as_ref().map(waiting).unwrap_or_default();
    if json.json {
        let blocks: Vec<_> = library
            .blocks()
            .map(|(name, block)| serde_json::json!({ "name": name, "origin": block.origin }))
            .collect();
        let roles: Vec<_> = library
            .roles()
            .map(|(role, origin)| serde_json::json!({ "role": role, "origin": origin }))
            .collect();
        output::json(&serde_json::json!({
            "blocks": blocks, "roles": roles, "differences": differences, "not_in_force": waiting,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    let root = place.as_ref().map(|place| place.root.as_path());
    for (role, origin) in library.roles() {
        let from = words(origin, root);
        output::line(&format!(
            "role   {:<28} {from:<24} {}",
            role.id,
            role.blocks.join(" ")
        ));
    }
    for (name, block) in library.blocks() {
        output::line(&format!("block  {name:<28} {}", words(&block.origin, root)));
    }
    output::all(differences);
    for waiting in waiting {
        output::problem(&waiting);
    }
    Ok(ExitCode::SUCCESS)
}

fn words(origin: &BlockOrigin, root: Option<&Path>) -> String {
    match origin {
        BlockOrigin::BuiltIn => "built in".to_owned(),
        BlockOrigin::File(file) => {
            let inside = root.and_then(|root| file.strip_prefix(root).ok());
            inside.unwrap_or(file).display().to_string()
        }
    }
}
