//! `dbs audit` and `dbs run`: what a plan says, and its phases as tasks of the board. Nothing of a plan is started before a person has
//! seen its commands.

mod shown;

use std::io::{BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::adapters::clock;
use crate::adapters::output;
use crate::adapters::text_file;
use crate::cli::args::{AuditArgs, InitArgs, RunPlanArgs};
use crate::cli::board_access::BoardAccess;
use crate::cli::commands::CommandResult;
use crate::cli::failure::could_not;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::config::trust::{ListedText, TrustItem, TrustKind, TrustListing};
use crate::domain::task::GateCommand;
use crate::domain::{Command, MAX_TEXT_BYTES, TaskDraft, TaskId};
use crate::formats::plan::{self, Plan, PlanChoices, PlanItem};

/// Largest file of a plan, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Most bytes of all files of a plan together: the same file may be named again and again.
const LARGEST_PLAN: usize = 16 * 1024 * 1024;

/// Exit code of `--strict` for a plan with warnings.
const DOUBTFUL: u8 = 2;

/// Says what a plan holds and what is wrong with it.
pub(super) fn audit(edge: &ProcessEnv, wanted: &AuditArgs) -> CommandResult {
    let place = ProjectPaths::find(&edge.folder, edge).ok();
    let plan = read(&wanted.plan, place.as_ref())?;
    if wanted.json.json {
        output::json(&shown::json(&plan));
    } else {
        output::all(shown::lines(&plan));
    }
    Ok(match (plan.is_sound(), plan.findings.is_empty()) {
        (false, _) => ExitCode::FAILURE,
        (true, false) if wanted.strict => ExitCode::from(DOUBTFUL),
        (true, _) => ExitCode::SUCCESS,
    })
}

/// Puts the phases of a plan on the board and hands them to the engine.
pub(super) fn run(edge: &ProcessEnv, wanted: &RunPlanArgs) -> CommandResult {
    let place = ProjectPaths::find(&edge.folder, edge).map_err(could_not)?;
    let plan = read(&wanted.plan, Some(&place))?;
    let listing = commands(&plan);
    if wanted.dry_run || !plan.is_sound() {
        if wanted.json.json {
            output::json(&shown::json(&plan));
        } else {
            output::all(shown::lines(&plan));
            output::lines(&format!("hash of the gate commands: {}", listing.hash()));
        }
        if !plan.is_sound() {
            output::problem("could not run the plan: mend what is called an error");
            return Ok(ExitCode::FAILURE);
        }
        return Ok(ExitCode::SUCCESS);
    }
    agree(&listing, wanted.trust.as_deref())?;
    let mut access = BoardAccess::open_project(place.clone())?;
    let drafts = free_drafts(&mut access, &plan, (&place, wanted))?;
    hand_over(edge, &mut access, (&plan, drafts, wanted))
}

/// Makes the files of a new plan in a folder of its own; no file that is there is touched.
pub(super) fn init(edge: &ProcessEnv, wanted: &InitArgs) -> CommandResult {
    let place = ProjectPaths::find(&edge.folder, edge).map_err(could_not)?;
    let feature = wanted.feature.as_deref().unwrap_or_default().trim();
    let usable = |sign: char| !sign.is_control() && !"|[]`".contains(sign);
    if feature.is_empty() || feature.len() > 80 || !feature.chars().all(usable) {
        return Err(
            "could not make a plan: name it in at most 80 letters, without | [ ] and backticks".to_owned(),
        );
    }
    let gates = own_gates(Some(&place));
    if gates.is_empty() {
        return Err(
            "could not make a plan: nothing would prove its phases; set a check first, for example: dbs config gates.test 'make test'"
                .to_owned(),
        );
    }
    let folder = place.root.join("plans").join(plan::slug(feature));
    let failed = |error: std::io::Error| format!("could not make {}: {error}", folder.display());
    if folder.exists() {
        return Err(format!(
            "could not make a plan: {} is there already; name it otherwise",
            folder.display()
        ));
    }
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let date = clock::utc_date(clock::now());
    let files = plan::new_plan(&plan::NewPlan {
        feature,
        phases: wanted.phases,
        template: &wanted.template,
        date: &date,
        gates: &gates,
    });
    for (name, text) in &files {
        std::fs::write(folder.join(name), text).map_err(failed)?;
    }
    let made: Vec<String> = files
        .iter()
        .map(|(name, _)| in_project(&folder.join(name), &place.root))
        .collect();
    if wanted.json.json {
        output::json(&serde_json::json!({ "files": made }));
        return Ok(ExitCode::SUCCESS);
    }
    let master = made.first().cloned().unwrap_or_default();
    output::all(made);
    output::line(&format!(
        "write down what each phase is to do, then: dbs audit {master}; dbs run {master}"
    ));
    Ok(ExitCode::SUCCESS)
}

/// Reads the plan with the files of its phases. A link in a plan leads nowhere outside of the folder of the plan.
fn read(file: &Path, place: Option<&ProjectPaths>) -> Result<Plan, String> {
    let failed = |why: &dyn std::fmt::Display| format!("could not read the plan {}: {why}", file.display());
    let text = text_file::read_text(file, LARGEST).map_err(|error| failed(&error))?;
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let real_folder = folder.canonicalize().map_err(|error| failed(&error))?;
    let mut room = LARGEST_PLAN;
    let mut open = |path: &Path| {
        let real = path.canonicalize().map_err(|error| error.to_string())?;
        if !real.starts_with(&real_folder) {
            return Err("it is a link to a file outside of the folder of the plan".to_owned());
        }
        let text = text_file::read_text(&real, LARGEST).map_err(|error| error.to_string())?;
        let left = room.checked_sub(text.len());
        room = left
            .ok_or_else(|| format!("the files of the plan have more than {LARGEST_PLAN} bytes together"))?;
        Ok(text)
    };
    Ok(plan::read(file, &text, &own_gates(place), &mut open))
}

/// The gates of the project, by whose names a plan may use their commands.
fn own_gates(place: Option<&ProjectPaths>) -> Vec<GateCommand> {
    let settings = place.and_then(|place| crate::config::session_setup::reread(place).ok());
    settings.map(|(settings, _)| settings.gates).unwrap_or_default()
}

/// Everything a plan would start, with its place and one hash.
fn commands(plan: &Plan) -> TrustListing {
    let gates = plan.items.iter().flat_map(|item| {
        let file = item.file.clone().unwrap_or_else(|| plan.file.clone());
        item.gates.iter().map(move |gate| ListedText {
            item: TrustItem {
                kind: TrustKind::Program,
                name: format!("phase {} gate {}", item.id, gate.name),
                text: gate.command.clone().unwrap_or_default(),
            },
            file: file.clone(),
            line: gate.line,
        })
    });
    TrustListing {
        items: gates.collect(),
    }
}

/// A person says yes to exactly these commands: at the terminal, or by their hash.
fn agree(listing: &TrustListing, given: Option<&str>) -> Result<(), String> {
    let hash = listing.hash();
    if listing.items.is_empty() || given.map(str::trim) == Some(hash.as_str()) {
        return Ok(());
    }
    let lines = listing.items.iter().map(|listed| {
        let (item, file) = (&listed.item, listed.file.display());
        format!(
            "{file}:{}: {}: {}",
            listed.line,
            item.name,
            crate::term::sanitize(&item.text)
        )
    });
    output::all(
        std::iter::once("The engine will run these commands of the plan as you:".to_owned()).chain(lines),
    );
    if given.is_some() {
        return Err(format!(
            "could not run the plan: the hash of its gate commands is {hash}, not that one"
        ));
    }
    if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
        return Err(format!(
            "could not ask whether they may run, for this is no terminal: look at them, then add --trust {hash}"
        ));
    }
    output::lines("Run them? y or n");
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    match read {
        Ok(_) if matches!(line.trim().to_lowercase().as_str(), "y" | "yes") => Ok(()),
        _ => Err("nothing was started: you did not say yes".to_owned()),
    }
}

