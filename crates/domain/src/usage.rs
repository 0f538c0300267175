//! What agents use of their models: tokens, money, and how full a context is.

use std::fmt;
use std::ops::Add;

use serde::{Deserialize, Serialize};

use super::id::{RoleId, StageId};
use super::time::{Span, Timestamp};

/// Tokens by how they were sent or received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// Sent, neither read from nor written to a cache.
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

/// What an agent has used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    #[serde(default)]
    pub tokens: Tokens,
    /// None when its tool reports no cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// How full an agent's context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextFill {
    pub used: u64,
    /// None when its tool does not say how much there is room for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// How often it called tools, where that is all that is known of it; then `used` is an estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u32>,
}

/// What an attempt has used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AttemptUsage {
    /// What its session has used, as its tool last said.
    #[serde(default, skip_serializing_if = "Usage::is_none")]
    pub session: Usage,
    /// What of that an earlier attempt used, of which it continues the session.
    #[serde(default, skip_serializing_if = "Usage::is_none")]
    pub earlier: Usage,
    /// How full its context was last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextFill>,
}

impl AttemptUsage {
    /// Whether nothing is known.
    pub fn is_none(&self) -> bool {
        *self == AttemptUsage::default()
    }

    /// How full its context is and what it has cost, in a few words; its tokens where its tool knows no price, and none where nothing is
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

    /// What it has used itself.
    pub fn own(&self) -> Usage {
        self.session.since(self.earlier)
    }
}

/// What a task's agents used on one day at one stage in one role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spending {
    /// Days since the beginning of 1970, in UTC.
    pub day: u64,
    pub stage: StageId,
    pub role: RoleId,
    pub usage: Usage,
}

impl Spending {
    /// The number of the day that has that moment in it.
    pub fn day_of(at: Timestamp) -> u64 {
        at.0 / DAY.0
    }

    /// When a day begins.
    pub fn beginning_of(day: u64) -> Timestamp {
        Timestamp(day.saturating_mul(DAY.0))
    }
}

/// The length of a day.
const DAY: Span = Span::minutes(24 * 60);

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Tokens {
    /// All of them.
    pub fn sum(self) -> u64 {
        let parts = [self.input, self.cache_read, self.cache_write, self.output];
        parts.into_iter().fold(0, u64::saturating_add)
    }

    /// How many they are, in thousands where they are many.
    pub fn in_short(self) -> String {
        match self.sum() {
            few @ 0..10_000 => format!("{few} tokens"),
            many => format!("{}k tokens", many / 1000),
        }
    }

    /// The higher of each figure.
    #[must_use]
    pub fn highest(self, other: Tokens) -> Tokens {
        Tokens {
            input: self.input.max(other.input),
            cache_read: self.cache_read.max(other.cache_read),
            cache_write: self.cache_write.max(other.cache_write),
            output: self.output.max(other.output),
        }
    }

    /// What is left when those are taken away.
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
    /// Whether it is nothing.
    pub fn is_none(&self) -> bool {
        *self == Cost::default()
    }

    /// What is left when that is taken away.
    #[must_use]
    pub fn without(self, other: Cost) -> Cost {
        Cost(self.0.saturating_sub(other.0))
    }

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

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Cost {
    /// Dollars with two digits of cents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cents = self.0.saturating_add(5_000) / 10_000;
        write!(f, "${}.{:02}", cents / 100, cents % 100)
    }
}

impl Usage {
    /// Whether nothing was used, as far as is known.
    pub fn is_none(&self) -> bool {
        *self == Usage::default()
    }

    /// The higher of each figure.
    #[must_use]
    pub fn highest(self, other: Usage) -> Usage {
        Usage {
            tokens: self.tokens.highest(other.tokens),
            cost: self.cost.max(other.cost),
        }
    }

    /// What was used since an earlier point of the same session, as for an attempt that resumed or forked it.
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
    /// How much of the window is used, in percent, more than 100 when it is overfull; none without a window.
    pub fn percent(self) -> Option<u64> {
        let window = self.window.filter(|window| *window > 0)?;
        Some(self.used.saturating_mul(100) / window)
    }
}
