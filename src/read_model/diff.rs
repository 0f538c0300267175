//! Differences between two states of the work, as plain values: files, and in each of them the lines that came and went. Reads the unified
//! form; text that it does not understand becomes a note, never an error.

use std::iter::Peekable;
use std::str::Lines;

/// A parsed unified diff: its files, and whether it was cut off.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diff {
    pub files: Vec<FileDiff>,
    /// True if the end was cut off because there was too much.
    pub cut: bool,
}

/// The changes to one file of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// Path of the file now; the path before, if the file was deleted.
    pub path: String,
    pub from: Option<String>,
    pub kind: FileChange,
    pub added: usize,
    pub removed: usize,
    pub lines: Vec<DiffLine>,
}

/// Kind of change of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileChange {
    Added,
    Changed,
    Deleted,
    Moved,
}

/// Line of a file's diff with its line numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    pub kind: DiffLineKind,
    pub old: Option<u32>,
    pub new: Option<u32>,
    pub text: String,
}

/// Kind of a line of a diff: context, added, removed, a hunk header or a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DiffLineKind {
    Hunk,
    Context,
    Added,
    Removed,
    /// About the file as a whole: a mode, that it is binary.
    Note,
}

impl Diff {
    /// Reads `git diff` text. `cut` says that the text ends early.
    pub fn parse(text: &str, cut: bool) -> Diff {
        let mut lines = text.lines().peekable();
        let mut files = Vec::new();
        while let Some(line) = lines.next() {
            if let Some(paths) = line.strip_prefix("diff --git ") {
                files.push(file(paths, &mut lines));
            }
        }
        Diff { files, cut }
    }

    /// Lines that came, in all files.
    pub fn added(&self) -> usize {
        self.files.iter().map(|file| file.added).sum()
    }

    /// Lines that went, in all files.
    pub fn removed(&self) -> usize {
        self.files.iter().map(|file| file.removed).sum()
    }
}

/// Parses one file: its header, then its hunks.
fn file(paths: &str, lines: &mut Peekable<Lines<'_>>) -> FileDiff {
    let mut file = FileDiff {
        path: same_path(paths),
        from: None,
        kind: FileChange::Changed,
        added: 0,
        removed: 0,
        lines: Vec::new(),
    };
    while let Some(line) = lines.next_if(|line| !line.starts_with("diff --git ")) {
        if line.starts_with("@@ ") {
            hunk(&mut file, line, lines);
        } else {
            file_header(&mut file, line);
        }
    }
    file
}

/// A line before the first hunk.
fn file_header(file: &mut FileDiff, line: &str) {
    let note = |text: String| DiffLine {
        kind: DiffLineKind::Note,
        old: None,
        new: None,
        text,
    };
    if line.starts_with("new file mode") {
        file.kind = FileChange::Added;
    } else if line.starts_with("deleted file mode") {
        file.kind = FileChange::Deleted;
    } else if let Some(from) = line.strip_prefix("rename from ") {
        file.kind = FileChange::Moved;
        file.from = Some(unquoted(from));
    } else if let Some(to) = line.strip_prefix("rename to ") {
        file.path = unquoted(to);
    } else if let Some(path) = line.strip_prefix("+++ ").and_then(|path| side(path, "b/")) {
        file.path = path;
    } else if let Some(path) = line.strip_prefix("--- ").and_then(|path| side(path, "a/")) {
        if file.kind == FileChange::Deleted {
            file.path = path;
        }
    } else if line.starts_with("old mode ") || line.starts_with("new mode ") {
        file.lines.push(note(line.to_owned()));
    } else if line.starts_with("Binary files ") {
        file.lines
            .push(note("is not text; its content is not shown".to_owned()));
    }
}

/// The lines of one hunk: as many as its header counts, so that no content is taken for something else.
fn hunk(file: &mut FileDiff, head: &str, lines: &mut Peekable<Lines<'_>>) {
    file.lines.push(DiffLine {
        kind: DiffLineKind::Hunk,
        old: None,
        new: None,
        text: head.to_owned(),
    });
    let Some(((mut old, mut old_left), (mut new, mut new_left))) = ranges(head) else {
        return;
    };
    while old_left > 0 || new_left > 0 {
        let Some(line) = lines.next() else { return };
        let (mark, text) = line.split_at_checked(1).unwrap_or((" ", ""));
        let mut found = DiffLine {
            kind: DiffLineKind::Context,
            old: None,
            new: None,
            text: text.to_owned(),
        };
        match mark {
            "+" => found.kind = DiffLineKind::Added,
            "-" => found.kind = DiffLineKind::Removed,
            "\\" => {
                found.kind = DiffLineKind::Note;
                "no line end at the end of the file".clone_into(&mut found.text);
                file.lines.push(found);
                continue;
            }
            _ => {}
        }
        if found.kind != DiffLineKind::Added {
            found.old = Some(old);
            (old, old_left) = (old.saturating_add(1), old_left.saturating_sub(1));
        }
        if found.kind != DiffLineKind::Removed {
            found.new = Some(new);
            (new, new_left) = (new.saturating_add(1), new_left.saturating_sub(1));
        }
        file.added += usize::from(found.kind == DiffLineKind::Added);
        file.removed += usize::from(found.kind == DiffLineKind::Removed);
        file.lines.push(found);
    }
}

