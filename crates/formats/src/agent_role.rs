//! Roles as TOML files: the prompt of an agent in a role, and the signals, files and tools that it may use without a question. The prompt
//! is made of it; no tool is given its rules yet.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;

use super::finding::Finding;
use super::permissions::PermissionRule;
use super::table::{self, TableReader};
use dbs_domain::{AttemptMode, RoleId, SignalKind, StageId};

/// Prefix of the names of blocks with the procedure of a role; an agent that fixes work the engine could not do gets another block.
const PROCEDURE: &str = "procedure";
/// The block that takes their place then.
const FALLBACK: &str = "fallback";
/// The block that is put before them when an agent fixes findings of checks.
const REMEDIATE: &str = "remediate";

/// A role that agents play, as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentRole {
    pub id: RoleId,
    /// Name that people use.
    pub title: String,
    /// The last words it may send; claim, progress and question are always allowed.
    pub signals: BTreeSet<SignalKind>,
    /// Patterns of the files it may write, from the root of its workspace; with none it only reads.
    pub writes: Vec<String>,
    /// Patterns of files it leaves alone although they are in places where it may write.
    pub protected: Vec<String>,
    /// The names of the blocks of its prompt, in their order.
    pub blocks: Vec<String>,
    /// Stages at which it works by the file of another role.
    pub stages: BTreeMap<StageId, RoleId>,
    /// Permissions that its tools should have; the first rule that fits decides, and without one a person is asked. Nothing enforces them
    /// yet.
    pub permissions: Vec<PermissionRule>,
}

impl AgentRole {
    /// Returns the blocks of a prompt for an attempt in that mode.
    pub fn blocks_for(&self, mode: AttemptMode) -> Vec<&str> {
        let mut blocks: Vec<&str> = Vec::new();
        for block in &self.blocks {
            match mode {
                AttemptMode::Fallback if block.starts_with(PROCEDURE) => blocks.push(FALLBACK),
                AttemptMode::Remediate if block.starts_with(PROCEDURE) => {
                    blocks.extend([REMEDIATE, block.as_str()]);
                }
                AttemptMode::Fresh | AttemptMode::Remediate | AttemptMode::Fallback => blocks.push(block),
            }
        }
        blocks
    }
}

/// Reads the role of that name. A single error means that there is no role.
pub fn read(id: &str, file: &Path, text: &str) -> (Option<AgentRole>, Vec<Finding>) {
    table::read(file, text, "a role", |_| Vec::new(), |root| read_root(id, root))
}

fn read_root(id: &str, mut root: TableReader<'_>) -> AgentRole {
    let title = root.need_name("title");
    let is_last_word = |kind: &SignalKind| kind.is_terminal();
    let signals = root.words("signals", "signal", "done, reject, block, fail", is_last_word);
    let writes = read_patterns(&mut root, "writes");
    let protected = read_patterns(&mut root, "protected");
    let blocks = read_blocks(&mut root);
    let stages = read_stages(&mut root);
    let permissions = root.tables(
        "permission",
        "a permission",
        "{ decision = \"deny\", tool = \"run\", pattern = \"git push*\" }",
    );
    let permissions = permissions.into_iter().filter_map(read_permission).collect();
    if root.item("signals").is_none() {
        root.missing("signals", "[\"done\", \"block\"]");
    }
    root.finish();
    AgentRole {
        id: RoleId::new(id),
        title,
        signals: signals.into_iter().collect(),
        writes,
        protected,
        blocks,
        stages,
        permissions,
    }
}

/// Reads patterns of paths below the root of a workspace.
fn read_patterns(root: &mut TableReader<'_>, key: &'static str) -> Vec<String> {
    let mut patterns = Vec::new();
    for pattern in root.texts(key) {
        let leaves = pattern.value.split(['/', '\\']).any(|part| part == "..");
        if pattern.value.trim().is_empty() || pattern.value.starts_with(['/', '\\', '~']) || leaves {
            let text = format_args!(
                "`{key}` names `{}`: use paths below the workspace, such as \"src/**\"",
                pattern.value
            );
            root.file.error(pattern.line, text);
        }
        patterns.push(pattern.value);
    }
    patterns
}

