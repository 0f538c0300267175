//! A graph plan that an agent writes for a goal: the text for the agent, the file that is taken over, and what people are told about it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::json;

use super::{DesignSoFar, MadeFiles, PlanMaking, texts};
use crate::domain::{Cause, Task, counted, pluralized};
use crate::formats::design::Complexity;
use crate::formats::graph_plan::{self, GraphPlan, GraphStatus, GraphTask};
use crate::formats::prompt::{fenced_whole, fill};
use crate::plans::{graphs, shown};

/// The folder of the plan, from the root of the project (G3).
pub(super) const FOLDER: &str = ".design";
pub(super) const PLAN: &str = "plan.json";
const EXAMPLE: &str = include_str!("../../../assets/plans/graph.json");
const TEXT: &str = include_str!("../../../assets/plans/making/graph.md");

impl PlanMaking<'_> {
    /// Returns the file that the agent writes, relative to the root of the project. Git may ignore the folder of the plan, so it is another
    /// one.
    fn graph(&self) -> String {
        format!("plans/{}.json", self.name.slug)
    }

    /// Returns the model of the agent that writes the plan: a plan that is written from an analysis alone is light work (G10).
    pub(super) fn graph_model(&self, design: &DesignSoFar) -> Option<String> {
        match design.complexity {
            Some(complexity) => self.model("convert", "converting", model_hint(complexity)),
            None => self.job.model.clone(),
        }
    }

    /// Returns the text for the agent: the file to write, the rules (G17, G19 to G29), and the findings of others before it; and the command
    /// that checks its work. Warnings in a newly written plan can still be put right (G25, G26, LG-9), and it must answer the objections of
    /// a critic to the reports it was made of (G17).
    pub(super) fn graph_order(&self, design: &DesignSoFar) -> Result<(String, String), Cause> {
        let file = self.graph();
        let audit = format!("audit {file} --strict");
        let check = match design.answers.as_slice() {
            [] => audit,
            answers => format!("{audit} --answers {}", answers.join(",")),
        };
        let values = json!({
            "file": file, "told": texts::told(&design.told),
            "is_small": design.complexity == Some(Complexity::Minimal),
            "answers": design.answers.join(", "), "first_answer": design.answers.first(),
            "checks": self.checks()?, "check": check, "form": fenced_whole(EXAMPLE),
            "goal": fenced_whole(&self.job.text),
        });
        Ok((fill(TEXT, &values)?, check))
    }

    /// Returns the plan, under the name that it has in its place.
    pub(super) fn graph_files(&self, task: &Task) -> Result<MadeFiles, Cause> {
        let file = PathBuf::from(self.graph());
        let text = (self.open)(task, &file).map_err(|why| format!("{}: {why}", file.display()))?;
        let made = graphs::read(&file, &text, Some(self.paths), &|_| true);
        if !made.is_sound() {
            return Err(format!("the plan has errors:\n{}", shown::lines(&made).join("\n")).into());
        }
        if let Some(at) = claimed(&graph_plan::read(&file, &text, &|_| true)) {
            return Err(
                format!("task {at} of the plan is not pending, although no agent has worked on it").into(),
            );
        }
        Ok(MadeFiles::from([(PLAN.into(), text)]))
    }
}

/// Returns the first task that a new plan claims to be worked on already.
fn claimed(plan: &GraphPlan) -> Option<usize> {
    let is_claimed = |task: &GraphTask| task.status != GraphStatus::Pending;
    plan.tasks.iter().position(is_claimed)
}

/// Maximum number of tasks of a plan for a goal rated as small, and of those that wait for each other (G10).
const SMALL_TASKS: usize = 3;
const SMALL_DEPTH: usize = 2;

impl DesignSoFar {
    /// Returns the history and the contents of the plan, for people (G31).
    pub(super) fn about(&self, files: &MadeFiles) -> Vec<String> {
        let plans = || {
            files
                .iter()
                .map(|(name, text)| graph_plan::read(name, text, &|_| true))
        };
        let doubts = plans().filter_map(|plan| self.doubt(&plan));
        let mut about = self.notes.clone();
        about.extend(doubts);
        about.extend(plans().flat_map(|plan| lines(&plan)));
        about
    }