/// First line and number of lines, before and now: `@@ -3,7 +3,9 @@ fn x`.
fn ranges(head: &str) -> Option<((u32, u32), (u32, u32))> {
    let mut words = head.split(' ').skip(1);
    let mut range = |mark: char| {
        let word = words.next()?.strip_prefix(mark)?;
        let (first, many) = word.split_once(',').unwrap_or((word, "1"));
        Some((first.parse().ok()?, many.parse().ok()?))
    };
    Some((range('-')?, range('+')?))
}

/// The path after `+++` or `---`; `None` for `/dev/null`.
fn side(path: &str, prefix: &str) -> Option<String> {
    let path = unquoted(path.trim_end_matches('\t'));
    path.strip_prefix(prefix).map(str::to_owned)
}

/// The path of `a/x b/x`, the same on both sides.
fn same_path(paths: &str) -> String {
    if paths.starts_with('"') {
        let whole = unquoted(paths.split_inclusive('"').take(2).collect::<String>().as_str());
        return whole.strip_prefix("a/").unwrap_or(&whole).to_owned();
    }
    let half = paths.len().saturating_sub(1) / 2;
    let path = paths.get(..half).unwrap_or(paths);
    path.strip_prefix("a/").unwrap_or(path).to_owned()
}

/// A path as git quotes unusual ones: `"tab\there"`, bytes as three octal digits.
fn unquoted(path: &str) -> String {
    let Some(inner) = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')) else {
        return path.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let Some(escaped) = rest.next() else { break };
        let mut code = u32::from(escaped.wrapping_sub(b'0'));
        if code > 7 {
            bytes.push(match escaped {
                b't' => b'\t',
                b'n' => b'\n',
                b'r' => b'\r',
                other => other,
            });
            continue;
        }
        for _ in 0..2 {
            let digit = rest.next_if(|byte| (b'0'..=b'7').contains(byte));
            code = digit.map_or(code, |digit| code * 8 + u32::from(digit - b'0'));
        }
        bytes.push(u8::try_from(code & 0xff).unwrap_or(b'?'));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
diff --git a/src/login.rs b/src/login.rs
index 1..2 100644
--- a/src/login.rs
+++ b/src/login.rs
@@ -1,3 +1,4 @@ fn post
 one
--- two
+++ two
+three
 four
diff --git a/old name b/new name
similarity index 90%
rename from old name
rename to new name
diff --git \"a/\\303\\251\" \"b/\\303\\251\"
new file mode 100644
--- /dev/null
+++ \"b/\\303\\251\"
@@ -0,0 +1 @@
+x
\\ No newline at end of file
diff --git a/gone b/gone
deleted file mode 100644
Binary files a/gone and /dev/null differ
";

    #[test]
    fn files_know_their_paths_and_what_happened_to_them() {
        let diff = Diff::parse(TEXT, false);
        let files: Vec<_> = diff
            .files
            .iter()
            .map(|file| (file.path.as_str(), file.kind, file.added, file.removed))
            .collect();
        assert_eq!(
            files,
            [
                ("src/login.rs", FileChange::Changed, 2, 1),
                ("new name", FileChange::Moved, 0, 0),
                ("é", FileChange::Added, 1, 0),
                ("gone", FileChange::Deleted, 0, 0),
            ]
        );
        assert_eq!((diff.added(), diff.removed()), (3, 1));
        assert_eq!(diff.files[1].from.as_deref(), Some("old name"));
    }

    #[test]
    fn content_that_looks_like_a_head_stays_content_and_lines_are_numbered() {
        let diff = Diff::parse(TEXT, false);
        let lines: Vec<_> = diff.files[0]
            .lines
            .iter()
            .map(|line| (line.kind, line.old, line.new, line.text.as_str()))
            .collect();
        assert_eq!(lines[2], (DiffLineKind::Removed, Some(2), None, "-- two"));
        assert_eq!(lines[3], (DiffLineKind::Added, None, Some(2), "++ two"));
        assert_eq!(lines[5], (DiffLineKind::Context, Some(3), Some(4), "four"));
    }

    #[test]
    fn a_text_that_ends_early_or_makes_no_sense_gives_what_there_is() {
        let half = TEXT.get(..120).expect("ascii");
        let diff = Diff::parse(half, true);
        assert!(diff.cut && diff.files.len() == 1);
        assert!(Diff::parse("@@ nonsense\ndiff --git\nx", false).files.is_empty());
        assert_eq!(
            Diff::parse("diff --git a/x b/x\n@@ -9 +z @@\n+y\n", false).files[0].added,
            0
        );
    }
}