fn read_blocks(root: &mut TableReader<'_>) -> Vec<String> {
    if root.item("blocks").is_none() {
        root.missing("blocks", "[\"identity\", \"task\", \"signals\"]");
    }
    let mut blocks: Vec<String> = Vec::new();
    for block in root.texts("blocks") {
        if blocks.contains(&block.value) {
            root.file.error(
                block.line,
                format_args!("the block `{}` stands here twice", block.value),
            );
        }
        blocks.push(block.value);
    }
    // Without them an agent would not know its task, or its end would go unreported.
    for needed in ["task", "signals"] {
        if !blocks.iter().any(|block| block == needed) {
            root.error(
                "blocks",
                format_args!("`blocks` of a role needs the block `{needed}`"),
            );
        }
    }
    blocks
}

fn read_stages(root: &mut TableReader<'_>) -> BTreeMap<StageId, RoleId> {
    let tables = root.tables("stage", "a stage", "{ id = \"…\", role = \"…\" }");
    let stages = tables.into_iter().map(|mut fields| {
        let pair = (
            StageId::new(fields.need_name("id")),
            RoleId::new(fields.need_name("role")),
        );
        fields.finish();
        pair
    });
    stages.collect()
}

fn read_permission(mut fields: TableReader<'_>) -> Option<PermissionRule> {
    if fields.item("decision").is_none() {
        fields.missing("decision", "\"ask\"");
    }
    let decision = fields.word("decision");
    let (tool, pattern) = (fields.need_name("tool"), fields.need_name("pattern"));
    fields.finish();
    Some(PermissionRule {
        decision: decision?,
        tool,
        pattern,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::permissions::PermissionDecision;

    const SOUND: &str = "title = \"Painter\"\nsignals = [\"done\"]\nblocks = [\"task\", \"procedure-painter\", \"signals\"]\n";

    fn findings(text: &str) -> Vec<String> {
        let (role, found) = read("painter", Path::new("painter.toml"), text);
        assert!(role.is_none() || found.is_empty());
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_role_is_what_its_file_says() {
        let text = format!(
            "{SOUND}writes = [\"docs/**\"]\n[[stage]]\nid = \"last\"\nrole = \"worker\"\n[[permission]]\ndecision = \"deny\"\n\
             tool = \"run\"\npattern = \"git push*\"\n"
        );
        let (role, found) = read("painter", Path::new("painter.toml"), &text);
        assert_eq!(found, []);
        let role = role.unwrap();
        assert_eq!(role.id, RoleId::from("painter"));
        assert_eq!(role.signals, [SignalKind::Done].into());
        assert_eq!(role.writes, ["docs/**"]);
        assert_eq!(role.stages, [("last".into(), "worker".into())].into());
        let expected = PermissionRule {
            decision: PermissionDecision::Deny,
            tool: "run".to_owned(),
            pattern: "git push*".to_owned(),
        };
        assert_eq!(role.permissions, [expected]);
    }

    #[test]
    fn what_a_role_cannot_mean_is_refused_with_its_line() {
        for (text, part) in [
            ("", "needs `title`"),
            (
                &format!("{SOUND}colour = 1\n"),
                "painter.toml:4: error: a role has no `colour`",
            ),
            (
                &SOUND.replace("done", "claim"),
                "painter.toml:2: error: there is no signal claim",
            ),
            (
                &format!("{SOUND}writes = [\"../x\"]\n"),
                "painter.toml:4: error: `writes` names `../x`",
            ),
            (
                &format!("{SOUND}protected = [\"/etc/*\"]\n"),
                "`protected` names `/etc/*`",
            ),
            (
                &SOUND.replace("\"task\", ", ""),
                "painter.toml:3: error: `blocks` of a role needs the block `task`",
            ),
            (
                &SOUND.replace("\"task\"", "\"task\", \"task\""),
                "stands here twice",
            ),
            (
                &format!("{SOUND}[[permission]]\ntool = \"run\"\npattern = \"*\"\n"),
                "needs `decision`",
            ),
            (
                &format!("{SOUND}[[permission]]\ndecision = \"maybe\"\ntool = \"run\"\npattern = \"*\"\n"),
                "allow, ask, deny",
            ),
        ] {
            let found = findings(text);
            assert!(found.iter().any(|line| line.contains(part)), "{part}: {found:?}");
        }
    }

    #[test]
    fn the_mode_of_an_attempt_chooses_the_procedure() {
        let role = read("painter", Path::new("painter.toml"), SOUND).0.unwrap();
        let blocks = |mode| role.blocks_for(mode).join(" ");
        assert_eq!(blocks(AttemptMode::Fresh), "task procedure-painter signals");
        assert_eq!(blocks(AttemptMode::Fallback), "task fallback signals");
        assert_eq!(
            blocks(AttemptMode::Remediate),
            "task remediate procedure-painter signals"
        );
    }
}
