//! All roles and blocks that are in force, and the prompts made from them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::builtin::{builtin_blocks, builtin_roles};
use super::template::{self, TemplateFault};
use super::values::{task_text, values};
use crate::agent_role::{self, AgentRole};
use crate::finding::{Finding, FindingLevel};
use dbs_domain::prompt_facts::PromptFacts;
use dbs_domain::workflow::{Actor, Stage, Workflow};
use dbs_domain::{RoleId, SignalKind, StageId};

/// Maximum length of a prompt in bytes: a system takes no longer argument of a command.
pub const MAX_PROMPT_BYTES: usize = 120 * 1024;
/// Bytes of the task's text for which there is room in every prompt: otherwise the blocks are too long.
const LEAST_TEXT: usize = 16 * 1024;
/// Bytes, roughly, of the note about a text that was cut.
const CUT_NOTE: usize = 200;

/// The role whose file is used for every role that has none of its own.
const ANY_ROLE: &str = "worker";

/// The blocks for an agent that continues its session: it got the rest when that began.
const TO_GO_ON: [&str; 2] = ["resume", "signals"];

/// The block before all others for a session that begins because the context of the one before was full.
const AFTER_RESTART: &str = "restart";

/// A block of a prompt, and the origin of its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptBlock {
    pub text: String,
    pub origin: BlockOrigin,
}

/// Origin of the text of a block or the data of a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockOrigin {
    BuiltIn,
    /// A file of the project that a person trusts.
    File(PathBuf),
}

/// Error of writing a prompt. The texts read after "could not".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    #[error(
        "write the prompt: role {role} names the block {block}, and there is none in .debussy/prompts or in the program; {way_out}",
        way_out = "`dbs prompt --list` lists all"
    )]
    NoBlock { role: RoleId, block: String },
    #[error(
        "write the prompt: block {block}, line {line}: {why}; fix .debussy/prompts/{block}.md, or remove it to use the one of the program"
    )]
    Block { block: String, line: usize, why: String },
    #[error(
        "write the prompt: it has {0} bytes and may have {MAX_PROMPT_BYTES}; shorten the files in .debussy/prompts"
    )]
    TooLong(usize),
    #[error("read the prompts and roles: {}", join(.0))]
    Unreadable(Vec<Finding>),
}

fn join(findings: &[Finding]) -> String {
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    lines.join("; ")
}

/// Roles and blocks in force: those of the program, replaced and joined by files of the project.
#[derive(Debug, Clone, Default)]
pub struct PromptLibrary {
    roles: BTreeMap<RoleId, (AgentRole, BlockOrigin)>,
    blocks: BTreeMap<String, PromptBlock>,
}

impl PromptLibrary {
    /// Reads the roles and blocks of the program with these files over them: roles end with `.toml`, blocks with `.md`.
    ///
    /// # Errors
    /// Everything that is wrong in the files, with file and line.
    pub fn read(files: &[(PathBuf, String)]) -> Result<PromptLibrary, PromptError> {
        let mut library = PromptLibrary::default();
        let mut findings = Vec::new();
        for (name, text) in builtin_roles() {
            library.take_role(name, Path::new(name), text, BlockOrigin::BuiltIn, &mut findings);
        }
        for (name, text) in builtin_blocks() {
            library.take_block(name, Path::new(name), text, BlockOrigin::BuiltIn, &mut findings);
        }
        for (file, text) in files {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let origin = BlockOrigin::File(file.clone());
            if file.extension().is_some_and(|end| end == "toml") {
                library.take_role(&name, file, text, origin, &mut findings);
            } else {
                library.take_block(&name, file, text, origin, &mut findings);
            }
        }
        if findings.iter().any(|found| found.severity == FindingLevel::Error) {
            return Err(PromptError::Unreadable(findings));
        }
        Ok(library)
    }

    fn take_role(
        &mut self,
        name: &str,
        file: &Path,
        text: &str,
        origin: BlockOrigin,
        findings: &mut Vec<Finding>,
    ) {
        let (role, found) = agent_role::read(name, file, text);
        findings.extend(found);
        if let Some(role) = role {
            self.roles.insert(role.id.clone(), (role, origin));
        }
    }

    fn take_block(
        &mut self,
        name: &str,
        file: &Path,
        text: &str,
        origin: BlockOrigin,
        findings: &mut Vec<Finding>,
    ) {
        if let Err(TemplateFault { line, text }) = template::check(text) {
            findings.push(Finding::new(FindingLevel::Error, file, line, text));
        }
        let text = text.to_owned();
        self.blocks.insert(name.to_owned(), PromptBlock { text, origin });
    }

