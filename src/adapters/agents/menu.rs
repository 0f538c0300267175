//! The menu that an agent's screen shows: the entries of a dialog, a permission or a question, and the one that Enter would take. Knows
//! the looks that the tools share and no tool in particular.

/// Signs before the marked entry.
const MARKS: [char; 8] = ['❯', '›', '>', '●', '▶', '▸', '→', '◉'];
/// Words of the line below a menu that say how to answer it.
const WAYS: [&str; 8] = [
    "enter to confirm",
    "enter to continue",
    "enter to select",
    "enter to submit",
    "enter submit",
    "enter confirm",
    "enter continue",
    "space to select",
];
/// Sign of the keys that move a mark sideways.
const SIDEWAYS: char = '⇆';
/// Rows between entries beside each other and the hints below them.
const MOST_ABOVE_HINTS: usize = 3;
/// Sign that is put before an entry that only its colour marks.
pub const MARK: char = '❯';
/// Beginnings of the hints behind entries that stand beside each other.
const HINTS: [&str; 8] = ["ctrl+", "alt+", "shift+", "tab ", "esc ", "enter ", "⇆", "↑"];
/// Lines between two entries: explanations, and lines that are drawn.
const MOST_BETWEEN: usize = 6;
/// Lines between the marked entry and the line that says how to answer.
const MOST_BELOW: usize = 14;
/// Beginnings of a label that say no.
const NO: [&str; 8] = ["no", "deny", "reject", "cancel", "exit", "don't", "stop", "quit"];
/// Words of a label that allow more than the present question.
const LASTING: [&str; 6] = [
    "always",
    "session",
    "don't ask again",
    "auto",
    "from now on",
    "all ",
];
/// Beginnings of a label that wants a text.
const TEXT: [&str; 3] = ["type something", "chat about", "other"];
/// Signs of entries where several can be chosen.
const BOXES: [&str; 6] = ["[ ]", "[x]", "[✔]", "☐", "☑", "◻"];
/// Lines above the entries that tell one menu from another with the same entries.
const ABOVE: usize = 12;

/// A menu on a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenMenu {
    /// Entries from the top; empty if they could not be told apart.
    pub entries: Vec<MenuEntry>,
    /// The place of the entry that Enter would take; `None` where the screen does not show it.
    pub marked: Option<usize>,
    /// True if the entries stand beside each other in one row.
    pub is_in_row: bool,
    /// The row of the screen with its first entry, or with the words that say how to answer it.
    pub(super) row: usize,
}

/// Entry of a menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MenuEntry {
    /// The digit that chooses it, if it has one.
    pub number: Option<u32>,
    pub label: String,
}

impl ScreenMenu {
    /// Reads the menu at the end of this screen.
    pub fn read(screen: &str) -> Option<ScreenMenu> {
        let lines: Vec<ScreenLine<'_>> = screen.lines().map(ScreenLine::read).collect();
        if let Some(menu) = in_row(&lines) {
            return Some(menu);
        }
        let marked = lines.iter().rposition(|line| line.is_marked);
        let above = numbered_above(&lines);
        if let Some(menu) = above.filter(|menu| marked.is_none_or(|marked| marked < menu.row)) {
            return Some(menu);
        }
        let of_mark = |at| {
            numbered(&lines, at)
                .or_else(|| listed(&lines, at))
                .or_else(|| yes_or_no(&lines, at))
        };
        let found = marked.and_then(of_mark);
        found.or_else(|| bare(&lines, marked))
    }

    /// The labels of its entries, where a person can choose one of them.
    pub fn options(&self) -> Vec<String> {
        let is_whole = (1..)
            .zip(&self.entries)
            .all(|(at, entry)| entry.number.is_none_or(|number| number == at));
        let takes_several = self
            .entries
            .iter()
            .any(|entry| BOXES.iter().any(|sign| entry.label.starts_with(sign)));
        if !is_whole || takes_several {
            return Vec::new();
        }
        self.entries.iter().map(|entry| entry.label.clone()).collect()
    }

    /// Returns the menu of a screen with the lines above it, whichever entry is marked; `None` if the screen shows none.
    pub fn text(screen: &str) -> Option<String> {
        let menu = ScreenMenu::read(screen)?;
        let (first, rows) = (menu.row.saturating_sub(ABOVE), menu.entries.len().max(1));
        let lines: Vec<&str> = screen.lines().take(menu.row + rows).skip(first).collect();
        Some(lines.join("\n").replace(MARKS, " "))
    }

    /// Returns true if it is nothing but this text in the line of the input, which looks like a menu.
    pub fn is_text(&self, text: &str) -> bool {
        let lines: Vec<ScreenLine<'_>> = text.lines().map(ScreenLine::read).collect();
        // A long line of it continues in the next row of the screen.
        let is_line = |entry: &MenuEntry| {
            let mut lines = lines.iter();
            lines.any(|line| line.number == entry.number && line.label.starts_with(&entry.label))
        };
        !self.entries.is_empty() && self.entries.iter().all(is_line)
    }

