//! Effect of a logout on this process, read from the files of systemd. On a machine without systemd nothing is known.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::text_file::{LARGEST_WRITTEN, read_text};

/// Folders of the settings of systemd, the strongest first.
const SETTINGS: [&str; 4] = [
    "etc/systemd",
    "run/systemd",
    "usr/local/lib/systemd",
    "usr/lib/systemd",
];

/// Effect of a logout on a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogoutEffect {
    /// The process lives on.
    Survives,
    /// All processes of the session end with it (`KillUserProcesses=yes`).
    Session,
    /// The processes of the user's own service manager end with the last session of the user, who does not linger.
    LastSession,
}

impl LogoutEffect {
    /// Returns the consequence and the way out, for people.
    pub fn text(self) -> &'static str {
        match self {
            LogoutEffect::Survives => "a logout leaves the server and its agents running",
            LogoutEffect::Session => {
                "a logout ends the server and its agents (KillUserProcesses=yes): run `loginctl enable-linger` once, and \
                 start dbs with `systemd-run --user --scope dbs start`"
            }
            LogoutEffect::LastSession => {
                "your last logout ends the server and its agents: run `loginctl enable-linger` to keep them"
            }
        }
    }
}

/// Returns the effect of a logout of that user on this process; `root` is the root of the file system. `None` if the system says nothing
/// about it.
pub fn logout_effect(root: &Path, user: &str) -> Option<LogoutEffect> {
    let group = text(&root.join("proc/self/cgroup"))?;
    let parts: Vec<&str> = group.lines().flat_map(|line| line.split('/')).collect();
    let has = |begin: &str, end: &str| {
        let is_it = |part: &&str| part.starts_with(begin) && part.ends_with(end);
        parts.iter().any(is_it)
    };
    if has("session-", ".scope") {
        let ends = LogindSettings::read(root).ends(user);
        return Some(if ends {
            LogoutEffect::Session
        } else {
            LogoutEffect::Survives
        });
    }
    let lingers = root.join("var/lib/systemd/linger").join(user).exists();
    let ends = has("user@", ".service") && !lingers;
    Some(if ends {
        LogoutEffect::LastSession
    } else {
        LogoutEffect::Survives
    })
}

fn text(file: &Path) -> Option<String> {
    read_text(file, LARGEST_WRITTEN).ok()
}

/// Settings of `logind.conf` that decide which processes a logout ends.
#[derive(Debug, Default)]
struct LogindSettings(BTreeMap<String, String>);

impl LogindSettings {
    /// Reads the main file and the files that change it, in the order in which systemd applies them.
    fn read(root: &Path) -> LogindSettings {
        let mut settings = LogindSettings::default();
        let folders = SETTINGS.map(|folder| root.join(folder));
        // A distribution writes the values it was built with into its file as comments.
        for is_default in [true, false] {
            if let Some(text) = folders
                .iter()
                .find_map(|folder| text(&folder.join("logind.conf")))
            {
                settings.apply(&text, is_default);
            }
        }
        for file in changes(&folders) {
            settings.apply(&text(&file).unwrap_or_default(), false);
        }
        settings
    }

    /// Takes the settings of a file, or the defaults that it names in comments.
    fn apply(&mut self, text: &str, is_default: bool) {
        for line in text.lines() {
            let line = if is_default {
                line.strip_prefix('#')
            } else {
                Some(line)
            };
            if let Some((name, value)) = line.and_then(|line| line.split_once('=')) {
                self.0.insert(name.trim().to_owned(), value.trim().to_owned());
            }
        }
    }

    /// Returns true if the processes of that user end with their session.
    fn ends(&self, user: &str) -> bool {
        let value = |name: &str| self.0.get(name).map(String::as_str);
        let lists = |name: &str| value(name).map(|users| users.split_whitespace().any(|one| one == user));
        let only = lists("KillOnlyUsers").filter(|_| value("KillOnlyUsers") != Some(""));
        let is_set = matches!(
            value("KillUserProcesses"),
            Some("yes" | "true" | "1" | "on" | "y" | "t")
        );
        // root is left alone unless the settings say otherwise.
        let is_excluded = lists("KillExcludeUsers").unwrap_or(user == "root");
        is_set && only.unwrap_or(true) && !is_excluded
    }
}

/// Returns the files that change the main one, sorted by name. Of several with one name only the strongest counts.
fn changes(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = BTreeMap::new();
    for folder in folders.iter().rev() {
        let entries = fs::read_dir(folder.join("logind.conf.d"))
            .into_iter()
            .flatten()
            .flatten();
        files.extend(
            entries
                .map(|entry| (entry.file_name(), entry.path()))
                .filter(|(_, path)| path.extension().is_some_and(|end| end == "conf")),
        );
    }
    files.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: &str = "usr/lib/systemd/logind.conf";
    const YES: &str = "[Login]\nKillUserProcesses=yes\n";
    const SESSION: &str = "0::/user.slice/user-1000.slice/session-3.scope\n";
    const MANAGER: &str = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn.scope\n";

    /// A root of a file system with these files.
    fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn effect(group: &str, files: &[(&str, &str)]) -> LogoutEffect {
        let all = [&[("proc/self/cgroup", group)], files].concat();
        logout_effect(root(&all).path(), "ada").unwrap()
    }

    /// Checks whether a session ends its processes where these files are.
    fn check(files: &[(&str, &str)], ends: bool) {
        let expected = if ends {
            LogoutEffect::Session
        } else {
            LogoutEffect::Survives
        };
        assert_eq!(effect(SESSION, files), expected, "{files:?}");
    }

    #[test]
    fn a_session_ends_its_processes_where_the_settings_say_so() {
        check(&[], false);
        check(&[(MAIN, "[Login]\n#KillUserProcesses=no\n")], false);
        check(&[(MAIN, "[Login]\n#KillUserProcesses=yes\n")], true);
        check(&[(MAIN, "#KillUserProcesses=yes\nKillUserProcesses=no\n")], false);
        check(&[(MAIN, YES)], true);
        check(&[(MAIN, YES), ("etc/systemd/logind.conf", "[Login]\n")], false);
    }

    #[test]
    fn a_file_that_changes_the_settings_counts_by_its_name_and_place() {
        let own = "etc/systemd/logind.conf.d/a.conf";
        check(&[(MAIN, YES), (own, "KillUserProcesses=no")], false);
        check(
            &[
                (MAIN, YES),
                ("etc/systemd/logind.conf.d/a.txt", "KillUserProcesses=no"),
            ],
            true,
        );
        check(&[(MAIN, YES), (own, "KillExcludeUsers=root ada")], false);
        check(&[(MAIN, YES), (own, "KillOnlyUsers=bob")], false);
        check(&[(MAIN, YES), (own, "KillOnlyUsers=")], true);
        check(&[("usr/lib/systemd/logind.conf.d/a.conf", YES), (own, "")], false);
    }

    #[test]
    fn what_the_service_manager_of_a_user_runs_ends_with_the_last_session_unless_the_user_lingers() {
        assert_eq!(effect(MANAGER, &[]), LogoutEffect::LastSession);
        let lingers = [("var/lib/systemd/linger/ada", "")];
        assert_eq!(effect(MANAGER, &lingers), LogoutEffect::Survives);
        assert_eq!(
            effect("0::/system.slice/ssh.service\n", &[]),
            LogoutEffect::Survives
        );
        assert_eq!(
            logout_effect(root(&[]).path(), "ada"),
            None,
            "there is no systemd"
        );
    }
}
