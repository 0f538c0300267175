//! Keys of git's configuration that can name a program, and the guards that keep git from starting it for the engine. The one list of them:
//! a test compares it with the keys that git itself lists.

/// Guard that keeps git from starting the program that a key names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    /// Every call sets the key to this value, which starts nothing.
    Set(&'static str),
    /// Every call switches the hooks off: all known events, and all names that a configuration gives.
    HooksOff,
    /// The calls that would read the key have an option, or a value in their environment, against it.
    Option,
    /// Only the person's own configuration is read for it, never the repository's.
    Person,
    /// No command that the engine runs reads it.
    Unread,
}

/// Keys by their guard. In a key, `*` means any name; keys are compared without regard to case.
const KEYS: &[(Guard, &str)] = &[
    (Guard::Set("/dev/null"), "core.hooksPath"),
    (Guard::Set("false"), "core.fsmonitor"),
    (Guard::Set("cat"), "core.pager"),
    (Guard::Set(":"), "core.editor"),
    (Guard::Set(":"), "sequence.editor"),
    (Guard::Set(""), "core.askPass"),
    (Guard::Set(":"), "core.alternateRefsCommand"),
    (Guard::Set(":"), "gpg.program"),
    (Guard::Set("never"), "protocol.ext.allow"),
    (Guard::HooksOff, "hook.*.command"),
    // `--no-ext-diff`, `--no-textconv`, `--no-pager`, `--upload-pack`, `--receive-pack`, `GIT_SSH_COMMAND`, and an address that no
    // repository can know.
    (
        Guard::Option,
        "diff.external diff.*.command diff.*.textconv pager.* core.sshCommand remote.*.uploadpack remote.*.receivepack remote.*.vcs",
    ),
    // Merges, differences and files are made in the control repository, whose configuration is ours.
    (
        Guard::Person,
        "filter.*.clean filter.*.smudge filter.*.process merge.*.driver credential.helper credential.*.helper core.gitProxy \
         uploadpack.packObjectsHook lfs.customtransfer.*.path lfs.extension.*.clean lfs.extension.*.smudge",
    ),
    // Signatures are made with the programs of the person alone (see `signing`).
    (Guard::Person, "gpg.*.program gpg.ssh.defaultKeyCommand"),
    // An alias never takes the place of one of git's own commands; nothing is mailed, shown, archived or edited.
    (
        Guard::Unread,
        "alias.* alias.*.command browser.*.cmd browser.*.path diff.tool diff.guitool difftool.*.cmd difftool.*.path gc.recentObjectsHook \
         guitool.*.cmd help.browser imap.tunnel instaweb.browser instaweb.httpd \
         interactive.diffFilter man.viewer man.*.cmd man.*.path merge.tool merge.guitool mergetool.*.cmd mergetool.*.path \
         sendemail.smtpServer sendemail.sendmailCmd sendemail.toCmd sendemail.ccCmd sendemail.headerCmd submodule.*.update tar.*.command \
         trailer.*.cmd trailer.*.command web.browser",
    ),
];

/// Keys that name a file with more settings or attributes, or that allow a program by an address.
const DOORS: &str = "include.path includeIf.*.path core.attributesFile protocol.allow protocol.*.allow";

/// The events for which git runs hooks.
pub(super) const HOOK_EVENTS: &str = "
    applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
    pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update
    reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-changelist
    p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change";

/// Settings for `-c` that keep every call from starting a program, whatever a configuration says. Git before 2.54 knows no hooks by
/// configuration, and 2.54.0 none by their event: names are switched off besides (see `named_hooks`).
pub(super) fn overrides() -> impl Iterator<Item = String> {
    let set = KEYS.iter().filter_map(|(guard, keys)| match guard {
        Guard::Set(value) => Some(format!("{keys}={value}")),
        Guard::HooksOff | Guard::Option | Guard::Person | Guard::Unread => None,
    });
    set.chain(HOOK_EVENTS.split_whitespace().map(hook_off))
}

/// The setting that switches off the hook of that name, or the hooks of that event.
pub(super) fn hook_off(name: &str) -> String {
    format!("hook.{name}.enabled=false")
}

/// Returns whether a setting of a configuration can have git start a program.
pub(super) fn names_program(key: &str, value: &str) -> bool {
    let is_word = |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word));
    let is_switch = is_word(&["", "true", "false", "yes", "no", "on", "off", "0", "1"]);
    let lower = key.to_ascii_lowercase();
    match lower.split('.').next().unwrap_or_default() {
        // Without the mark it is another command of git's own.
        "alias" | "submodule" => value.starts_with('!') && is_listed(key),
        "pager" => !is_switch && is_listed(key),
        _ if lower == "core.fsmonitor" => !is_switch,
        "protocol" => !is_word(&["never"]) && is_listed(key),
        _ => !value.is_empty() && is_listed(key),
    }
}