    /// Returns the entry that allows the action: once, or also similar ones if there is such an entry. `None` if no entry does.
    pub fn yes(&self, is_lasting: bool) -> Option<usize> {
        let labels: Vec<String> = self
            .entries
            .iter()
            .map(|entry| entry.label.to_lowercase())
            .collect();
        let lasts = |label: &str| LASTING.iter().any(|word| label.contains(word));
        let once = labels
            .iter()
            .position(|label| !begins(label, &NO) && !begins(label, &TEXT) && !lasts(label));
        let lasting = labels
            .iter()
            .position(|label| !begins(label, &NO) && lasts(label) && !label.contains("auto"));
        lasting.filter(|_| is_lasting).or(once)
    }
}

/// A line of a screen without the frame around it.
#[derive(Debug, Clone, Copy)]
struct ScreenLine<'a> {
    is_marked: bool,
    number: Option<u32>,
    label: &'a str,
    /// The column at which the label begins.
    column: usize,
}

impl<'a> ScreenLine<'a> {
    fn read(line: &'a str) -> ScreenLine<'a> {
        let is_around = |c: char| c.is_whitespace() || matches!(c, '│' | '┃' | '║' | '|');
        let inside = line.trim_end_matches(is_around).trim_start_matches(is_around);
        let unmarked = inside.strip_prefix(MARKS);
        let is_marked = unmarked.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        let rest = unmarked.filter(|_| is_marked).unwrap_or(inside).trim_start();
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, behind) = rest.split_at(digits);
        let label = behind
            .strip_prefix(['.', ')'])
            .filter(|label| label.starts_with(char::is_whitespace));
        let number = number.parse().ok().filter(|_| label.is_some());
        let label = label.filter(|_| number.is_some()).unwrap_or(rest).trim();
        let before = line.find(label).and_then(|at| line.get(..at));
        ScreenLine {
            is_marked,
            number,
            label,
            column: before.map_or(0, |before| before.chars().count()),
        }
    }

    fn is_entry(&self, number: Option<u32>) -> bool {
        number.is_some() && self.number == number && !self.label.is_empty()
    }

    /// Returns true for a line that is drawn or blank and says nothing.
    fn is_blank(&self) -> bool {
        !self.label.chars().any(char::is_alphanumeric)
    }

    fn says_how(&self) -> bool {
        let label = self.label.to_lowercase();
        WAYS.iter().any(|way| label.contains(way))
    }

    fn entry(&self) -> MenuEntry {
        MenuEntry {
            number: self.number,
            label: self.label.to_owned(),
        }
    }
}

