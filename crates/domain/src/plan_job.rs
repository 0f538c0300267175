//! Plans and PRDs that agents make of a text: what a person asked for, and how far the server has come with it.

use serde::{Deserialize, Serialize};

use super::id::TaskId;

/// Order of a person to have a text made into a plan or a PRD. It belongs to a batch, whose tasks are its steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanJob {
    pub form: MadeForm,
    /// Name of the result.
    pub feature: String,
    /// Text that agents are told. Later changes of the file it was read from change nothing here.
    pub text: String,
    /// Complexity of a goal in the words of the person, who overrules the analysis with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complexity: Option<String>,
    /// Kind of agent that the person chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Model that the person chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default)]
    pub step: JobStep,
}

/// Form of what is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MadeForm {
    /// A phased plan: a folder with a master file.
    Plan,
    /// A PRD: one file of the queue of stories.
    Prd,
    /// A graph plan for a goal: `.design/plan.json`.
    Graph,
}

/// Step of a job: only the server moves it on, and a person says yes to the result.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStep {
    /// The server has not looked at the order yet.
    #[default]
    Ordered,
    /// Documents are made from which the result is written.
    Preparing,
    /// The task writes the result, or has written it and waits for a yes.
    Writing(TaskId),
    /// A person said yes to the result of the task: its files are to be put in their place.
    Accepted(TaskId),
    /// The files of the task's result are in their place; their names, from the root of the project.
    Written(TaskId, Vec<String>),
    /// The step could not be taken; the reason, for people.
    Failed(Option<TaskId>, String),
}

impl PlanJob {
    /// Orders that form of a text, with the settings deciding who makes it.
    pub fn new(form: MadeForm, feature: String, text: String) -> PlanJob {
        PlanJob {
            form,
            feature,
            text,
            complexity: None,
            agent: None,
            model: None,
            step: JobStep::Ordered,
        }
    }

    /// Returns true if the server has something to do as soon as the tasks that are under way are over.
    pub fn is_under_way(&self) -> bool {
        matches!(
            self.step,
            JobStep::Ordered | JobStep::Preparing | JobStep::Accepted(_)
        )
    }

    /// Returns the task that writes the result, once there is one.
    pub fn writer(&self) -> Option<&TaskId> {
        match &self.step {
            JobStep::Ordered | JobStep::Preparing => None,
            JobStep::Writing(task) | JobStep::Accepted(task) | JobStep::Written(task, _) => Some(task),
            JobStep::Failed(task, _) => task.as_ref(),
        }
    }
}

impl MadeForm {
    /// Returns the word for people.
    pub fn word(self) -> &'static str {
        match self {
            MadeForm::Plan => "plan",
            MadeForm::Prd => "PRD",
            MadeForm::Graph => "graph plan",
        }
    }

    /// Returns the beginning of the ids of its batch and of the task that writes it.
    pub fn prefix(self) -> &'static str {
        match self {
            MadeForm::Plan => "convert",
            MadeForm::Prd => "prd",
            MadeForm::Graph => "design",
        }
    }
}