/// The tasks of the plan, by ids that no task of another plan has.
fn free_drafts(
    access: &mut BoardAccess,
    plan: &Plan,
    (place, wanted): (&ProjectPaths, &RunPlanArgs),
) -> Result<Vec<TaskDraft>, String> {
    let known = access.ids()?;
    let short = drafts(plan, place, (wanted, false))?;
    let Some(taken) = short.iter().find(|draft| known.contains(&draft.id)) else {
        return Ok(short);
    };
    let other = access.task(&taken.id)?;
    if other.is_some_and(|other| other.task.batch == taken.batch) {
        return Err(format!(
            "could not run the plan: it is on the board already, {} is a phase of it; `dbs retry {}` takes a phase up again",
            taken.id, taken.id
        ));
    }
    drafts(plan, place, (wanted, true))
}

fn drafts(
    plan: &Plan,
    place: &ProjectPaths,
    (wanted, has_long_ids): (&RunPlanArgs, bool),
) -> Result<Vec<TaskDraft>, String> {
    let choices = PlanChoices {
        from: wanted.phase.clone(),
        is_parallel: wanted.parallel,
        asks: wanted.interactive,
        trusts_status: wanted.trust_plan,
        has_long_ids,
    };
    let path = |path: &Path| in_project(path, &place.root);
    let body = |item: &PlanItem| {
        let text = item
            .file
            .as_deref()
            .and_then(|file| text_file::read_text(file, LARGEST).ok());
        let text = text.unwrap_or_default();
        let end = text.floor_char_boundary(MAX_TEXT_BYTES - 1024);
        text.get(..end).unwrap_or_default().to_owned()
    };
    plan::drafts(plan, &choices, (&body, &path)).map_err(|why| format!("could not run the plan: {why}"))
}

