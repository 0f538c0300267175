//! Names that may reach a git command line: each is checked when it is made, so no caller can forget to. Must not ask git anything;
//! the rules of `git check-ref-format` are restated here, and stricter.

use dbs_domain::cut::cut_chars;
use std::fmt;

/// Maximum length of a branch name accepted, in bytes.
const BRANCH_LIMIT: usize = 200;
/// Maximum length of a [`SafeName`] accepted, in bytes.
const NAME_LIMIT: usize = 64;

/// The full id of a commit: 40 or 64 lower-case hexadecimal digits, never abbreviated.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId(String);

/// The full id of a tree: 40 or 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TreeId(String);

/// A branch without `refs/heads/`, such as `feature/dbs-7f`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BranchName(String);

/// A name that is safe as one folder and as one part of a ref: an agent (`developer-ravel`) or a task (`US-001`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SafeName(String);

/// Refusal of a name, with its reason; reads after "could not".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("use \"{name}\" as a {kind}: {why}")]
pub struct NameError {
    pub kind: &'static str,
    pub name: String,
    pub why: &'static str,
}

impl CommitId {
    /// Takes a full commit id. Errors: anything but 40 or 64 lower-case hexadecimal digits.
    pub fn new(text: &str) -> Result<Self, NameError> {
        object_id("commit id", text).map(Self)
    }
}

impl TreeId {
    /// Takes a full tree id. Errors: anything but 40 or 64 lower-case hexadecimal digits.
    pub fn new(text: &str) -> Result<Self, NameError> {
        object_id("tree id", text).map(Self)
    }
}

impl BranchName {
    /// Takes a branch name. Errors: all that git itself refuses, and `HEAD`, `refs/...`, options, names over 200 bytes, anything outside
    /// ASCII letters, digits and `/._-+#=@`, parts that end in `.lock`.
    pub fn new(text: &str) -> Result<Self, NameError> {
        match branch_fault(text) {
            None => Ok(Self(text.to_owned())),
            Some(why) => Err(refusal("branch name", text, why)),
        }
    }

    /// Returns the branch of a task, `feature/<task>` (K54).
    pub fn feature(task: &SafeName) -> Self {
        Self(format!("feature/{task}"))
    }

    /// Returns the name with `refs/heads/`.
    pub fn full(&self) -> String {
        format!("refs/heads/{}", self.0)
    }
}

impl SafeName {
    /// Takes a name that is safe as it is. Errors: see [`NameError::why`].
    pub fn new(text: &str) -> Result<Self, NameError> {
        match name_fault(text) {
            None => Ok(Self(text.to_owned())),
            Some(why) => Err(refusal("name", text, why)),
        }
    }

    /// Makes a safe name of any text: the text itself if it is safe, otherwise a readable slug plus a 64-bit hash
    /// of the original, so that two texts never share a name by being cleaned alike.
    pub fn derive(text: &str) -> Self {
        if name_fault(text).is_none() {
            return Self(text.to_owned());
        }
        let mut slug = String::new();
        for letter in text.chars() {
            if slug.len() >= 40 {
                break;
            }
            match letter.to_ascii_lowercase() {
                safe if safe.is_ascii_alphanumeric() => slug.push(safe),
                _ if slug.is_empty() || slug.ends_with('-') => {}
                _ => slug.push('-'),
            }
        }
        let slug = slug.trim_end_matches('-');
        let stem = if slug.is_empty() { "x" } else { slug };
        Self(format!("{stem}-{:016x}", fnv1a(text.as_bytes())))
    }
}

fn object_id(kind: &'static str, text: &str) -> Result<String, NameError> {
    let digits = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    if digits && (text.len() == 40 || text.len() == 64) {
        Ok(text.to_owned())
    } else {
        Err(refusal(
            kind,
            text,
            "it must be 40 or 64 lower-case hexadecimal digits",
        ))
    }
}

