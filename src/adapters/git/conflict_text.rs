//! Comparison of a file with conflict markers with its later text. Pure.
//!
//! Git labels the markers with the full ids of the two commits. No file can hold the id of a commit that holds the file, so of the two
//! labels at most the first can be in a file without being a marker, and then it is inside of another conflict or without an end: such a
//! file is not compared, and counts as changed.

use std::collections::HashSet;

/// Verdict on the resolution of a file in conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConflictResolution {
    /// Resolution that leaves every line between the conflicts as it was, and replaces the conflicts by lines of the two sides.
    OfTheSides,
    /// Resolution of the same kind, but with lines that neither side has.
    Written,
    /// Resolution with other lines between the conflicts, or one that cannot be judged.
    Changed,
}

/// Labels of the two sides in conflict markers: the full ids of their commits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sides<'a> {
    pub(super) ours: &'a str,
    pub(super) theirs: &'a str,
}

/// Judges `result`, which was made of `marked`; `None` if that has no conflict markers.
pub(super) fn resolution(marked: &[u8], result: &[u8], sides: Sides<'_>) -> Option<ConflictResolution> {
    let marked = match Marked::read(marked, sides) {
        Some(marked) if marked.clean.len() == 1 => return None,
        Some(marked) => marked,
        None => return Some(ConflictResolution::Changed),
    };
    let result: Vec<&[u8]> = lines(result).collect();
    let Some(filled) = marked.in_place_of_conflicts(&result) else {
        return Some(ConflictResolution::Changed);
    };
    let is_known = |line: &&[u8]| marked.sides.contains(text(line));
    Some(if filled.iter().all(is_known) {
        ConflictResolution::OfTheSides
    } else {
        ConflictResolution::Written
    })
}

/// A file with conflict markers, taken apart.
struct Marked<'a> {
    /// The lines before, between and behind the conflicts: one list more than there are conflicts.
    clean: Vec<Vec<&'a [u8]>>,
    /// The lines of both sides of all conflicts, without their ends.
    sides: HashSet<&'a [u8]>,
}

impl<'a> Marked<'a> {
    /// Takes a file apart; `None` if a conflict begins within another one, or does not end.
    fn read(file: &'a [u8], sides: Sides<'_>) -> Option<Marked<'a>> {
        let Sides { ours, theirs } = sides;
        let mut clean = vec![Vec::new()];
        let mut lines_of_sides = HashSet::new();
        let mut width = None;
        for line in lines(file) {
            match (width, marker(line, b'<', ours)) {
                (None, None) => clean.last_mut()?.push(line),
                (None, begun) => width = begun,
                (Some(_), Some(_)) => return None,
                (Some(_), None) if marker(line, b'>', theirs).is_some() => {
                    width = None;
                    clean.push(Vec::new());
                }
                (Some(width), None) if !is_separator(line, width) => {
                    lines_of_sides.insert(text(line));
                }
                (Some(_), None) => {}
            }
        }
        width.is_none().then_some(Marked {
            clean,
            sides: lines_of_sides,
        })
    }

    /// Returns the lines in the place of the conflicts; `None` if those around them are not as they were, in their order.
    fn in_place_of_conflicts<'r>(&self, result: &[&'r [u8]]) -> Option<Vec<&'r [u8]>> {
        let (first, rest) = self.clean.split_first()?;
        let (last, between) = rest.split_last()?;
        let mut left: &[&'r [u8]] = result;
        let ends = left.starts_with(first) && left.ends_with(last);
        left = left
            .get(first.len()..left.len().checked_sub(last.len())?)
            .filter(|_| ends)?;
        let mut filled = Vec::new();
        for kept in between.iter().filter(|kept| !kept.is_empty()) {
            let at = left
                .windows(kept.len())
                .position(|lines| lines == kept.as_slice())?;
            let (before, from_there) = left.split_at_checked(at)?;
            filled.extend_from_slice(before);
            left = from_there.get(kept.len()..)?;
        }
        filled.extend_from_slice(left);
        Some(filled)
    }
}

fn lines(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    file.split_inclusive(|byte| *byte == b'\n')
}

