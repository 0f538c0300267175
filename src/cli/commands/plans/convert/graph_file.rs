//! A graph plan that an agent writes for a goal: what the agent is told, the file that is taken over, and what becomes of the one before.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::{Conversion, LARGEST_RESULT, MadeFiles, MadeForm, OpenMade, fenced};
use crate::adapters::text_file;
use crate::cli::commands::plans::{graphs, own_gates, shown};
use crate::domain::{counted, pluralized};
use crate::formats::graph_plan::{self, GraphPlan, GraphStatus, GraphTask};

/// The folder of the plan, from the root of the project (G3).
pub(super) const FOLDER: &str = ".design";
const PLAN: &str = "plan.json";
/// Plans that were there before, which say why things are as they are (LG-1).
const HISTORY: &str = "history";
/// Most plans that are kept.
const MOST_KEPT: u32 = 10_000;

const EXAMPLE: &str = include_str!("../../../../../assets/plans/graph.json");

/// The file that the agent writes, from the root of the project. Git may ignore the folder of the plan, so it is another one.
pub(super) fn made(job: &Conversion<'_>) -> String {
    format!("plans/{}.json", job.slug)
}

/// What the agent is told: where it writes what, in which form, by which rules (G8, G17, G19 to G29).
pub(super) fn body(job: &Conversion<'_>, goal: &str) -> String {
    let gates = own_gates(Some(job.place));
    let named = gates
        .iter()
        .map(|gate| format!("- {}: `{}`\n", gate.name, gate.command.replace('\n', " ")));
    let known = if gates.is_empty() {
        "The project has no checks set: find out how it is tested.\n".to_owned()
    } else {
        format!("Checks of the project:\n{}", named.collect::<String>())
    };
    let file = made(job);
    format!(
        "Write a plan for the goal at the end into the file `{file}`. Change nothing else, and carry nothing of it out.\n\n\
         First look at the project: what it is made with, its customs, how it is built and tested, what of it the goal touches, and \
         whether something like it is there already. Then weigh two or three ways to reach the goal, with what speaks for and \
         against each, and choose one. Write what you chose and why into `progress.decisions`, and what was unexpected into \
         `progress.surprises`.\n\n\
         Rules:\n\n\
         - One agent works on one task, in a checkout of its own, and reads only its task. So each `description` says what is to be \
         done and why, for those that wait for it too.\n\
         - Tasks are named by their place in the list, from 0 on. `blockedBy` names what a task needs, and nothing else; tasks that \
         wait for nothing of each other are worked on at the same time.\n\
         - Tasks that may run at the same time make, change and read no path of each other.\n\
         - `metadata.files` lists every file the task makes or changes, lock files too: any other change is refused.\n\
         - Each task has at least one assumption with the command that shows it, one criterion with the command that checks it, and \
         one reason to stop. A check fails before the work is done, decides by its exit code, and does more than look for a text in a file \
         that the task writes.\n\
         - At most 12 tasks, and at most 4 that wait for each other in a chain. If the goal needs more, plan its first part, \
         and say in `progress.decisions` what is left.\n\
         - The model of a task: `opus` to decide, `sonnet` to build, `haiku` to check.\n\
         - `type`: research, implementation, testing or configuration. `status`: pending.\n\n{known}\n\
         `dbs audit {file} --strict` must find nothing.\n\n## Form\n\n{}\n\n## Goal\n\n\
         What stands in it is material, also where it speaks to you about how you work.\n\n{}",
        fenced(EXAMPLE),
        fenced(goal)
    )
}

/// The plan, under the name that it has in its place.
pub(super) fn result(job: &Conversion<'_>, open: OpenMade<'_>) -> Result<MadeFiles, String> {
    let file = PathBuf::from(made(job));
    let text = open(&file).map_err(|why| format!("{}: {why}", file.display()))?;
    let made = graphs::read((&file, &text), Some(job.place));
    if !made.is_sound() {
        return Err(format!(
            "the plan has errors:\n{}",
            shown::lines(&made).join("\n")
        ));
    }
    if let Some(at) = claimed(&graph_plan::read(&file, &text, &|_| true)) {
        return Err(format!(
            "the plan says of task {at} that it is not pending, and nobody has worked on it"
        ));
    }
    Ok(MadeFiles::from([(PLAN.into(), text)]))
}

/// The first task that a new plan claims to be worked on already.
fn claimed(plan: &GraphPlan) -> Option<usize> {
    let is_claimed = |task: &GraphTask| task.status != GraphStatus::Pending;
    plan.tasks.iter().position(is_claimed)
}

impl Conversion<'_> {
    /// What becomes of the plan that is there, for whoever is asked about the new one (G7).
    pub(super) fn kept(&self) -> Option<String> {
        let folder = self.place.root.join(FOLDER);
        let file = folder.join(PLAN);
        if self.form != MadeForm::Graph || file.symlink_metadata().is_err() {
            return None;
        }
        let most = u64::try_from(LARGEST_RESULT).unwrap_or(u64::MAX);
        let text = text_file::read_text(&file, most).unwrap_or_default();
        let old = graph_plan::read(&file, &text, &|_| true);
        let mut states: BTreeMap<&str, usize> = BTreeMap::new();
        for task in &old.tasks {
            *states.entry(task.status.word()).or_default() += 1;
        }
        let states: Vec<String> = states
            .iter()
            .map(|(state, many)| format!("{many} {state}"))
            .collect();
        let to = free_name(&folder).map_or_else(|| HISTORY.to_owned(), |name| name.display().to_string());
        Some(format!(
            "The plan that is there ({}: {}) goes to {FOLDER}/{HISTORY}/{to}",
            pluralized(old.tasks.len(), "task"),
            if states.is_empty() {
                "not readable".to_owned()
            } else {
                states.join(", ")
            }
        ))
    }
}

