//! Faults of the simulated world. Every seed allows a random part of them: a swarm of different bad days finds more than one day on which
//! everything goes wrong at once.

use super::dice::Dice;

/// Frequency of each fault in percent; 0 is never.
#[derive(Debug, Clone, Default)]
pub(super) struct Faults {
    /// A workspace or process cannot be made.
    pub(super) start: u64,
    /// An inspection of the world gives no answer.
    pub(super) unknown: u64,
    /// An answer leaves pieces of evidence out.
    pub(super) missing: u64,
    /// A gate fails, a merge conflicts, a check finds something.
    pub(super) gates: u64,
    /// An agent says done although it did nothing.
    pub(super) empty: u64,
    /// An agent ends without a signal.
    pub(super) crash: u64,
    /// An agent never ends by itself.
    pub(super) hang: u64,
    /// An agent rejects, blocks or gives up.
    pub(super) refuse: u64,
    /// An agent sends signals that are not allowed, twice, or too late.
    pub(super) babble: u64,
    /// A tool names a usage limit or a login as the cause of its end.
    pub(super) named: u64,
    /// A workspace cannot be put away.
    pub(super) settle: u64,
    /// Stopping an agent has no effect.
    pub(super) stop: u64,
    /// An agent that may only read changes files.
    pub(super) cheat: u64,
    /// The engine dies between two events.
    pub(super) engine: u64,
    /// The clock is set, or is far ahead after the machine slept.
    pub(super) clock: u64,
    /// The machine restarts: all agents are gone at once.
    pub(super) machine: u64,
    /// Something outside refuses permanently: a protected branch, a hook of the remote, a base that does not exist.
    pub(super) refusal: u64,
    /// A holder or git never answers again.
    pub(super) forever: u64,
    /// A person meddles between two events.
    pub(super) people: u64,
    /// An agent's tool asks something, or shows an ask in the terminal.
    pub(super) asks: u64,
    /// A reply is lost on its way to the tool, an answer cannot be typed, or an ask is answered in the terminal.
    pub(super) replies: u64,
}

impl Faults {
    /// Returns a random part of all faults, each with its own frequency.
    pub(super) fn swarm(dice: &mut Dice) -> Faults {
        let mut some = |most: u64| {
            if dice.percent(40) {
                dice.between(1, most)
            } else {
                0
            }
        };
        Faults {
            start: some(50),
            unknown: some(60),
            missing: some(30),
            gates: some(60),
            empty: some(40),
            crash: some(50),
            hang: some(100).max(4),
            refuse: some(50),
            babble: some(50),
            named: some(20),
            settle: some(50),
            stop: some(60),
            cheat: some(30),
            engine: some(10),
            clock: some(10),
            people: some(10),
            machine: some(6),
            refusal: some(40),
            forever: some(20),
            asks: some(60),
            replies: some(30),
        }
    }
}