/// A line without its end.
fn text(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// Returns the width of a conflict marker with that label, whatever width attributes give it; a path may follow the label.
fn marker(line: &[u8], sign: u8, label: &str) -> Option<usize> {
    let width = line.iter().take_while(|byte| **byte == sign).count();
    let rest = line.get(width..)?.strip_prefix(b" ")?;
    let rest = rest.strip_prefix(label.as_bytes())?;
    let ends = matches!(rest.first(), None | Some(b'\n' | b'\r' | b':'));
    (width > 0 && ends).then_some(width)
}

fn is_separator(line: &[u8], width: usize) -> bool {
    let line = text(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.len() == width && line.iter().all(|byte| *byte == b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDES: Sides<'_> = Sides {
        ours: "aaaa",
        theirs: "bbbb",
    };

    fn marked(ours: &str, theirs: &str) -> String {
        format!("<<<<<<< aaaa\n{ours}=======\n{theirs}>>>>>>> bbbb\n")
    }

    fn judged(marked: &str, result: &str) -> Option<ConflictResolution> {
        resolution(marked.as_bytes(), result.as_bytes(), SIDES)
    }

    #[test]
    fn either_side_both_or_none_of_them_are_lines_of_the_sides() {
        let file = format!("top\n{}end\n", marked("ours\n", "theirs\n"));
        for chosen in ["ours\n", "theirs\n", "ours\ntheirs\n", "theirs\nours\n", ""] {
            let result = format!("top\n{chosen}end\n");
            assert_eq!(
                judged(&file, &result),
                Some(ConflictResolution::OfTheSides),
                "{chosen:?}"
            );
        }
    }

    #[test]
    fn a_line_that_neither_side_has_is_told() {
        let file = format!("top\n{}end\n", marked("a()\n", "b()\n"));
        assert_eq!(
            judged(&file, "top\na(b())\nend\n"),
            Some(ConflictResolution::Written)
        );
        assert_eq!(
            judged(&file, "top\na()\nevil()\nend\n"),
            Some(ConflictResolution::Written)
        );
    }

    #[test]
    fn what_stands_around_the_conflicts_stays_in_its_order() {
        let (one, two) = (marked("o\n", "t\n"), marked("p\n", "u\n"));
        let file = format!("top\n{one}mid\nmore\n{two}end\n");
        let good = "top\no\nmid\nmore\nu\nend\n";
        assert_eq!(judged(&file, good), Some(ConflictResolution::OfTheSides));
        let changed = [
            "evil\ntop\no\nmid\nmore\nu\nend\n",
            "top\no\nmid\nmore\nu\nend\nevil\n",
            "top\no\nmid\nevil\nmore\nu\nend\n",
            "top\no\nu\nend\n",
            "o\nmid\nmore\nu\nend\n",
            "top\no\nmid\nmore\nu\nEND\n",
            "top\no\nmid\nmore\nu\nend",
            "",
        ];
        for result in changed {
            assert_eq!(
                judged(&file, result),
                Some(ConflictResolution::Changed),
                "{result:?}"
            );
        }
    }

    #[test]
    fn a_conflict_at_an_end_of_the_file_needs_no_line_beyond() {
        let file = marked("ours", "theirs").replace("ours=", "ours\n=");
        let file = file.replace("theirs>", "theirs\n>");
        assert_eq!(judged(&file, "theirs"), Some(ConflictResolution::OfTheSides));
        assert_eq!(
            judged(&file, "ours\ntheirs\n"),
            Some(ConflictResolution::OfTheSides)
        );
    }

    #[test]
    fn markers_are_known_by_their_label_in_any_width_and_nothing_else_is_one() {
        let wide = "top\n<<<<<<<<< aaaa:old/name\no\n=========\nt\n>>>>>>>>> bbbb:new\nend\n";
        assert_eq!(
            judged(wide, "top\nt\nend\n"),
            Some(ConflictResolution::OfTheSides)
        );
        assert_eq!(judged("<<<<<<< other\nx\n>>>>>>> other\n", "y\n"), None);
        let file = format!("<<<<<<< other\nx\n>>>>>>> other\n{}", marked("o\n", "t\n"));
        assert_eq!(judged(&file, "o\n"), Some(ConflictResolution::Changed));
    }

    #[test]
    fn a_line_of_a_file_that_looks_like_the_begin_of_a_conflict_hides_nothing() {
        let planted = format!("<<<<<<< aaaa\nchecked\n{}end\n", marked("o\n", "t\n"));
        assert_eq!(judged(&planted, "o\nend\n"), Some(ConflictResolution::Changed));
        let open = format!("{}<<<<<<< aaaa\nchecked\n", marked("o\n", "t\n"));
        assert_eq!(judged(&open, "o\n"), Some(ConflictResolution::Changed));
    }
}