fn branch_fault(text: &str) -> Option<&'static str> {
    let odd = |byte: u8| !(byte.is_ascii_alphanumeric() || b"/._-+#=@".contains(&byte));
    if text.is_empty() || text.len() > BRANCH_LIMIT {
        Some("it must have 1 to 200 bytes")
    } else if text.bytes().any(odd) {
        Some("only ASCII letters, digits and /._-+#=@ are allowed")
    } else if text.starts_with('-') {
        Some("it must not look like an option")
    } else if text == "HEAD" || text == "@" || text.starts_with("refs/") {
        Some("it must name a branch, without refs/heads/")
    } else if text.contains("..") || text.contains("@{") {
        Some("it must not contain .. or @{")
    } else {
        text.split('/').find_map(part_fault)
    }
}

fn part_fault(part: &str) -> Option<&'static str> {
    if part.is_empty() {
        Some("it must not begin or end with / or contain //")
    } else if part.starts_with('.') || part.ends_with('.') || part.starts_with('-') {
        Some("no part may begin with . or - or end with .")
    } else if part.to_ascii_lowercase().ends_with(".lock") {
        Some("no part may end with .lock")
    } else {
        None
    }
}

fn name_fault(text: &str) -> Option<&'static str> {
    if text.is_empty() || text.len() > NAME_LIMIT {
        Some("it must have 1 to 64 bytes")
    } else if !text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    {
        Some("only ASCII letters, digits, dot, dash and underscore are allowed")
    } else if !text.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        Some("it must begin with a letter or a digit")
    } else if text.contains("..") || is_device(text) {
        Some("it must not contain .. or be a device name")
    } else {
        part_fault(text)
    }
}

fn is_device(text: &str) -> bool {
    let stem = text.split('.').next().unwrap_or(text).to_ascii_lowercase();
    let numbered = |prefix| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest: &str| rest.len() == 1 && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn refusal(kind: &'static str, text: &str, why: &'static str) -> NameError {
    let shown = cut_chars(text, 80).escape_default().to_string();
    NameError {
        kind,
        name: shown,
        why,
    }
}

macro_rules! checked_name {
    ($($name:ident),*) => {$(
        impl $name {
            /// Returns the name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

checked_name!(CommitId, TreeId, BranchName, SafeName);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_branch_names_are_refused() {
        let long = "a".repeat(201);
        let odd = [
            "",
            "-rf",
            "--upload-pack=x",
            "HEAD",
            "@",
            "@{-1}",
            "a@{1}",
            "refs/heads/main",
            "a..b",
            "x.lock",
            "x.LOCK/y",
            "a//b",
            "/a",
            "a/",
            "a/-b",
            ".a",
            "a/.b",
            "a.",
            "a b",
            "a\nb",
            "a\0b",
            "a~1",
            "a^",
            "a:b",
            "a?b",
            "a*b",
            "a[b",
            "a\\b",
            "$(id)",
            "`id`",
            "\"; rm -rf ~ #",
            "../../etc",
            "caf\u{e9}",
            "a\u{202e}b",
            &long,
        ];
        for name in odd {
            assert!(BranchName::new(name).is_err(), "{name:?} was accepted");
        }
    }

    #[test]
    fn ordinary_branch_names_are_accepted() {
        for name in [
            "main",
            "feature/dbs-7f",
            "feature/US-001",
            "feature/3.1",
            "fix/#12",
            "user@team/x",
        ] {
            assert_eq!(BranchName::new(name).unwrap().as_str(), name);
        }
    }

    #[test]
    fn odd_folder_names_are_refused_and_derived_ones_are_safe_and_distinct() {
        for name in [
            "",
            "../x",
            "a/b",
            "-a",
            ".git",
            "con",
            "COM1.txt",
            "a.",
            "x.lock",
            "a b",
            "\u{1F600}",
            "a\u{0}",
        ] {
            assert!(SafeName::new(name).is_err(), "{name:?} was accepted");
            let derived = SafeName::derive(name);
            assert!(SafeName::new(derived.as_str()).is_ok(), "{derived} is not safe");
        }
        assert_ne!(SafeName::derive("a b"), SafeName::derive("a  b"));
        assert_eq!(SafeName::derive("US-001").as_str(), "US-001");
    }

    #[test]
    fn abbreviated_commit_ids_are_refused() {
        assert!(CommitId::new("abc1234").is_err());
        assert!(CommitId::new(&"A".repeat(40)).is_err());
        assert!(CommitId::new(&"a".repeat(40)).is_ok());
        assert!(CommitId::new(&"0".repeat(64)).is_ok());
    }
}
