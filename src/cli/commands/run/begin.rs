//! `dbs run`: the phases of a plan become tasks of the board. A plan that is on the board already is compared with its files, and continued
//! or restarted. Nothing of a plan is started or changed before a person has seen it.

use super::asking;
use crate::cli::commands::prelude::*;
use crate::cli::commands::run::{AgentOutput, RunPlanArgs};
use crate::cli::remote_choice;
use crate::domain::{BatchId, Command, Refusal, TaskId};
use crate::formats::plan::{NOTHING_LEFT, Plan, PlanChoices, PlanKind, batch_of, left_out};
use crate::formats::story_files::DOCUMENTS;
use crate::plans::consent::{self, PlanConsent};
use crate::plans::reconcile::{PlanDifference, PlanProject, PlanRows, PlanTasks, PlanWishes, reconcile};
use crate::plans::setup::PlanSetup;
use crate::plans::{BaseFiles, ReadPlan, read, shown, uncommitted};

/// Outcome of a call of `dbs run`.
pub(super) enum RunOutcome {
    /// Plan that was only shown.
    Shown,
    /// Plan with errors, which were shown.
    Unsound,
    /// Plan in which nothing is left to do, which was said.
    NothingLeft,
    /// Project that is not ready for it; with the reason, for people.
    Unready(String),
    /// Plan that is on the board.
    OnBoard(RunOnBoard),
}

/// Run that is on the board.
pub(super) struct RunOnBoard {
    pub(super) batch: BatchId,
    /// True if this call has begun or resumed it.
    pub(super) has_begun: bool,
}

/// Returns true if the call stays at its terminal until the plan is over or needs a person, while Ctrl-C leaves the plan alone.
pub(super) fn stays_attached(args: &RunPlanArgs) -> bool {
    !(args.call.detach || args.call.dry_run || args.call.json.json) && asking::can_ask()
}

/// Returns true if the call stays until the plan is over or needs a person.
pub(super) fn waits(args: &RunPlanArgs) -> bool {
    args.call.headless || args.call.interactive || args.call.output.is_some() || stays_attached(args)
}

/// Executes a plan, continues it, or shows the effects.
pub(super) fn run(env: &ProcessEnv, args: &RunPlanArgs) -> CommandResult {
    let paths = ProjectPaths::find(&env.folder, env)?;
    match begin(env, &paths, args)? {
        RunOutcome::Shown | RunOutcome::NothingLeft | RunOutcome::OnBoard(_) => Ok(ExitCode::SUCCESS),
        RunOutcome::Unsound => Ok(ExitCode::FAILURE),
        RunOutcome::Unready(why) => Err(CommandError::project(why)),
    }
}

/// Begins a plan like `run`, for a caller that waits for its end.
pub(super) fn begin(env: &ProcessEnv, paths: &ProjectPaths, args: &RunPlanArgs) -> CommandResult<RunOutcome> {
    let git = paths.git_setup(env.environment.clone());
    let base = BaseFiles::new(paths, git.clone());
    let read = read(&args.plan, Some(paths), &|path| base.has(path))?;
    for idle in paths.read_config().idle() {
        output::problem(&idle);
    }
    let mut run = PlanRun {
        by: env.author(),
        setup: PlanSetup::read(paths),
        read: &read,
        args,
        access: &mut BoardAccess::open_project(paths.clone())?,
    };
    if args.call.dry_run || !read.plan.is_sound() {
        return run.show();
    }
    let wishes = wishes(args);
    let rows = rows(run.access, &read.plan)?;
    if rows.are_over(&read.plan, &wishes.choices) {
        run.tell_nothing_left(&rows);
        return Ok(RunOutcome::NothingLeft);
    }
    if waits(args)
        && let Err(why) = trusted(paths)
    {
        return Ok(RunOutcome::Unready(why.to_string()));
    }
    if !run.access.has_server()
        && let Err(why) = remote_choice::refuse_unfit(env, paths)
    {
        return Ok(RunOutcome::Unready(why.to_string()));
    }
    if rows.begins(&wishes) && !args.call.allow_dirty {
        match uncommitted::refuse_changes(paths, &git, &read.plan) {
            Err(why) => return Ok(RunOutcome::Unready(why.to_string())),
            Ok(Some(warning)) => output::problem(&warning),
            Ok(None) => {}
        }
    }
    if read.plan.kind == PlanKind::Stories && rows.begins(&wishes) {
        tell_missing_documents(&base);
    }
    let found = run.compare(&rows, &wishes)?;
    run.carry_out(&rows, found)
}

/// Warns of documents that agents of stories are given to read and that are not on the base (A27).
fn tell_missing_documents(base: &BaseFiles<'_>) {
    let files = ["standards.md", "prd-schema.md"].map(|name| format!("{DOCUMENTS}/{name}"));
    let missing: Vec<&str> = files
        .iter()
        .map(String::as_str)
        .filter(|file| !base.has(file))
        .collect();
    if !missing.is_empty() {
        output::problem(&format!(
            "not on the base branch, so that agents work without: {}; `dbs atdd init` makes them, then commit and push them",
            missing.join(", ")
        ));
    }
}

