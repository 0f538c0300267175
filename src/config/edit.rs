//! Changes one setting in the file that has it already, otherwise in `.debussy/config.toml`
//! (keys of the first program in its `config.json` where there is one). Nothing else in the file changes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::adapters::text_file;
use crate::config::error::ConfigError;
use crate::config::files::{ConfigFiles, dialect};
use crate::config::schema::spec_of;
use crate::config::setting::SettingSpec;
use crate::config::value::SettingValue;

/// A change that was made to a configuration file.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigChange {
    pub file: PathBuf,
    /// Reason why the key has no effect, if it has none; the key is kept for the program that knows it.
    pub note: Option<&'static str>,
    /// True if a file already had the key.
    pub was_set: bool,
}

/// Sets a key of this project.
///
/// # Errors
/// When there is no such key, it has no such value, or the file cannot be changed; then it is as it was.
pub fn set(places: &ConfigFiles, key: &str, text: &str) -> Result<ConfigChange, ConfigError> {
    let (path, known, value) = checked(key, text)?;
    Ok(ConfigChange {
        note: known.note(),
        ..change(places, &path, Some(&value))?
    })
}

/// The parts of a key, its spec and the value that `text` is for it.
fn checked<'a>(
    key: &'a str,
    text: &str,
) -> Result<(Vec<&'a str>, &'static SettingSpec, SettingValue), ConfigError> {
    let path: Vec<&str> = key.split('.').collect();
    let known = spec_of(&path).ok_or_else(|| ConfigError::unknown(key))?;
    let value = known.parse(&path, text).map_err(|why| ConfigError::BadValue {
        key: key.to_owned(),
        why: match text.trim() {
            "" => format!("is empty; `dbs config {key} --unset` takes it out"),
            _ => why.to_string(),
        },
    })?;
    Ok((path, known, value))
}

/// Sets keys in the user's own file, `dbs/config.toml` in the configuration folder, and makes it if need be: all of them or none.
///
/// # Errors
/// When there is no such folder, no such key or value, or the file cannot be changed; then it is as it was.
pub fn set_user(places: &ConfigFiles, answers: &[(String, String)]) -> Result<PathBuf, ConfigError> {
    let file = places.user.first().ok_or_else(|| ConfigError::Unusable {
        path: PathBuf::from("config.toml"),
        why: "there is no home to keep it in".to_owned(),
    })?;
    let mut text = text_of(file)?.unwrap_or_else(|| OWN.to_owned());
    let (_, edit) = dialect(file);
    for (key, value) in answers {
        let (path, _, value) = checked(key, value)?;
        text = edit(&text, &path, Some(&value)).map_err(unusable(file))?;
    }
    replace(file, &text)?;
    Ok(file.clone())
}

/// The text of a file; `None` if there is none.
fn text_of(file: &Path) -> Result<Option<String>, ConfigError> {
    match text_file::read_text(file, text_file::LARGEST_WRITTEN) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(why) => Err(ConfigError::Failed {
            act: "read",
            path: file.to_owned(),
            why,
        }),
    }
}

fn unusable<E: ToString>(file: &Path) -> impl FnOnce(E) -> ConfigError + '_ {
    |why| ConfigError::Unusable {
        path: file.to_owned(),
        why: why.to_string(),
    }
}

/// First line of a file that is created for a person.
const OWN: &str = "# Your own settings for dbs in all projects; `dbs config` lists what there is.\n";

/// Takes a key out of this project's files, also one that is not known; the next source's value holds.
///
/// # Errors
/// When a file cannot be changed; then it is as it was.
pub fn unset(places: &ConfigFiles, key: &str) -> Result<ConfigChange, ConfigError> {
    change(places, &key.split('.').collect::<Vec<_>>(), None)
}

fn change(
    places: &ConfigFiles,
    path: &[&str],
    value: Option<&SettingValue>,
) -> Result<ConfigChange, ConfigError> {
    let mut owner = None;
    // Each is looked at, so that one that cannot be read is reported before anything is changed.
    for file in &places.project {
        let (text, has) = look(file, path)?;
        if has && owner.is_none() {
            owner = Some((file.as_path(), text));
        }
    }
    let has = owner.is_some();
    let (file, text) = if let Some(owner) = owner {
        owner
    } else {
        let file = default_file(places, path);
        (file, look(file, path)?.0)
    };
    if value.is_some() || has {
        let (_, edit) = dialect(file);
        replace(file, &edit(&text, path, value).map_err(unusable(file))?)?;
    }
    Ok(ConfigChange {
        file: file.to_owned(),
        note: None,
        was_set: has,
    })
}

/// Keys that the first program has in its `config.json`.
const FIRST_PROGRAM: [&str; 5] = [
    "max_total_agents",
    "agent_timeout",
    "base_branch",
    "paused",
    "use_tmux_windows",
];

/// Returns the file for a value that is in no file yet: keys of the earlier program go to that program's own file where it exists, so that
/// it sees them.
fn default_file<'a>(places: &'a ConfigFiles, path: &[&str]) -> &'a Path {
    if FIRST_PROGRAM.contains(&path.join(".").as_str()) && places.json().exists() {
        places.json()
    } else {
        places.toml()
    }
}

/// The file's text, and whether it has the key.
fn look(file: &Path, path: &[&str]) -> Result<(String, bool), ConfigError> {
    let Some(text) = text_of(file)? else {
        return Ok((String::new(), false));
    };
    let (read, _) = dialect(file);
    let found = read(file, &text).map_err(|(line, why)| unusable(file)(format!("line {line}: {why}")))?;
    let has = found.iter().any(|found| found.parts() == path);
    Ok((text, has))
}

/// Replaces a file by the text: at any time the file holds the whole new text or the whole old one. If the file is a link, its target is
/// changed.
fn replace(file: &Path, text: &str) -> Result<(), ConfigError> {
    let written = || {
        let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        if holds_secret(file, text) {
            text_file::replace_private(&target, text.as_bytes())
        } else {
            text_file::replace(&target, text.as_bytes())
        }
    };
    written().map_err(|why| ConfigError::Failed {
        act: "write",
        path: file.to_owned(),
        why,
    })
}

/// Returns whether a file with that text has a setting that others must not read.
fn holds_secret(file: &Path, text: &str) -> bool {
    let (read, _) = dialect(file);
    let settings = read(file, text).unwrap_or_default();
    settings
        .iter()
        .any(|found| spec_of(&found.parts()).is_some_and(|known| known.kind.is_private()))
}
