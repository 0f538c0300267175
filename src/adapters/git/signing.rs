//! Signatures of the commits that the engine brings to a base, made as the person's own git makes them (`merge.sign`). The repository may say
//! with which key; the programs come from the configuration of the person and the system alone.

use super::attic::{Authorship, CommitDraft, draft_call};
use super::cli::GitCli;
use super::config_entries::ConfigEntry;
use super::discovery;
use super::error_text;
use crate::domain::TroubleKind;
use crate::ports::git::{CommitId, GitError, Signature};

/// Settings of the person that name a program, for every format.
const PROGRAMS: [&str; 5] = [
    "gpg.program",
    "gpg.openpgp.program",
    "gpg.x509.program",
    "gpg.ssh.program",
    "gpg.ssh.defaultkeycommand",
];

/// Settings with which git signs.
pub(super) struct Signing {
    /// `openpgp`, `x509` or `ssh`.
    format: String,
    key: Option<String>,
    programs: Vec<(&'static str, String)>,
}

impl Signing {
    /// Reads the settings; `None` if commits are not signed. A repository cannot take signing back that the person wants.
    fn among(entries: &[ConfigEntry]) -> Option<Signing> {
        let last = |key: &str, may: &dyn Fn(&ConfigEntry) -> bool| {
            let mut all = entries.iter().rev();
            let found = all.find(|entry| entry.key == key && may(entry));
            found.map(|entry| entry.value.clone())
        };
        let is_persons = |entry: &ConfigEntry| !entry.is_repositorys();
        let is_on = |value: Option<String>| {
            let value = value.map(|value| value.to_ascii_lowercase());
            value.is_some_and(|value| !matches!(&*value, "false" | "no" | "off" | "0"))
        };
        let wants = |may: &dyn Fn(&ConfigEntry) -> bool| is_on(last("commit.gpgsign", may));
        if !wants(&is_persons) && !wants(&ConfigEntry::is_repositorys) {
            return None;
        }
        let program = |key: &'static str| Some((key, last(key, &is_persons)?));
        Some(Signing {
            format: last("gpg.format", &|_| true).unwrap_or_else(|| "openpgp".to_owned()),
            key: last("user.signingkey", &|_| true).filter(|key| !key.is_empty()),
            programs: PROGRAMS.into_iter().filter_map(program).collect(),
        })
    }

    fn program(&self) -> &str {
        let named = |key: &str| self.programs.iter().find(|(name, _)| *name == key);
        let of_format = format!("gpg.{}.program", self.format);
        let general = || named("gpg.program").filter(|_| self.format == "openpgp");
        let usual = match &*self.format {
            "ssh" => "ssh-keygen",
            "x509" => "gpgsm",
            _ => "gpg",
        };
        named(&of_format)
            .or_else(general)
            .map_or(usual, |(_, program)| program)
    }
}

impl GitCli {
    /// Returns the way the person signs commits, if they do and the settings have not switched it off.
    pub(super) fn signing(&self) -> Result<Option<Signing>, GitError> {
        if !self.signs_merges {
            return Ok(None);
        }
        Ok(Signing::among(&self.config_entries()?))
    }

    /// Makes a commit for a base: signed where the person signs, and then committed in the name of the person whose key it is.
    pub(super) fn commit_for_base(
        &self,
        draft: &CommitDraft<'_>,
        signing: Option<&Signing>,
    ) -> Result<CommitId, GitError> {
        let Some(signing) = signing else {
            return self.commit(draft);
        };
        let committer = self.person_at(draft.signature.seconds)?;
        let Signature { name, email, seconds } = draft.signature.clone();
        let own = Authorship {
            name,
            email,
            date: format!("{} +0000", seconds.max(0)),
        };
        let signed = CommitDraft {
            signature: &committer,
            author: draft.author.or(Some(&own)),
            message: draft.message.clone(),
            ..*draft
        };
        let limit = self.program.limits.ask;
        let mut call = self.over_network("sign a commit")?.timeout(limit);
        call = call.config(format!("gpg.format={}", signing.format));
        // The control repository names no programs, and every call has one for `gpg.program` that signs nothing.
        call = call.config(format!("gpg.program={}", signing.program()));
        for (key, program) in signing.programs.iter().filter(|(key, _)| *key != "gpg.program") {
            call = call.config(format!("{key}={program}"));
        }
        if let Some(key) = &signing.key {
            call = call.config(format!("user.signingKey={key}"));
        }
        let output = draft_call(self.program.kept(call), &signed)
            .arg("-S")
            .run_in_time()?;
        let program = error_text::one_line(signing.program());
        match output {
            Some(output) if output.code == Some(0) => Ok(CommitId::new(output.text().trim())?),
            Some(output) => Err(refused(&format!(
                "{program} signed nothing ({})",
                error_text::reason(&output)
            ))),
            None => Err(refused(&format!(
                "{program} gave no signature within {} s; it, or the agent that has the key, seems to ask for a passphrase, \
                 and no person is asked here",
                limit.as_secs()
            ))),
        }
    }

    /// Returns the person as a committer, as the project's git names them.
    fn person_at(&self, seconds: i64) -> Result<Signature, GitError> {
        let who =
            discovery::identity(&self.program, &self.project).map_err(|error| refused(&error.to_string()))?;
        let (name, email) = who.rsplit_once(" <").unwrap_or((&who, ""));
        Ok(Signature {
            name: name.to_owned(),
            email: email.trim_end_matches('>').to_owned(),
            seconds,
        })
    }
}

/// Returns the error for a commit without a signature; it is not made.
fn refused(why: &str) -> GitError {
    GitError::Failed {
        kind: TroubleKind::Base,
        what: "sign the merge as your git does (commit.gpgSign)".to_owned(),
        why: format!(
            "{why}; sign a commit in your own terminal, so that the key is unlocked, and retry, or see `dbs config merge.sign --explain`"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signing(entries: &[(&str, &str, &str)]) -> Option<Signing> {
        let entry = |(scope, key, value): &(&str, &str, &str)| ConfigEntry {
            scope: (*scope).to_owned(),
            file: None,
            key: (*key).to_owned(),
            raw_key: key.as_bytes().to_vec(),
            value: (*value).to_owned(),
        };
        Signing::among(&entries.iter().map(entry).collect::<Vec<_>>())
    }

    #[test]
    fn a_repository_may_ask_for_signatures_and_neither_take_them_back_nor_name_a_program() {
        assert!(signing(&[("global", "gpg.format", "ssh")]).is_none());
        let own = ("global", "commit.gpgsign", "true");
        let found = signing(&[own, ("local", "commit.gpgsign", "false")]);
        assert_eq!(found.unwrap().program(), "gpg");
        let asked = [
            ("global", "gpg.program", "/usr/bin/gpg2"),
            ("local", "commit.gpgsign", ""),
            ("local", "gpg.program", "/tmp/evil"),
            ("local", "gpg.ssh.program", "/tmp/evil"),
            ("local", "user.signingkey", "KEY"),
        ];
        let found = signing(&asked).unwrap();
        assert_eq!(found.program(), "/usr/bin/gpg2");
        assert_eq!(found.key.as_deref(), Some("KEY"));
        let ssh = signing(&[own, ("local", "gpg.format", "ssh"), asked[0], asked[3]]);
        assert_eq!(ssh.unwrap().program(), "ssh-keygen");
    }
}
