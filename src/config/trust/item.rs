//! The texts that a person trusts or does not.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Danger of a listed text, the most dangerous first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustKind {
    /// A setting that names a program.
    Program,
    /// A file of the project that such a setting starts.
    Script,
    /// A kind of agent: how a tool is started.
    AgentKind,
    /// A setting that says where something is sent.
    Address,
    /// Workflow: the tasks of agents and their order.
    Workflow,
    /// Role: the signals that its agents may send, and the parts of their prompts.
    Role,
    /// A block of the prompts of agents.
    Prompt,
    /// A template for the files of new plans, which agents are given later.
    PlanTemplate,
    /// `.worktreeinclude`: the ignored files that agents and gates get copies of.
    CopiedFiles,
    /// A setting that says which agent works or what it may do.
    Agent,
}

impl TrustKind {
    /// Returns one word for the kind.
    pub fn word(self) -> &'static str {
        match self {
            TrustKind::Program => "program",
            TrustKind::Script => "script",
            TrustKind::AgentKind => "agent kind",
            TrustKind::Address => "address",
            TrustKind::Workflow => "workflow",
            TrustKind::Role => "role",
            TrustKind::Prompt => "prompt",
            TrustKind::PlanTemplate => "plan template",
            TrustKind::CopiedFiles => "copied files",
            TrustKind::Agent => "agent",
        }
    }

    /// Returns true if the text is a setting, not a file.
    pub fn is_setting(self) -> bool {
        match self {
            TrustKind::Program | TrustKind::Address | TrustKind::Agent => true,
            TrustKind::Script
            | TrustKind::AgentKind
            | TrustKind::Workflow
            | TrustKind::Role
            | TrustKind::Prompt
            | TrustKind::PlanTemplate
            | TrustKind::CopiedFiles => false,
        }
    }
}

/// Text that a person trusts or does not: a setting, a script, a kind of agent, a workflow, a role or a block of prompts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustItem {
    pub kind: TrustKind,
    /// Key of the setting, or path of the file from the project's root.
    pub name: String,
    pub text: String,
}

/// Item with its present place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedText {
    pub item: TrustItem,
    pub file: PathBuf,
    /// The line, from 1; 0 when it is not known.
    pub line: usize,
}