    /// Returns all blocks by name.
    pub fn blocks(&self) -> impl Iterator<Item = (&str, &PromptBlock)> {
        self.blocks.iter().map(|(name, block)| (name.as_str(), block))
    }

    /// Returns all roles that have a file, and the origin of each.
    pub fn roles(&self) -> impl Iterator<Item = (&AgentRole, &BlockOrigin)> {
        self.roles.values().map(|(role, origin)| (role, origin))
    }

    /// Returns the role by whose file an agent of that role works at a stage.
    pub fn role(&self, role: &RoleId, stage: &StageId) -> Option<&AgentRole> {
        let any = || self.roles.get(&RoleId::from(ANY_ROLE));
        let (own, _) = self.roles.get(role).or_else(any)?;
        let other = own.stages.get(stage).and_then(|other| self.roles.get(other));
        Some(other.map_or(own, |(role, _)| role))
    }

    /// Builds the prompt for these facts. `program` is the command by which an agent calls this program. The text of the task is in it as
    /// far as there is room.
    ///
    /// # Errors
    /// When something is missing or wrong, with its place.
    pub fn render(&self, facts: &PromptFacts, program: &str) -> Result<String, PromptError> {
        let mut most_text = task_text(&facts.task).len().min(MAX_PROMPT_BYTES);
        let mut is_again = false;
        loop {
            let prompt = self.render_cut(facts, program, most_text)?;
            let over = prompt.len().saturating_sub(MAX_PROMPT_BYTES);
            if over == 0 {
                return Ok(prompt);
            }
            // A text that shrinks in the prompt, because much of it is invisible, is not tried byte by byte.
            let step = if is_again { most_text / 8 } else { 0 };
            is_again = true;
            let less = most_text.saturating_sub((over + CUT_NOTE).max(step));
            if less < LEAST_TEXT {
                return Err(PromptError::TooLong(prompt.len()));
            }
            most_text = less;
        }
    }

    /// Builds the prompt with the text of the task cut behind `most_text` bytes.
    fn render_cut(
        &self,
        facts: &PromptFacts,
        program: &str,
        most_text: usize,
    ) -> Result<String, PromptError> {
        let role_id = RoleId::new(facts.agent.role.as_str());
        let no_block = |block: &str| PromptError::NoBlock {
            role: role_id.clone(),
            block: block.to_owned(),
        };
        let role = self.role(&role_id, &StageId::new(facts.stage.id.as_str()));
        let role = role.ok_or_else(|| no_block(ANY_ROLE))?;
        let values = values(facts, role, program, most_text);
        let mut prompt = String::new();
        let blocks = if facts.agent.goes_on {
            TO_GO_ON.to_vec()
        } else {
            let told_first = facts.restart.as_ref().map(|_| AFTER_RESTART);
            told_first
                .into_iter()
                .chain(role.blocks_for(facts.agent.mode))
                .collect()
        };
        for name in blocks {
            let block = self.blocks.get(name).ok_or_else(|| no_block(name))?;
            let text = template::render(&block.text, &values).map_err(|fault| PromptError::Block {
                block: name.to_owned(),
                line: fault.line,
                why: fault.text,
            })?;
            // A block that is empty this time leaves no gap.
            if !text.trim().is_empty() {
                prompt.push_str(if prompt.is_empty() { "" } else { "\n" });
                prompt.push_str(text.trim());
                prompt.push('\n');
            }
        }
        Ok(prompt)
    }

    /// Returns the differences in signals between roles and the stages of a workflow, one line each. A signal that one of them does not
    /// allow is not offered to an agent.
    pub fn differences(&self, flow: &Workflow) -> Vec<String> {
        let stages = flow.stages.iter();
        stages
            .filter_map(|stage| self.differences_at(flow, stage))
            .collect()
    }

    fn differences_at(&self, flow: &Workflow, stage: &Stage) -> Option<String> {
        let acting = match &stage.actor {
            Actor::Role(role) => Some(role),
            Actor::Engine(_) => stage.fallback.as_ref(),
            Actor::Human => None,
        };
        let role = self.role(acting?, &stage.id)?;
        let words = |kinds: &mut dyn Iterator<Item = &SignalKind>| {
            let words: Vec<String> = kinds
                .filter(|kind| kind.is_terminal())
                .map(ToString::to_string)
                .collect();
            words.join(", ")
        };
        let of_role = words(&mut role.signals.iter());
        let of_stage = words(&mut stage.signals.iter());
        (of_role != of_stage).then(|| {
            format!(
                "workflow {}, stage {}: the stage takes {of_stage}, and role {} sends {of_role}",
                flow.id, stage.id, role.id
            )
        })
    }
}
