//! Usage of models by agents: tokens, money, and the fill level of a context.

use std::fmt;
use std::ops::Add;

use serde::{Deserialize, Serialize};

use super::id::{RoleId, StageId};
use super::time::{Span, Timestamp};

/// Tokens by how they were sent or received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// Tokens sent, neither read from nor written to a cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub input: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_read: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub output: u64,
}

/// Money in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Cost(pub u64);

/// Usage of an agent so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    #[serde(default)]
    pub tokens: Tokens,
    /// Cost; `None` if the agent's tool reports none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// Fill level of an agent's context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextFill {
    pub used: u64,
    /// Size of the context; `None` if the agent's tool does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// Number of the agent's tool calls, if nothing else is known of the context; then `used` is an estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u32>,
}

/// Usage of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AttemptUsage {
    /// Usage of the attempt's session, as its tool last reported it.
    #[serde(default, skip_serializing_if = "Usage::is_none")]
    pub session: Usage,
    /// Part of it used by the earlier attempt whose session this one continues.
    #[serde(default, skip_serializing_if = "Usage::is_none")]
    pub earlier: Usage,
    /// Last known fill level of the context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextFill>,
}

impl AttemptUsage {
    /// Returns true if nothing is known.
    pub fn is_none(&self) -> bool {
        *self == AttemptUsage::default()
    }

    /// Returns the fill level of the context and the cost, in a few words; the tokens if the tool reports no cost, and `None` if nothing is
    /// known.
    pub fn summary(&self) -> Option<String> {
        let fill = self.context.and_then(ContextFill::percent);
        let own = self.own();
        let tokens = (own.tokens.sum() > 0).then(|| own.tokens.in_short());
        let parts = [
            fill.map(|percent| format!("context {percent} %")),
            own.cost.map(|cost| cost.to_string()).or(tokens),
        ];
        let known: Vec<String> = parts.into_iter().flatten().collect();
        (!known.is_empty()).then(|| known.join(" · "))
    }

    /// Returns the usage of the attempt itself.
    pub fn own(&self) -> Usage {
        self.session.since(self.earlier)
    }
}

/// Usage of a task's agents on one day at one stage in one role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spending {
    /// Days since the beginning of 1970, in UTC.
    pub day: u64,
    pub stage: StageId,
    pub role: RoleId,
    pub usage: Usage,
}

impl Spending {
    /// Returns the number of the day that contains that moment.
    pub fn day_of(at: Timestamp) -> u64 {
        at.0 / DAY.0
    }

    /// Returns the beginning of a day.
    pub fn beginning_of(day: u64) -> Timestamp {
        Timestamp(day.saturating_mul(DAY.0))
    }
}

/// Length of a day.
const DAY: Span = Span::minutes(24 * 60);

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Tokens {
    /// Returns the number of all tokens.
    pub fn sum(self) -> u64 {
        let parts = [self.input, self.cache_read, self.cache_write, self.output];
        parts.into_iter().fold(0, u64::saturating_add)
    }

    /// Formats the number of tokens, in thousands from 10,000 on.
    pub fn in_short(self) -> String {
        match self.sum() {
            few @ 0..10_000 => format!("{few} tokens"),
            many => format!("{}k tokens", many / 1000),
        }
    }

    /// Returns the higher of each figure.
    #[must_use]
    pub fn highest(self, other: Tokens) -> Tokens {
        Tokens {
            input: self.input.max(other.input),
            cache_read: self.cache_read.max(other.cache_read),
            cache_write: self.cache_write.max(other.cache_write),
            output: self.output.max(other.output),
        }
    }

    /// Returns the tokens less those of `other`, each figure at least 0.
    #[must_use]
    pub fn without(self, other: Tokens) -> Tokens {
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
    /// Returns true if the cost is zero.
    pub fn is_none(&self) -> bool {
        *self == Cost::default()
    }

    /// Returns the cost less `other`, at least 0.
    #[must_use]
    pub fn without(self, other: Cost) -> Cost {
        Cost(self.0.saturating_sub(other.0))
    }

    /// Converts an amount that a tool wrote as a decimal number of dollars; `None` for a number that cannot be an amount.
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

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Cost {
    /// Formats dollars with two digits of cents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cents = self.0.saturating_add(5_000) / 10_000;
        write!(f, "${}.{:02}", cents / 100, cents % 100)
    }
}

impl Usage {
    /// Returns true if nothing was used, as far as is known.
    pub fn is_none(&self) -> bool {
        *self == Usage::default()
    }

    /// Returns the higher of each figure.
    #[must_use]
    pub fn highest(self, other: Usage) -> Usage {
        Usage {
            tokens: self.tokens.highest(other.tokens),
            cost: self.cost.max(other.cost),
        }
    }

    /// Returns the usage since an earlier point of the same session, as for an attempt that resumed or forked it.
    #[must_use]
    pub fn since(self, earlier: Usage) -> Usage {
        let before = earlier.cost.unwrap_or_default();
        Usage {
            tokens: self.tokens.without(earlier.tokens),
            cost: self.cost.map(|cost| cost.without(before)),
        }
    }
}

impl Add for Usage {
    type Output = Usage;

    fn add(self, other: Usage) -> Usage {
        let cost = match (self.cost, other.cost) {
            (Some(own), Some(other)) => Some(own + other),
            (own, other) => own.or(other),
        };
        Usage {
            tokens: self.tokens + other.tokens,
            cost,
        }
    }
}

impl ContextFill {
    /// Returns the used part of the window in percent, more than 100 if it is overfull; `None` without a window.
    pub fn percent(self) -> Option<u64> {
        let window = self.window.filter(|window| *window > 0)?;
        Some(self.used.saturating_mul(100) / window)
    }
}
