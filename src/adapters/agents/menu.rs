//! The menu that an agent's screen shows: the entries of a dialog, a permission or a question, and the one that Enter would take. Knows
//! the looks that the tools share and no tool in particular.

/// Signs before the marked entry.
const MARKS: [char; 8] = ['❯', '›', '>', '●', '▶', '▸', '→', '◉'];
/// Words of the line below a menu that say how to answer it.
const WAYS: [&str; 4] = [
    "enter to confirm",
    "enter to continue",
    "enter to select",
    "enter to submit",
];
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
const BOXES: [&str; 5] = ["[ ]", "[x]", "☐", "☑", "◻"];

/// A menu on a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenMenu {
    /// Entries from the top; empty if they could not be told apart.
    pub entries: Vec<MenuEntry>,
    /// The place of the entry that Enter would take.
    pub marked: usize,
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
        let marked = lines.iter().rposition(|line| line.is_marked);
        let found = marked.and_then(|marked| numbered(&lines, marked).or_else(|| listed(&lines, marked)));
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
    let above = entries.len() - 1;
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
        marked: above,
    })
}

/// Reads a menu whose entries are below each other without numbers, over a line that says how to answer it.
fn listed(lines: &[ScreenLine<'_>], marked: usize) -> Option<ScreenMenu> {
    let first = lines.get(marked).filter(|line| !line.label.is_empty())?;
    let below = lines.iter().skip(marked + 1).take(MOST_BELOW);
    if !below.clone().any(ScreenLine::says_how) {
        return None;
    }
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
        marked: place,
    })
}

/// Reads a screen that ends with a line that says how to answer, below all marked lines: no sign shows which entry is marked.
fn bare(lines: &[ScreenLine<'_>], marked: Option<usize>) -> Option<ScreenMenu> {
    let last = lines.iter().rposition(|line| !line.is_blank())?;
    let is_asked = lines
        .get(last)
        .is_some_and(|line| line.says_how() && !line.is_marked);
    let is_typed_in =
        marked.is_some_and(|marked| lines.get(marked).is_some_and(|line| line.label.is_empty()));
    (is_asked && !is_typed_in).then_some(ScreenMenu {
        entries: Vec::new(),
        marked: 0,
    })
}

/// Returns true where a label begins with one of these words.
fn begins(label: &str, words: &[&str]) -> bool {
    let rests = words.iter().filter_map(|word| label.strip_prefix(*word));
    rests
        .into_iter()
        .any(|rest| !rest.starts_with(char::is_alphanumeric))
}
