//! The cuts between the bytes of a program must make no difference: neither in a recorded session nor in random ones with size changes down
//! to the smallest size.

use crate::prompts::prompts;
use crate::properties::{State, first_difference, history, long_step, state};
use crate::random::Random;
use dbs::term::{EmulatorKind, Size, TermEvent, Terminal};

/// Number of random sessions in each run; `DBS_CUT_SESSIONS` sets another number, `DBS_CUT_SEED` another first seed.
const SESSIONS: u64 = 150;

#[expect(
    clippy::disallowed_methods,
    reason = "who runs the tests says how long they search"
)]
fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// Plays a session whole and in pieces; returns the difference, if there is one.
fn difference(seed: u64) -> Option<String> {
    let random = &mut Random::new(seed);
    let (mut one, mut many) = (fresh(), fresh());
    for part in 0..6 {
        let bytes: Vec<u8> = (0..20).flat_map(|_| long_step(random)).collect();
        if one.feed(0, &bytes).contains(&TermEvent::EmulatorRebuilt) {
            // The loss after a panic depends on where the bytes were cut.
            return None;
        }
        in_pieces(random, &bytes, &mut many);
        let size = match random.below(5) {
            0 => Size::new(1, 1),
            1 => Size::new(2, 2),
            _ => Size::new(1 + random.below(30) as u16, 1 + random.below(12) as u16),
        };
        one.resize(size);
        many.resize(size);
        if let Some(found) = unlike(&mut one, &mut many) {
            return Some(format!("seed {seed}, part {part}, {size:?}: {found}"));
        }
    }
    one.show_last_full_screen();
    many.show_last_full_screen();
    unlike(&mut one, &mut many).map(|found| format!("seed {seed}, after the end: {found}"))
}

fn fresh() -> Terminal {
    Terminal::new(EmulatorKind::Rio, Size::new(12, 6), 4000)
}

/// Feeds single bytes or pieces of random length.
fn in_pieces(random: &mut Random, bytes: &[u8], terminal: &mut Terminal) {
    let longest = *random.pick(&[1, 3, 17, 200]);
    let mut rest = bytes;
    while !rest.is_empty() {
        let at = 1 + usize::try_from(random.below(longest)).unwrap();
        let (piece, later) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        terminal.feed(0, piece);
        rest = later;
    }
}

fn unlike(one: &mut Terminal, many: &mut Terminal) -> Option<String> {
    let (whole, pieces): (State, State) = (state(one, Vec::new()), state(many, Vec::new()));
    if whole != pieces {
        return Some(format!("the screens are\n{whole:?}\n{pieces:?}"));
    }
    if prompts(one) != prompts(many) {
        return Some(format!(
            "the prompts are\n{:?}\n{:?}",
            prompts(one),
            prompts(many)
        ));
    }
    let (whole, pieces) = (history(one), history(many));
    let lengths = (whole.len() != pieces.len())
        .then(|| format!("{} and {} lines above the screen", whole.len(), pieces.len()));
    first_difference(&whole, &pieces).or(lengths)
}

/// Only for the default emulator: the other one does not rewrap its lines.
#[test]
fn random_sessions_with_resizes_down_to_one_cell_are_the_same_however_they_were_cut() {
    let first = number("DBS_CUT_SEED", 1);
    let found: Vec<String> = (first..first + number("DBS_CUT_SESSIONS", SESSIONS))
        .filter_map(difference)
        .take(3)
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn recorded_agents_are_the_same_however_they_were_cut() {
    let folder: std::path::PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "term", "casts"]
        .iter()
        .collect();
    let mut played = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let content = std::fs::read_to_string(&path).unwrap();
        let random = &mut Random::new(7);
        let (mut one, mut many) = (fresh(), fresh());
        for event in content
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        {
            let Some(text) = event[2].as_str() else { continue };
            match event[1].as_str() {
                Some("o") => {
                    one.feed(0, text.as_bytes());
                    in_pieces(random, text.as_bytes(), &mut many);
                }
                Some("r") => {
                    let (cols, rows) = text.split_once('x').unwrap();
                    let size = Size::new(cols.parse().unwrap(), rows.parse().unwrap());
                    one.resize(size);
                    many.resize(size);
                }
                _ => {}
            }
        }
        played += 1;
        let found = unlike(&mut one, &mut many);
        assert!(found.is_none(), "{}: {}", path.display(), found.unwrap());
    }
    assert!(played >= 7);
}