/// Returns whether the lists here hold a key as git writes it, with a name in its middle or `*` for any.
pub(super) fn is_listed(key: &str) -> bool {
    let keys = KEYS.iter().flat_map(|(_, keys)| keys.split_whitespace());
    keys.chain(DOORS.split_whitespace())
        .any(|pattern| covers(pattern, key))
}

/// Returns true if a key matches a pattern. Section and last part are compared without regard to case; the part between them is a name.
fn covers(pattern: &str, key: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern.eq_ignore_ascii_case(key),
        Some((begin, end)) => {
            let (head, tail) = (key.get(..begin.len()), key.len().checked_sub(end.len()));
            let tail = tail.filter(|at| *at > begin.len()).and_then(|at| key.get(at..));
            head.is_some_and(|head| head.eq_ignore_ascii_case(begin))
                && tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end))
                && (!end.is_empty() || key.len() > begin.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_can_start_a_program_is_known_by_its_key_and_value() {
        for (key, value) in [
            ("diff.external", "x"),
            ("Core.HooksPath", ".husky"),
            ("diff.a.b.textconv", "cat"),
            ("hook.Odd.Name.command", "x"),
            ("alias.st", "!sh"),
            ("credential.https://host.helper", "store"),
            ("credential.helper", "store"),
            ("core.fsmonitor", "/bin/x"),
            ("pager.log", "less"),
            ("includeif.gitdir:/x/.path", "/tmp/more"),
        ] {
            assert!(names_program(key, value), "{key}");
        }
        for (key, value) in [
            ("core.bare", "false"),
            ("alias.st", "status"),
            ("core.fsmonitor", "true"),
            ("pager.log", "false"),
            ("diff.a.binary", "true"),
            ("user.name", "x"),
            ("remote.origin.url", "/x"),
            ("protocol.ext.allow", "never"),
            ("hook.pre-commit.enabled", "false"),
        ] {
            assert!(!names_program(key, value), "{key}");
        }
    }

    /// Ends of the last word of a key that names a program, as a rule.
    const ENDS: &str = "command cmd program helper driver textconv hook hookspath pager editor askpass external clean smudge process \
                        uploadpack receivepack vcs viewer browser tool filter fsmonitor tunnel proxy exec httpd server shell script";
    /// Keys that look so and name none.
    const HARMLESS: &str = "advice.ignoredHook advice.waitingForEditor color.pager column.clean diff.*.cachetextconv gc.repackFilter \
                            gitcvs.dbDriver http.proxy remote.*.proxy remote.*.partialclonefilter uploadpack.allowFilter \
                            promisor.acceptFromServer rebase.rescheduleFailedExec";

    /// A key of git's list with `*` in place of `<name>`.
    fn pattern(key: &str) -> String {
        let mut rest = key;
        let mut pattern = String::new();
        while let Some((before, (_, after))) = rest
            .split_once('<')
            .and_then(|(before, name)| Some((before, name.split_once('>')?)))
        {
            pattern.push_str(before);
            pattern.push('*');
            rest = after;
        }
        pattern + rest
    }

    /// Run each night with the newest git: `DBS_NEWEST_GIT=$(.ci/git/install FOLDER) cargo test --lib new_to_us -- --ignored`.
    #[test]
    #[ignore = "a look at what git brings, not at a change of ours: it runs each night"]
    #[expect(
        clippy::disallowed_methods,
        reason = "asks the git that the environment names for its keys"
    )]
    fn no_key_that_names_a_program_is_new_to_us() {
        let folder = std::env::var_os("DBS_NEWEST_GIT").map(std::path::PathBuf::from);
        let git = folder.map_or_else(|| "git".into(), |folder| folder.join("git"));
        let listed = std::process::Command::new(git)
            .args(["help", "--config"])
            .output()
            .unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        let keys = listed.lines().map(pattern).filter(|key| key.contains('.'));
        let looks_so = |key: &String| {
            let last = key.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
            ENDS.split_whitespace().any(|end| last.ends_with(end))
        };
        let is_harmless = |key: &String| {
            HARMLESS
                .split_whitespace()
                .any(|known| known.eq_ignore_ascii_case(key))
        };
        let is_new = |key: &String| looks_so(key) && !is_harmless(key) && !is_listed(key);
        let new: Vec<String> = keys.filter(is_new).collect();
        assert!(listed.lines().count() > 500, "{listed}");
        assert_eq!(new, Vec::<String>::new(), "say in KEYS what guards against each");
    }

    #[test]
    fn every_event_is_switched_off_and_no_key_has_two_guards() {
        let all: Vec<String> = overrides().collect();
        assert!(all.contains(&"hook.post-index-change.enabled=false".to_owned()));
        assert!(all.contains(&"core.hooksPath=/dev/null".to_owned()));
        let mut keys: Vec<&str> = KEYS
            .iter()
            .flat_map(|(_, keys)| keys.split_whitespace())
            .collect();
        let n_keys = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), n_keys);
    }
}
