//! Dice with a seed (splitmix64): small, fast, and the same on every machine.

/// Sequence of random numbers decided by its seed.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def0)
    }

    pub(super) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from `least` to `most`, both included.
    pub(super) fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.roll() % (most - least + 1)
    }

    /// Returns true in `percent` of a hundred cases.
    pub(super) fn percent(&mut self, percent: u64) -> bool {
        self.roll() % 100 < percent
    }

    /// Returns one of the elements.
    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let n = u64::try_from(of.len()).unwrap_or(0).max(1);
        of.get(usize::try_from(self.roll() % n).unwrap_or(0))
    }
}
