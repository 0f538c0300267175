//! Changes one setting in the file that has it already, otherwise in `.debussy/config.toml`. Nothing else in the file changes.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use atomic_write_file::AtomicWriteFile;

use super::error::ConfigError;
use super::found::Reader;
use super::nearest::nearest;
use super::places::Places;
use super::schema::{Status, key_of};
use super::value::Value;
use super::{json, toml};

/// What was changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The file.
    pub file: PathBuf,
    /// The value it has there now; `None`: it is not set there any more.
    pub value: Option<Value>,
}

type Editor = fn(&str, &[&str], Option<&Value>) -> Result<String, String>;

/// Sets a key of this project.
///
/// # Errors
/// When there is no such key, it has no such value, or the file cannot be changed; then it is as it was.
pub fn set(places: &Places, key: &str, text: &str) -> Result<Written, ConfigError> {
    let path: Vec<&str> = key.split('.').collect();
    let known = key_of(&path).ok_or_else(|| ConfigError::UnknownKey {
        key: key.to_owned(),
        nearest: nearest(&path),
    })?;
    if let Status::Obsolete(why) = known.status {
        return Err(ConfigError::Obsolete {
            key: key.to_owned(),
            why: why.to_owned(),
        });
    }
    let value = known.kind.parse(text).map_err(|why| ConfigError::BadValue {
        key: key.to_owned(),
        why,
    })?;
    change(places, &path, Some(value))
}

/// Takes a key out of this project's files, also one that is not known; the next source's value holds.
///
/// # Errors
/// When a file cannot be changed; then it is as it was.
pub fn unset(places: &Places, key: &str) -> Result<Written, ConfigError> {
    change(places, &key.split('.').collect::<Vec<_>>(), None)
}

fn change(places: &Places, path: &[&str], value: Option<Value>) -> Result<Written, ConfigError> {
    let in_toml: (&Path, Reader, Editor) = (&places.toml, toml::read, toml::edit);
    let in_json: (&Path, Reader, Editor) = (&places.json, json::read, json::edit);
    let (toml_text, toml_has) = look(in_toml, path)?;
    let (json_text, json_has) = look(in_json, path)?;
    let ((file, _, edit), text) = match (toml_has, json_has) {
        (false, true) => (in_json, json_text),
        (true | false, _) => (in_toml, toml_text),
    };
    if value.is_some() || toml_has || json_has {
        write(file, &text, (path, value.as_ref()), edit)?;
    }
    Ok(Written {
        file: file.to_owned(),
        value,
    })
}

/// The file's text, and whether it has the key.
fn look((file, read, _): (&Path, Reader, Editor), path: &[&str]) -> Result<(String, bool), ConfigError> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((String::new(), false)),
        Err(why) => {
            return Err(ConfigError::Failed {
                path: file.to_owned(),
                why,
            });
        }
    };
    let found = read(file, &text).map_err(|(line, why)| ConfigError::Unusable {
        path: file.to_owned(),
        why: format!("line {line}: {why}"),
    })?;
    let has = found.iter().any(|found| found.parts() == path);
    Ok((text, has))
}

fn write(
    file: &Path,
    text: &str,
    (path, value): (&[&str], Option<&Value>),
    edit: Editor,
) -> Result<(), ConfigError> {
    let edited = edit(text, path, value).map_err(|why| ConfigError::Unusable {
        path: file.to_owned(),
        why,
    })?;
    replace(file, &edited).map_err(|why| ConfigError::Failed {
        path: file.to_owned(),
        why,
    })
}

/// The whole new text or the whole old one, whatever happens in between. A file that is a link is changed where it leads to.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut out = AtomicWriteFile::open(&target)?;
    out.write_all(text.as_bytes())?;
    out.commit()
}
