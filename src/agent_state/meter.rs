//! What an agent used of its model, and how full its context is. The rules:
//!
//! 1. A request to the model is counted once for each id; a later figure of the same id replaces the earlier one where it is higher.
//! 2. Totals are cumulative, over turns and resumed sessions: they replace what was counted until then and are never added. A total
//!    below the known one came late and is ignored.
//! 3. The fill of the context is what the last request of the main thread sent and received, never a sum.
//! 4. Figures of subagents must not be given to the meter; totals contain them.

use std::collections::VecDeque;
use std::ops::Add;

/// Requests remembered by id since the last total; older ones stay counted and can no longer change.
const MOST_REQUESTS: usize = 64;

/// Tokens by how they were sent or received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// Sent, neither read from nor written to a cache.
    pub input: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    pub output: u64,
}

/// Money in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cost(pub u64);

/// Figures of one report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Figures {
    /// One request of the main thread.
    Request { id: String, tokens: Tokens },
    /// Everything used by the session so far, earlier turns and processes included; a part that is not reported is none.
    Total {
        tokens: Option<Tokens>,
        cost: Option<Cost>,
    },
    /// How much of the context is used now, and its size; a part that is not reported is none.
    Context { used: Option<u64>, window: Option<u64> },
}

/// What an agent has used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub tokens: Tokens,
    /// None when its tool reports no cost.
    pub cost: Option<Cost>,
}

/// How full an agent's context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextFill {
    pub used: u64,
    /// None when its tool does not say how much there is room for.
    pub window: Option<u64>,
}

/// Adds up the figures of one session, one report after the other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Meter {
    total: Tokens,
    cost: Option<Cost>,
    /// Requests since the last total that can no longer change.
    settled: Tokens,
    recent: VecDeque<(String, Tokens)>,
    used: Option<u64>,
    window: Option<u64>,
}

impl Tokens {
    /// All of them.
    pub fn sum(self) -> u64 {
        let parts = [self.input, self.cache_read, self.cache_write, self.output];
        parts.into_iter().fold(0, u64::saturating_add)
    }

    /// The higher of each figure.
    #[must_use]
    fn highest(self, other: Tokens) -> Tokens {
        Tokens {
            input: self.input.max(other.input),
            cache_read: self.cache_read.max(other.cache_read),
            cache_write: self.cache_write.max(other.cache_write),
            output: self.output.max(other.output),
        }
    }

    fn without(self, other: Tokens) -> Tokens {
        Tokens {
            input: self.input.saturating_sub(other.input),
            cache_read: self.cache_read.saturating_sub(other.cache_read),
            cache_write: self.cache_write.saturating_sub(other.cache_write),
            output: self.output.saturating_sub(other.output),
        }
    }
}

impl Add for Tokens {
    type Output = Tokens;

    fn add(self, other: Tokens) -> Tokens {
        Tokens {
            input: self.input.saturating_add(other.input),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            output: self.output.saturating_add(other.output),
        }
    }
}

impl Cost {
    /// An amount that a tool wrote as a decimal number of dollars; none for what cannot be an amount.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a number from 0 to a billion dollars"
    )]
    pub fn of_dollars(dollars: f64) -> Option<Cost> {
        (0.0..=1e9)
            .contains(&dollars)
            .then(|| Cost((dollars * 1e6).round() as u64))
    }
}

impl Usage {
    /// What was used since an earlier point of the same session, as for an attempt that resumed or forked it.
    #[must_use]
    pub fn since(self, earlier: Usage) -> Usage {
        let before = earlier.cost.unwrap_or_default().0;
        Usage {
            tokens: self.tokens.without(earlier.tokens),
            cost: self.cost.map(|cost| Cost(cost.0.saturating_sub(before))),
        }
    }
}

impl ContextFill {
    /// How much of the window is used, in percent, more than 100 when it is overfull; none without a window.
    pub fn percent(self) -> Option<u64> {
        let window = self.window.filter(|window| *window > 0)?;
        Some(self.used.saturating_mul(100) / window)
    }
}

impl Meter {
    /// Takes the figures of one report.
    pub fn count(&mut self, figures: &Figures) {
        match figures {
            Figures::Request { id, tokens } => self.count_request(id, *tokens),
            Figures::Total { tokens, cost } => {
                self.cost = self.cost.max(*cost);
                if let Some(tokens) = tokens.filter(|tokens| tokens.sum() >= self.total.sum()) {
                    self.total = tokens;
                    self.settled = Tokens::default();
                    self.recent.clear();
                }
            }
            Figures::Context { used, window } => {
                self.used = used.or(self.used);
                self.window = window.or(self.window);
            }
        }
    }

    /// What was used so far.
    pub fn usage(&self) -> Usage {
        let recent = self.recent.iter().map(|(_, tokens)| *tokens);
        Usage {
            tokens: recent.fold(self.total + self.settled, Add::add),
            cost: self.cost,
        }
    }

    /// How full the context is; none before the first request.
    pub fn context(&self) -> Option<ContextFill> {
        let used = self.used?;
        Some(ContextFill {
            used,
            window: self.window,
        })
    }

    fn count_request(&mut self, id: &str, tokens: Tokens) {
        let known = self.recent.iter_mut().find(|(known, _)| known == id);
        let counted = if let Some((_, known)) = known {
            *known = known.highest(tokens);
            *known
        } else {
            self.recent.push_back((id.to_owned(), tokens));
            tokens
        };
        let is_last = self.recent.back().is_some_and(|(last, _)| last == id);
        if is_last {
            self.used = Some(counted.sum());
        }
        if self.recent.len() > MOST_REQUESTS
            && let Some((_, oldest)) = self.recent.pop_front()
        {
            self.settled = self.settled + oldest;
        }
    }
}
