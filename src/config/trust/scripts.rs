//! Files of the project that a trusted command starts: their text is trusted with the command.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::adapters::text_file;
use crate::config::schema;
use crate::config::trust::item::{ListedText, TrustItem, TrustKind};
use crate::formats::agent_kind;

/// Programs whose next word is a file that they carry out.
const INTERPRETERS: [&str; 14] = [
    "sh", "bash", "dash", "zsh", "fish", "python", "python3", "node", "deno", "ruby", "perl", "php",
    "source", ".",
];
/// Maximum length of a script whose text is kept; of a longer one only its hash is.
const LONGEST: u64 = 64 * 1024;
/// Maximum size of a script that is looked at.
const LARGEST: u64 = 16 * 1024 * 1024;

/// The scripts that the programs and kinds of agents among these texts name, each once, in order of their names.
pub(super) fn of_programs<'a>(root: &Path, texts: impl Iterator<Item = &'a ListedText>) -> Vec<ListedText> {
    let programs =
        texts.filter(|listed| matches!(listed.item.kind, TrustKind::Program | TrustKind::AgentKind));
    let names: BTreeSet<String> = programs.flat_map(|listed| named(&listed.item, root)).collect();
    let listed = |name: String| {
        let file = root.join(&name);
        Some(ListedText {
            item: TrustItem {
                kind: TrustKind::Script,
                text: text_of(&file)?,
                name,
            },
            file,
            line: 1,
        })
    };
    names.into_iter().filter_map(listed).collect()
}

/// The command line of a kind of agent, as a trusted file describes it; `None` if the file cannot be read.
pub(super) fn words_of_kind(item: &TrustItem) -> Option<Vec<String>> {
    let file = Path::new(&item.name);
    let name = file.file_stem()?.to_str()?;
    Some(agent_kind::read(name, file, &item.text).0?.words())
}

/// The scripts below `folder` that a setting or a kind of agent names, as paths from there.
fn named(setting: &TrustItem, folder: &Path) -> Vec<String> {
    if setting.kind == TrustKind::AgentKind {
        let words = words_of_kind(setting).unwrap_or_default();
        return named_in_command(&words.join(" "), folder);
    }
    if schema::REHEARSAL_SCENARIO.covers(&setting.name) {
        return below(folder, &setting.text).into_iter().collect();
    }
    named_in_command(&setting.text, folder)
}

/// Returns the scripts below `folder` that a command names: files that can be executed, that begin as scripts do, or that follow an
/// interpreter. Other files that it names are its input.
fn named_in_command(command: &str, folder: &Path) -> Vec<String> {
    let is_break = |c: char| c.is_whitespace() || ";|&()<>\"'`=".contains(c);
    let words: Vec<&str> = command.split(is_break).filter(|word| !word.is_empty()).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let is_read = before.is_some_and(|word| INTERPRETERS.contains(&last_part(word)));
        if let Some(name) = below(folder, word)
            && (is_read || is_script(&folder.join(&name)))
            && !found.contains(&name)
        {
            found.push(name);
        }
    }
    found
}

/// The first script that the value of a setting names in `folder` and whose text there is none of the trusted ones.
pub(super) fn changed(setting: &TrustItem, folder: &Path, trusted: &[&TrustItem]) -> Option<String> {
    let mut names = named(setting, folder).into_iter();
    names.find(|name| is_trusted(folder, name, trusted) != Some(true))
}

/// Returns the first script that a command names in `folder` and that is trusted with another text.
pub(super) fn differing(command: &str, folder: &Path, trusted: &[&TrustItem]) -> Option<String> {
    let mut names = named_in_command(command, folder).into_iter();
    names.find(|name| is_trusted(folder, name, trusted) == Some(false))
}

/// Returns whether the text of a script is a trusted one; `None` if no script of that name is trusted.
fn is_trusted(folder: &Path, name: &str, trusted: &[&TrustItem]) -> Option<bool> {
    let known = trusted
        .iter()
        .filter(|item| item.kind == TrustKind::Script && item.name == name);
    let texts: Vec<&str> = known.map(|item| item.text.as_str()).collect();
    let is_known = || text_of(&folder.join(name)).is_some_and(|text| texts.contains(&text.as_str()));
    (!texts.is_empty()).then(is_known)
}

fn last_part(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The path from `folder` of a regular file below it that a word means; links are followed, but not out of the folder.
fn below(folder: &Path, word: &str) -> Option<String> {
    let path = Path::new(word);
    let inside = path.strip_prefix(folder).unwrap_or(path);
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !inside.components().all(is_plain) {
        return None;
    }
    let real = folder.join(inside).canonicalize().ok()?;
    if !real.is_file() || !real.starts_with(folder.canonicalize().ok()?) {
        return None;
    }
    let parts = inside
        .components()
        .filter(|part| matches!(part, Component::Normal(_)));
    let clean: PathBuf = parts.collect();
    Some(clean.to_str()?.to_owned())
}

fn is_script(file: &Path) -> bool {
    can_be_executed(file) || begins_as_script(file)
}

fn begins_as_script(file: &Path) -> bool {
    text_file::read(file, LARGEST).is_ok_and(|bytes| bytes.starts_with(b"#!"))
}

#[cfg(unix)]
fn can_be_executed(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn can_be_executed(file: &Path) -> bool {
    let ends = ["exe", "bat", "cmd", "ps1"];
    file.extension()
        .is_some_and(|found| ends.iter().any(|end| found.eq_ignore_ascii_case(end)))
}

/// Returns the text of a script; if it is not text or too long to keep, its hash. `None` if it cannot be read.
fn text_of(file: &Path) -> Option<String> {
    if let Ok(text) = text_file::read_text(file, LONGEST) {
        return Some(text);
    }
    let bytes = text_file::read(file, LARGEST).ok()?;
    Some(format!(
        "{} bytes, SHA-256 {}",
        bytes.len(),
        hex::encode(Sha256::digest(&bytes))
    ))
}