/// A menu whose entries have numbers. A marked line with a number alone is a text that begins so.
fn numbered(lines: &[ScreenLine<'_>], marked: usize) -> Option<ScreenMenu> {
    let first = lines.get(marked)?;
    let mut entries = vec![first.entry()];
    let mut number = first.number?;
    let mut place = marked;
    while let Some(at) = (place.saturating_sub(MOST_BETWEEN + 1)..place).rev().find(|at| {
        lines
            .get(*at)
            .is_some_and(|line| line.is_entry(number.checked_sub(1)))
    }) {
        entries.insert(0, lines.get(at)?.entry());
        (place, number) = (at, number - 1);
    }
    let (above, row) = (entries.len() - 1, place);
    (place, number) = (marked, first.number?);
    while let Some(at) = (place + 1..place + 2 + MOST_BETWEEN).find(|at| {
        lines
            .get(*at)
            .is_some_and(|line| line.is_entry(number.checked_add(1)))
    }) {
        entries.push(lines.get(at)?.entry());
        (place, number) = (at, number + 1);
    }
    (entries.len() > 1).then_some(ScreenMenu {
        entries,
        marked: Some(above),
        is_in_row: false,
        row,
    })
}

/// Reads a menu whose entries are below each other without numbers, over a line that says how to answer it.
fn listed(lines: &[ScreenLine<'_>], marked: usize) -> Option<ScreenMenu> {
    let below = lines.iter().skip(marked + 1).take(MOST_BELOW);
    below
        .clone()
        .any(ScreenLine::says_how)
        .then(|| beside(lines, marked))?
}

/// Reads a menu of a yes and a no without numbers at the end of the screen, with nothing that says how to answer it.
fn yes_or_no(lines: &[ScreenLine<'_>], marked: usize) -> Option<ScreenMenu> {
    let menu = beside(lines, marked)?;
    let says = |words: &[&str]| {
        let mut labels = menu.entries.iter().map(|entry| entry.label.to_lowercase());
        labels.any(|label| begins(&label, words))
    };
    let mut rest = lines.iter().skip(menu.row + menu.entries.len());
    let is_whole = says(&["yes"]) && says(&["no"]) && rest.all(ScreenLine::is_blank);
    is_whole.then_some(menu)
}

/// Returns the entries around the marked line: the lines at its column without one between that says nothing.
fn beside(lines: &[ScreenLine<'_>], marked: usize) -> Option<ScreenMenu> {
    let first = lines.get(marked).filter(|line| !line.label.is_empty())?;
    let below = lines.iter().skip(marked + 1).take(MOST_BELOW);
    let is_entry =
        |line: &&ScreenLine<'_>| line.column == first.column && !line.is_blank() && !line.says_how();
    let above = lines
        .get(..marked)
        .unwrap_or_default()
        .iter()
        .rev()
        .take_while(is_entry);
    let mut entries: Vec<MenuEntry> = above.map(ScreenLine::entry).collect();
    entries.reverse();
    let place = entries.len();
    entries.push(first.entry());
    entries.extend(below.take_while(is_entry).map(ScreenLine::entry));
    Some(ScreenMenu {
        entries,
        marked: Some(place),
        is_in_row: false,
        row: marked - place,
    })
}

/// Reads a screen that ends with a line that says how to answer, below all marked lines: no sign shows which entry is marked.
fn bare(lines: &[ScreenLine<'_>], marked: Option<usize>) -> Option<ScreenMenu> {
    let last = lines.iter().rposition(|line| !line.is_blank())?;
    let how = lines.get(last).filter(|line| line.says_how())?;
    let is_typed_in =
        marked.is_some_and(|marked| lines.get(marked).is_some_and(|line| line.label.is_empty()));
    (!how.is_marked && !is_typed_in).then_some(ScreenMenu {
        entries: Vec::new(),
        marked: None,
        is_in_row: false,
        row: last,
    })
}

/// Reads entries beside each other: in front of the hints that say how to answer, or in the line above these. A sign stands before the
/// marked one.
fn in_row(lines: &[ScreenLine<'_>]) -> Option<ScreenMenu> {
    let row = row_of_entries(lines.iter().map(|line| line.label))?;
    let line = lines.get(row)?;
    let parts = entries_in(line.label);
    let marked = parts.iter().position(|part| part.starts_with(MARKS));
    let entry = |part: &&str| MenuEntry {
        number: None,
        label: part.trim_start_matches(MARKS).trim().to_owned(),
    };
    Some(ScreenMenu {
        entries: parts.iter().map(entry).collect(),
        marked: marked.or(line.is_marked.then_some(0)),
        is_in_row: true,
        row,
    })
}

/// Returns the row of a screen with entries beside each other: its last line says that a key moves a mark sideways, and another one takes
/// an entry.
pub fn row_of_entries<'a>(lines: impl Iterator<Item = &'a str>) -> Option<usize> {
    let is_said = |(_, line): &(usize, &str)| line.chars().any(char::is_alphanumeric);
    let said: Vec<(usize, &str)> = lines.enumerate().filter(is_said).collect();
    let mut lowest = said.into_iter().rev();
    let (last, hints) = lowest.next().filter(|(_, line)| {
        let line = line.to_lowercase();
        line.contains(SIDEWAYS) && WAYS.iter().any(|way| line.contains(way))
    })?;
    let rows = [
        Some((last, hints)),
        lowest.next().filter(|(row, _)| last - row <= MOST_ABOVE_HINTS),
    ];
    let mut rows = rows.into_iter().flatten();
    rows.find(|(_, line)| entries_in(line).len() > 1)
        .map(|(row, _)| row)
}

/// Returns the parts of a line in front of its hints.
fn entries_in(line: &str) -> Vec<&str> {
    let is_entry = |part: &&str| !HINTS.iter().any(|hint| part.to_lowercase().starts_with(hint));
    let is_around = |c: char| c.is_whitespace() || matches!(c, '│' | '┃' | '║' | '|');
    let parts = line.trim_matches(is_around).split("  ").map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .take_while(is_entry)
        .collect()
}

/// Reads entries with numbers from 1 on above a last line that says how to answer, with nothing but explanations between.
fn numbered_above(lines: &[ScreenLine<'_>]) -> Option<ScreenMenu> {
    let how = lines.iter().rposition(|line| !line.is_blank())?;
    lines.get(how).filter(|line| line.says_how())?;
    let mut entries: Vec<MenuEntry> = Vec::new();
    let mut place = how;
    while entries.first().is_none_or(|first| first.number != Some(1)) {
        let wanted = entries.first().and_then(|first| first.number?.checked_sub(1));
        let mut above = (place.saturating_sub(MOST_BETWEEN + 1)..place).rev();
        place = above.find(|at| {
            let line = lines.get(*at);
            line.is_some_and(|line| {
                line.number.is_some() && wanted.is_none_or(|number| line.is_entry(Some(number)))
            })
        })?;
        entries.insert(0, lines.get(place)?.entry());
    }
    Some(ScreenMenu {
        entries,
        marked: None,
        is_in_row: false,
        row: place,
    })
}

/// Returns true where a label begins with one of these words.
fn begins(label: &str, words: &[&str]) -> bool {
    let rests = words.iter().filter_map(|word| label.strip_prefix(*word));
    rests
        .into_iter()
        .any(|rest| !rest.starts_with(char::is_alphanumeric))
}