/// Refuses while nothing would start because the programs that the project's files start are not trusted: a waiting caller would wait for
/// ever.
pub(in crate::cli::commands) fn trusted(paths: &ProjectPaths) -> CommandResult<()> {
    match paths.read_config().untrusted() {
        Some(files) if files.holds => Err(CommandError::config(files.text.clone())),
        _ => Ok(()),
    }
}

/// Returns the wishes of a command line.
fn wishes(args: &RunPlanArgs) -> PlanWishes {
    PlanWishes {
        choices: PlanChoices {
            from: args.phase.clone(),
            is_parallel: args.parallel.is_some(),
            asks: args.call.interactive,
            trusts_status: args.trust_plan,
            done: args.done.iter().cloned().collect(),
            ..PlanChoices::default()
        },
        options: args.options(),
        model: args.call.model.clone(),
        resumes: args.call.resume,
        restarts: args.restart,
    }
}

/// Returns the rows of the board that belong to a plan.
pub(in crate::cli::commands) fn rows(access: &mut BoardAccess, plan: &Plan) -> CommandResult<PlanRows> {
    PlanRows::collect(plan, &mut |batch| tasks_of(access, batch))
}

/// Returns the tasks of a batch.
pub(in crate::cli::commands) fn tasks_of(
    access: &mut BoardAccess,
    batch: BatchId,
) -> CommandResult<PlanTasks> {
    let mut tasks = PlanTasks::new();
    for id in access.ids_in(Some(batch))? {
        let found = access.task(&id)?;
        tasks.extend(found.map(|detail| (id, detail.task)));
    }
    Ok(tasks)
}

/// Returns the line about a plan in which nothing is left to do.
fn nothing_left(plan: &Plan) -> String {
    let file = plan.file.display();
    match plan.kind {
        PlanKind::Stories => {
            format!("queue empty: no story of {file} is left to do; `dbs atdd new TEXT` makes a PRD")
        }
        PlanKind::Phased | PlanKind::Graph => format!("{NOTHING_LEFT}: {file}"),
    }
}

/// A call of `dbs run`.
struct PlanRun<'a> {
    by: String,
    setup: PlanSetup,
    read: &'a ReadPlan,
    args: &'a RunPlanArgs,
    access: &'a mut BoardAccess,
}

