//! Jump labels: one or two letters at everything that can be clicked; typing them goes there.

use crate::term::keys::Key;
use ratatui::layout::Rect;

use super::UpdateContext;
use crate::keymap::Chord;
use crate::ui::state::{JumpLabel, JumpLabels, Overlay};
use crate::ui::views::ClickTarget;

/// Letters of labels, those of the home row first.
const LETTERS: &str = "asdfghjklqwertyuiopzxcvbnm";

impl UpdateContext<'_, '_> {
    pub(super) fn begin_jump(&mut self) {
        let places: Vec<(Rect, ClickTarget)> = self
            .drawn_targets()
            .into_iter()
            .filter(|(area, hit)| {
                !area.is_empty()
                    && !matches!(
                        hit,
                        ClickTarget::Overlay
                            | ClickTarget::MenuItem(_)
                            | ClickTarget::Action(_)
                            | ClickTarget::Keys(_)
                    )
            })
            .collect();
        let labels = labels(places.len());
        let targets = places.into_iter().zip(labels);
        let targets = targets.map(|((area, hit), label)| JumpLabel { area, hit, label });
        self.state.overlay = Some(Overlay::Jump(JumpLabels {
            typed: String::new(),
            targets: targets.collect(),
        }));
    }

    pub(super) fn jump_key(&mut self, mut jump: JumpLabels, chord: Chord) -> Option<Overlay> {
        match (chord.typed_char(), chord.code()) {
            (_, Key::Backspace) => {
                jump.typed.pop();
            }
            (Some(letter), _) => jump.typed.push(letter),
            _ => return None,
        }
        let mut fits = jump
            .targets
            .iter()
            .filter(|target| target.label.starts_with(&jump.typed));
        match (fits.next(), fits.next()) {
            (None, _) => {
                // The labels are gone; a letter without a label has no meaning.
                None
            }
            (Some(only), None) if only.label == jump.typed => {
                let hit = only.hit.clone();
                let layout = self.arranged();
                self.activate(hit, &layout);
                self.state.overlay.take()
            }
            _ => Some(Overlay::Jump(jump)),
        }
    }
}

/// Returns `count` labels, none the beginning of another.
fn labels(count: usize) -> Vec<String> {
    let letters: Vec<char> = LETTERS.chars().collect();
    let all = letters.len();
    // The smallest number of first letters for two-letter labels that makes enough labels together with the single ones.
    let pairs = (0..=all)
        .find(|pairs| (all - pairs) + pairs * all >= count)
        .unwrap_or(all);
    let singles = letters.iter().take(all - pairs).map(ToString::to_string);
    let heads = letters.iter().skip(all - pairs);
    let doubles = heads.flat_map(|head| letters.iter().map(move |tail| format!("{head}{tail}")));
    singles.chain(doubles).take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_label_is_the_beginning_of_another() {
        for count in [1, 26, 27, 60, 300, 676] {
            let labels = labels(count);
            assert_eq!(labels.len(), count);
            for one in &labels {
                let same = labels
                    .iter()
                    .filter(|other| other.starts_with(one.as_str()))
                    .count();
                assert_eq!(same, 1, "{one} of {count}");
            }
        }
    }
}
