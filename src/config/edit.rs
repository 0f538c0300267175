//! Changes one setting in the file that has it already, otherwise in `.debussy/config.toml`
//! (keys of the first program in its `config.json` where there is one). Nothing else in the file changes.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use atomic_write_file::AtomicWriteFile;

use crate::config::error::ConfigError;
use crate::config::files::{ConfigFiles, dialect};
use crate::config::schema::spec_of;
use crate::config::suggestion::nearest;
use crate::config::value::SettingValue;

/// A change that was made to a configuration file.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigChange {
    pub file: PathBuf,
    /// The value it has there now; `None`: it is not set there any more.
    pub value: Option<SettingValue>,
    /// Why it has no effect, when it has none; it is kept for the program that knows it.
    pub note: Option<&'static str>,
}

/// Sets a key of this project.
///
/// # Errors
/// When there is no such key, it has no such value, or the file cannot be changed; then it is as it was.
pub fn set(places: &ConfigFiles, key: &str, text: &str) -> Result<ConfigChange, ConfigError> {
    let path: Vec<&str> = key.split('.').collect();
    let known = spec_of(&path).ok_or_else(|| ConfigError::UnknownKey {
        key: key.to_owned(),
        nearest: nearest(&path),
    })?;
    let value = known.kind.parse(text).map_err(|why| ConfigError::BadValue {
        key: key.to_owned(),
        why,
    })?;
    Ok(ConfigChange {
        note: known.note(),
        ..change(places, &path, Some(value))?
    })
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
    let mut text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => OWN.to_owned(),
        Err(why) => {
            let path = file.clone();
            return Err(ConfigError::Failed { path, why });
        }
    };
    for (key, value) in answers {
        let path: Vec<&str> = key.split('.').collect();
        let known = spec_of(&path).ok_or_else(|| ConfigError::UnknownKey {
            key: key.clone(),
            nearest: nearest(&path),
        })?;
        let value = known.kind.parse(value).map_err(|why| ConfigError::BadValue {
            key: key.clone(),
            why,
        })?;
        let (_, edit) = dialect(file);
        text = edit(&text, &path, Some(&value)).map_err(|why| ConfigError::Unusable {
            path: file.clone(),
            why,
        })?;
    }
    replace(file, &text).map_err(|why| ConfigError::Failed {
        path: file.clone(),
        why,
    })?;
    Ok(file.clone())
}

/// What a file begins with that is made for somebody.
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
    value: Option<SettingValue>,
) -> Result<ConfigChange, ConfigError> {
    let mut owner = None;
    // Each is looked at, so that one that cannot be read is told before anything is changed.
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
        write(file, &text, (path, value.as_ref()))?;
    }
    Ok(ConfigChange {
        file: file.to_owned(),
        value,
        note: None,
    })
}

/// Where a value goes that no file has: keys of the earlier program to its own file where there is one, so that it sees them.
fn default_file<'a>(places: &'a ConfigFiles, path: &[&str]) -> &'a Path {
    let of_the_first = spec_of(path).is_some_and(|known| known.source.split(", ").any(|row| row == "K78"));
    if of_the_first && places.json().exists() {
        places.json()
    } else {
        places.toml()
    }
}

/// The file's text, and whether it has the key.
fn look(file: &Path, path: &[&str]) -> Result<(String, bool), ConfigError> {
    let (read, _) = dialect(file);
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
    (path, value): (&[&str], Option<&SettingValue>),
) -> Result<(), ConfigError> {
    let (_, edit) = dialect(file);
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