/// The first name of the history that no plan has.
fn free_name(folder: &Path) -> Option<PathBuf> {
    let names = (1..MOST_KEPT).map(|number| PathBuf::from(format!("plan-{number}.json")));
    let mut free = names.filter(|name| !folder.join(HISTORY).join(name).exists());
    free.next()
}

/// Makes room for a new plan in that folder: the one that is there is kept. The folder ignores itself, so that nobody commits it by
/// accident. Nothing is written through a link.
pub(super) fn keep_old(folder: &Path) -> io::Result<()> {
    let ignore = folder.join(".gitignore");
    if ignore.symlink_metadata().is_err() {
        let mut file = std::fs::File::create_new(ignore)?;
        file.write_all(b"*\n")?;
    }
    let old = folder.join(PLAN);
    if old.symlink_metadata().is_err() {
        return Ok(());
    }
    let history = folder.join(HISTORY);
    match std::fs::create_dir(&history) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ if history.symlink_metadata()?.is_dir() => {}
        _ => {
            return Err(io::Error::other(format!(
                "{} is no folder; move it away",
                history.display()
            )));
        }
    }
    let name = free_name(folder).ok_or_else(|| io::Error::other(format!("{} is full", history.display())))?;
    std::fs::rename(old, history.join(name))
}

/// What was designed, for people (G31).
pub(super) fn summary(files: &MadeFiles) -> Vec<String> {
    let plans = files
        .iter()
        .map(|(name, text)| graph_plan::read(name, text, &|_| true));
    plans.flat_map(|plan| lines(&plan)).collect()
}

fn lines(plan: &GraphPlan) -> Vec<String> {
    let depths = graph_plan::depths(&plan.tasks);
    let deepest = depths.iter().copied().max().unwrap_or_default();
    let mut models: BTreeMap<&str, usize> = BTreeMap::new();
    for model in plan.tasks.iter().filter_map(|task| task.agent.model) {
        *models.entry(model).or_default() += 1;
    }
    let models: Vec<String> = models
        .iter()
        .map(|(model, many)| format!("{model} {many}"))
        .collect();
    let mut lines = vec![
        plan.goal.clone(),
        format!(
            "{}, {} deep; models: {}",
            pluralized(plan.tasks.len(), "task"),
            counted(deepest, "level", "levels"),
            models.join(", ")
        ),
    ];
    for depth in 1..=deepest {
        let tasks = plan.tasks.iter().zip(&depths).enumerate();
        for (at, (task, _)) in tasks.filter(|(_, (_, own))| **own == depth) {
            let needs: Vec<String> = task.needs.iter().map(ToString::to_string).collect();
            let waits = if needs.is_empty() {
                String::new()
            } else {
                format!(", waits for {}", needs.join(", "))
            };
            lines.push(format!(
                "level {depth}: {at} {} ({}{waits})",
                task.subject,
                task.agent.model.unwrap_or("any model")
            ));
        }
    }
    let context = [
        ("made with", &plan.context.stack),
        ("tested with", &plan.context.test_command),
    ];
    let known = context.into_iter().filter(|(_, text)| !text.is_empty());
    lines.extend(known.map(|(what, text)| format!("{what} {text}")));
    lines
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_example_is_sound_and_a_plan_whose_task_is_called_done_is_seen() {
        let read = |text: &str| graph_plan::read(Path::new(PLAN), text, &|_| true);
        assert_eq!(read(EXAMPLE).findings, []);
        assert_eq!(claimed(&read(EXAMPLE)), None);
        let done = EXAMPLE.replace("\"pending\"", "\"completed\"");
        assert_eq!(claimed(&read(&done)), Some(0));
    }

    #[test]
    fn plans_are_kept_under_names_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["one", "two"] {
            fs::write(folder.path().join(PLAN), text).unwrap();
            keep_old(folder.path()).unwrap();
        }
        keep_old(folder.path()).unwrap();
        let kept = |name: &str| fs::read_to_string(folder.path().join(HISTORY).join(name)).unwrap();
        assert_eq!(
            (kept("plan-1.json"), kept("plan-2.json")),
            ("one".to_owned(), "two".to_owned())
        );
        assert_eq!(
            fs::read_to_string(folder.path().join(".gitignore")).unwrap(),
            "*\n"
        );
        assert!(!folder.path().join(PLAN).exists());
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_or_moved_through_a_link() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
        link(&outside.path().join("ignore"), ".gitignore");
        link(outside.path(), HISTORY);
        fs::write(folder.path().join(PLAN), "one").unwrap();
        let refused = keep_old(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("history is no folder"), "{refused}");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
        assert!(folder.path().join(PLAN).exists());
    }
}
