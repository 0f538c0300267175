//! Parts of a frame: a row, the rows with some text, a box by its title. A test names the part it is about and compares it whole.

use unicode_width::UnicodeWidthStr;

use crate::fixture::Dashboard;

/// Signs where a box begins; its upper line ends or branches at those of `ENDS`.
const BEGINS: &str = "┌├┬┼";
const ENDS: &str = "┐┬┤┼";
/// Signs that end the left line of a box.
const BELOW: &str = "└├┴┼";

impl Dashboard {
    /// The row at that place, without trailing space.
    pub(crate) fn row(&self, at: usize) -> String {
        self.text().lines().nth(at).unwrap_or_default().to_owned()
    }

    /// The last row, which has the mode and the hints.
    pub(crate) fn last_row(&self) -> String {
        self.text().lines().last().unwrap_or_default().to_owned()
    }

    /// The rows with that part.
    pub(crate) fn rows_with(&self, part: &str) -> Vec<String> {
        let text = self.text();
        let rows = text.lines().filter(|row| row.contains(part));
        rows.map(str::to_owned).collect()
    }

    /// The box or pane whose title begins so: its title, then its rows without the lines around them and without trailing space.
    #[track_caller]
    pub(crate) fn boxed(&self, title: &str) -> Vec<String> {
        let text = self.text();
        let rows: Vec<Vec<&str>> = text.lines().map(columns).collect();
        let start = format!("─ {title}");
        let corner = rows.iter().enumerate().find_map(|(y, row)| {
            let begins = |x: &usize| is_one_of(row[*x], BEGINS) && row[*x + 1..].concat().starts_with(&start);
            (0..row.len()).find(begins).map(|x| (x, y))
        });
        assert!(corner.is_some(), "no box {title}:\n{text}");
        let (left, top) = corner.unwrap_or_default();
        let inner = |row: &[&str], right: usize| {
            let row: String = row.iter().take(right).skip(left + 1).copied().collect();
            row.trim_end().to_owned()
        };
        let right = (left + 1..rows[top].len()).find(|x| is_one_of(rows[top][*x], ENDS));
        assert!(right.is_some(), "the box {title} is open:\n{text}");
        let right = right.unwrap_or_default();
        let below = rows[top + 1..].iter();
        let within = below.take_while(|row| row.get(left).is_some_and(|cell| !is_one_of(cell, BELOW)));
        let mut all = vec![inner(&rows[top], right).trim_matches(['─', ' ']).to_owned()];
        all.extend(within.map(|row| inner(row, right)));
        let used = all
            .iter()
            .rposition(|row| !row.is_empty())
            .map_or(0, |last| last + 1);
        all.truncate(used);
        all
    }

    /// The words of a box or pane, separated by single spaces, independent of its line breaks.
    #[track_caller]
    pub(crate) fn words(&self, title: &str) -> String {
        let rows = self.boxed(title).join(" ");
        rows.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn is_one_of(cell: &str, signs: &str) -> bool {
    !cell.is_empty() && signs.contains(cell)
}

/// The cells of a row; the second half of a wide character is empty.
fn columns(row: &str) -> Vec<&str> {
    let mut cells = Vec::new();
    for cell in unicode_segmentation::UnicodeSegmentation::graphemes(row, true) {
        cells.push(cell);
        cells.extend((1..cell.width()).map(|_| ""));
    }
    cells
}