impl PlanRun<'_> {
    /// Shows the plan and changes nothing.
    fn show(&mut self) -> CommandResult<RunOutcome> {
        let plan = &self.read.plan;
        let left_out = left_out(plan, &wishes(self.args).choices);
        if self.args.call.json.json {
            output::json(&shown::json(plan, &left_out));
        } else {
            output::all(shown::lines_of_run(plan, &left_out));
        }
        if !plan.is_sound() {
            output::problem("could not run the plan: it has errors; fix those listed above");
            return Ok(RunOutcome::Unsound);
        }
        let rows = rows(self.access, plan)?;
        // To begin anew is shown by the differences there are now.
        let wishes = PlanWishes {
            restarts: false,
            ..wishes(self.args)
        };
        if rows.are_over(plan, &wishes.choices) {
            if !self.args.call.json.json {
                output::line(&nothing_left(plan));
            }
            return Ok(RunOutcome::Shown);
        }
        let found = self.compare(&rows, &wishes)?;
        if !self.args.call.json.json {
            if found.is_known && !found.changes.is_none() {
                output::line("this differs from the board:");
                output::all(consent::lines(&found.changes, plan));
            }
            let asked = PlanConsent::new(plan, &self.access.paths).question(&found)?;
            output::lines(&format!("hash of the commands: {}", asked.listing.hash()));
        }
        Ok(RunOutcome::Shown)
    }

    fn compare(&mut self, rows: &PlanRows, wishes: &PlanWishes) -> CommandResult<PlanDifference> {
        let taken = self.access.ids()?;
        let project = PlanProject {
            root: &self.access.paths.root,
            is_claude: self.setup.works_with_claude(self.read.plan.kind),
        };
        reconcile(self.read, rows, &taken, wishes, project).map_err(Into::into)
    }

    /// Has the board do what the comparison found, after a yes to it.
    fn carry_out(&mut self, rows: &PlanRows, difference: PlanDifference) -> CommandResult<RunOutcome> {
        let plan = &self.read.plan;
        let has_changes = !difference.changes.is_none();
        if !difference.is_known {
            // A person who says yes knows the doubts (LG-15).
            for difference in &plan.findings {
                output::problem(&shown::finding_line(difference));
            }
        }
        if has_changes {
            let consent = PlanConsent::new(plan, &self.access.paths);
            let asked = consent.question(&difference)?;
            asking::ask(&asked, self.args.call.trust.as_deref())?;
            self.access.paths.prepare()?;
            if let Err(why) = consent.remember(asked) {
                output::problem(&why.to_string());
            }
        }
        self.ask(&difference.commands)?;
        if has_changes || self.args.call.resume {
            self.tell(&difference);
        } else {
            self.tell_standing(rows, &difference);
        }
        Ok(RunOutcome::OnBoard(RunOnBoard {
            has_begun: !difference.changes.new.is_empty() || self.args.call.resume,
            batch: difference.batch,
        }))
    }

    /// Sends commands to the board, all of them or none; a refusal ends the command line.
    fn ask(&mut self, commands: &[Command]) -> CommandResult<()> {
        if commands.is_empty() {
            return Ok(());
        }
        let refused = |refusal: Refusal| {
            let about = refusal.about.map(|id| format!("{id}: ")).unwrap_or_default();
            CommandError::user(format!("could not run the plan: {about}{}", refusal.why))
                .with_hint("`dbs task list` shows what is on the board")
        };
        let command = Command::All(commands.to_vec());
        self.access.execute(&self.by, command)?.map_err(refused)?;
        Ok(())
    }

    /// Prints that nothing is left to do.
    fn tell_nothing_left(&self, rows: &PlanRows) {
        let plan = &self.read.plan;
        if self.args.call.json.json {
            let batch = batch_of(plan, rows.restarts);
            output::json(&serde_json::json!({ "batch": batch, "tasks": [] }));
        } else {
            output::line(&nothing_left(plan));
        }
    }

    /// Prints how a plan stands that is on the board as its files have it.
    fn tell_standing(&self, rows: &PlanRows, difference: &PlanDifference) {
        if !self.args.call.json.json {
            output::all(self.rules());
        }
        output::all(shown::standing(rows.tasks.values()));
        let next = if difference.stopped.is_empty() {
            "the plan is on the board as its files have it".to_owned()
        } else {
            format!(
                "{} stopped; `--resume` takes them up again, `--restart` begins the plan anew",
                self.read.plan.kind.items(difference.stopped.len())
            )
        };
        output::lines(&next);
    }

    /// Prints what was changed, made and taken up again.
    fn tell(&self, difference: &PlanDifference) {
        for change in &difference.changes.changed {
            output::line(&format!("{} changed", change.task.id));
        }
        let new = &difference.changes.new;
        if new.is_empty() && !self.args.call.json.json {
            output::all(self.rules());
        }
        let ids: Vec<&TaskId> = new.iter().map(|draft| &draft.id).collect();
        if !ids.is_empty() && !self.args.call.json.json {
            output::line(&self.head(ids.len()));
            output::all(self.rules());
            output::all(shown::table(new, &self.read.plan));
        }
        if self.args.call.json.json {
            output::json(&serde_json::json!({ "batch": difference.batch, "tasks": ids }));
        } else if !ids.is_empty() && !waits(self.args) {
            output::lines(if self.access.has_server() {
                "released; `dbs` shows how it goes"
            } else {
                "released; `dbs` starts the work and shows it, `dbs watch` does so without a screen"
            });
        }
        if difference.is_known && self.args.call.resume {
            for id in &difference.stopped {
                output::line(&format!("{id} goes on"));
            }
        }
    }

    /// Returns the line about the plan that is begun.
    fn head(&self, phases: usize) -> String {
        let plan = &self.read.plan;
        let order = match self.args.parallel {
            Some(Some(most)) => format!("as they depend on each other, at most {most} at once"),
            Some(None) => "as they depend on each other".to_owned(),
            None if plan.kind.is_parallel() => "as they depend on each other".to_owned(),
            None => "one after another".to_owned(),
        };
        format!(
            "{}: {}, {} {order}",
            plan.kind.word(),
            plan.title,
            plan.kind.items(phases)
        )
    }

    /// Returns the file, the model, the limits, and the place that the agents write to (P19).
    fn rules(&self) -> Vec<String> {
        let plan = &self.read.plan;
        let output = match self.args.call.output {
            _ if !waits(self.args) => "a log for each attempt",
            Some(AgentOutput::File) => "a log for each attempt",
            Some(AgentOutput::Both) => "this terminal and a log for each attempt",
            Some(AgentOutput::Terminal) | None => "this terminal",
        };
        let rows = [
            ("plan", plan.file.display().to_string()),
            (
                "model",
                self.args
                    .call
                    .model
                    .clone()
                    .unwrap_or_else(|| "as set".to_owned()),
            ),
            ("ends after", self.setup.limits(plan.kind)),
            (
                "each try",
                format!("at most {}", self.setup.settings.agent_timeout),
            ),
            ("output to", output.to_owned()),
        ];
        rows.iter()
            .map(|(name, value)| format!("  {name:<11} {value}"))
            .collect()
    }
}