    /// Returns the doubt about a goal that was rated as small and is not (G10, LG-17).
    fn doubt(&self, plan: &GraphPlan) -> Option<String> {
        let depth = graph_plan::depths(&plan.tasks)
            .into_iter()
            .max()
            .unwrap_or_default();
        let is_small = plan.tasks.len() <= SMALL_TASKS && depth <= SMALL_DEPTH;
        (self.complexity == Some(Complexity::Minimal) && !is_small).then(|| {
            format!(
                "The goal was held to be small, but the plan has {}, {depth} deep. No experts looked at it; the same command with \
                 --complexity standard has them do so",
                pluralized(plan.tasks.len(), "task")
            )
        })
    }
}

/// Returns the contents of the design, for people (G31).
pub fn summary(files: &MadeFiles) -> Vec<String> {
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

/// Returns the model that fits the writing of a plan for a goal of that complexity, among those of Claude Code.
fn model_hint(complexity: Complexity) -> &'static str {
    match complexity {
        Complexity::Minimal => "sonnet",
        Complexity::Standard | Complexity::Full => "opus",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_example_is_sound_and_a_plan_whose_task_is_called_done_is_seen() {
        let read = |text: &str| graph_plan::read(Path::new(PLAN), text, &|_| true);
        assert_eq!(read(EXAMPLE).findings, []);
        assert_eq!(claimed(&read(EXAMPLE)), None);
        assert!(
            TEXT.contains("`opus` to decide, `sonnet` to build, `haiku` to check"),
            "the hint for models (G29)"
        );
        let done = EXAMPLE.replace("\"pending\"", "\"completed\"");
        assert_eq!(claimed(&read(&done)), Some(0));
    }

    #[test]
    fn a_goal_called_small_is_doubted_by_the_number_of_tasks_or_by_their_depth() {
        let plan = |needs: &[usize]| {
            let whole = graph_plan::read(Path::new(PLAN), EXAMPLE, &|_| true);
            let first = whole.tasks.first().unwrap();
            let tasks = needs.iter().enumerate().map(|(at, need)| GraphTask {
                needs: (at > 0 && *need < at).then_some(*need).into_iter().collect(),
                ..first.clone()
            });
            GraphPlan {
                tasks: tasks.collect(),
                ..whole.clone()
            }
        };
        let doubted = |complexity, needs: &[usize]| {
            let design = DesignSoFar {
                complexity: Some(complexity),
                ..DesignSoFar::default()
            };
            design.doubt(&plan(needs)).is_some()
        };
        let none = usize::MAX;
        assert!(!doubted(Complexity::Minimal, &[none, 0, none]));
        assert!(doubted(Complexity::Minimal, &[none; 4]), "four tasks, one deep");
        assert!(
            doubted(Complexity::Minimal, &[none, 0, 1]),
            "three tasks, three deep"
        );
        assert!(!doubted(Complexity::Standard, &[none; 4]));
    }

    #[test]
    fn a_plan_that_needs_decisions_is_written_by_the_model_that_decides() {
        assert_eq!(model_hint(Complexity::Minimal), "sonnet");
        assert_eq!(model_hint(Complexity::Standard), "opus");
        assert_eq!(model_hint(Complexity::Full), "opus");
    }

    #[test]
    fn the_summary_of_a_plan_says_with_what_it_is_made_and_tested() {
        let files = MadeFiles::from([(PLAN.into(), EXAMPLE.to_owned())]);
        let shown = summary(&files);
        let plan = graph_plan::read(Path::new(PLAN), EXAMPLE, &|_| true);
        assert!(!plan.context.test_command.is_empty() && !plan.context.stack.is_empty());
        for line in [
            format!("made with {}", plan.context.stack),
            format!("tested with {}", plan.context.test_command),
        ] {
            assert!(shown.contains(&line), "{line}: {shown:?}");
        }
    }
}
