//! Rows that changed, with the time of the change, so that each of several clients draws only what is new to it. Must not forget a change:
//! a row too many costs a little, a row too few shows old text.

use crate::emulator::Damage;

/// The time of the last change of each row, so that clients draw only what changed.
#[derive(Default)]
pub(super) struct RowChanges {
    last: u64,
    rows: Vec<u64>,
    is_inverse: bool,
}

impl RowChanges {
    /// Returns the damage; all of the screen after reverse video was switched, which no emulator counts as damage.
    pub(super) fn all_if_inverted(&mut self, is_inverse: bool, damage: Damage) -> Damage {
        if std::mem::replace(&mut self.is_inverse, is_inverse) == is_inverse {
            damage
        } else {
            Damage::All
        }
    }

    /// Records the damage of a screen of `rows` rows.
    pub(super) fn note(&mut self, damage: &Damage, rows: u16) {
        let rows = usize::from(rows);
        let damaged = match damage {
            Damage::Rows(damaged) if self.rows.len() == rows => damaged.as_slice(),
            Damage::Rows(_) | Damage::All => {
                self.last += 1;
                self.rows.clear();
                return self.rows.resize(rows, self.last);
            }
        };
        if !damaged.is_empty() {
            self.last += 1;
        }
        for row in damaged {
            if let Some(changed) = self.rows.get_mut(usize::from(*row)) {
                *changed = self.last;
            }
        }
    }

    /// Returns the rows that changed after `seen`, and the `seen` of the next call.
    pub(super) fn since(&self, seen: u64) -> (u64, Vec<u16>) {
        let changed = (0u16..).zip(&self.rows).filter(|(_, at)| **at > seen);
        (self.last, changed.map(|(row, _)| row).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_gets_every_row_that_is_new_to_it_once() {
        let mut changes = RowChanges::default();
        changes.note(&Damage::Rows(Vec::new()), 3);
        let (first, rows) = changes.since(0);
        assert_eq!(rows, [0, 1, 2], "a reader that has seen nothing needs everything");
        changes.note(&Damage::Rows(vec![1]), 3);
        let (second, rows) = changes.since(first);
        assert_eq!(rows, [1]);
        changes.note(&Damage::Rows(vec![2]), 3);
        assert_eq!(changes.since(first).1, [1, 2], "a slower client gets both");
        assert_eq!(changes.since(second).1, [2]);
        changes.note(&Damage::Rows(Vec::new()), 3);
        let (third, _) = changes.since(second);
        assert_eq!(changes.since(third), (third, Vec::new()));
    }

    #[test]
    fn another_height_is_all_new() {
        let mut changes = RowChanges::default();
        changes.note(&Damage::All, 3);
        let (seen, _) = changes.since(0);
        changes.note(&Damage::Rows(Vec::new()), 2);
        assert_eq!(changes.since(seen).1, [0, 1]);
        let (seen, _) = changes.since(0);
        changes.note(&Damage::All, 2);
        assert_eq!(changes.since(seen).1, [0, 1]);
    }
}