/// A path as it is named from the project's root.
fn in_project(path: &Path, root: &Path) -> String {
    let real = path.canonicalize().unwrap_or_else(|_gone| path.to_owned());
    let root = root.canonicalize().unwrap_or_else(|_gone| root.to_owned());
    let shown: PathBuf = real
        .strip_prefix(&root)
        .map_or_else(|_outside| path.to_owned(), Path::to_owned);
    shown.display().to_string()
}

fn hand_over(
    edge: &ProcessEnv,
    access: &mut BoardAccess,
    (plan, drafts, wanted): (&Plan, Vec<TaskDraft>, &RunPlanArgs),
) -> CommandResult {
    let by = edge.author();
    let batch = plan::batch_of(plan);
    let refused = |refusal: crate::domain::Refusal| {
        let about = refusal.about.map(|id| format!("{id}: ")).unwrap_or_default();
        format!(
            "could not run the plan: {about}{}; `dbs task list` shows what is on the board",
            refusal.why
        )
    };
    let put = Command::PutBatch {
        id: batch.clone(),
        title: plan.title.clone(),
        goal: format!("the plan {}", plan.file.display()),
        base: None,
    };
    access.execute(&by, put)?.map_err(refused)?;
    let ids: Vec<TaskId> = drafts.iter().map(|draft| draft.id.clone()).collect();
    let titles: Vec<String> = drafts
        .iter()
        .map(|draft| format!("{}  {}", draft.id, draft.title))
        .collect();
    access
        .execute(&by, Command::CreateAll(drafts))?
        .map_err(refused)?;
    access
        .execute(&by, Command::Release(ids.clone()))?
        .map_err(refused)?;
    if wanted.json.json {
        output::json(&serde_json::json!({ "batch": batch, "tasks": ids }));
        return Ok(ExitCode::SUCCESS);
    }
    output::all(titles);
    let next = if access.has_server() {
        "released; `dbs` shows how it goes"
    } else {
        "released; `dbs` starts the work and shows it, `dbs watch` does so without a screen"
    };
    output::lines(next);
    Ok(ExitCode::SUCCESS)
}
