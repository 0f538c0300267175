//! Model usage of an agent, and the fill of its context. The rules:
//!
//! 1. A request to the model is counted once for each id; a later figure of the same id replaces the earlier one where it is higher.
//! 2. Totals are cumulative, over turns and resumed sessions: they replace what was counted until then and are never added. A total
//!    below the known one came late and is ignored.
//! 3. The fill of the context is what the last request of the main thread sent and received, never a sum.
//! 4. Figures of subagents must not be given to the meter; totals contain them.
//! 5. Calls of tools are counted once for each id. They stand for the fill of the context only of a tool that never reports one.

use std::collections::VecDeque;
use std::ops::Add;

use crate::domain::{ContextFill, Cost, Tokens, Usage};

/// Requests remembered by id since the last total; older ones stay counted and can no longer change. As many calls of tools are remembered.
const MOST_REQUESTS: usize = 64;

/// Figures of one report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Figures {
    /// Request of the main thread.
    Request { id: String, tokens: Tokens },
    /// Usage of the session so far, earlier turns and processes included; a part that is not reported is none.
    Total {
        tokens: Option<Tokens>,
        cost: Option<Cost>,
    },
    /// Used part of the context, and its size; a part that is not reported is none.
    Context { used: Option<u64>, window: Option<u64> },
    /// Call of a tool.
    ToolCall { id: String },
    /// Model that answered.
    Model(String),
    /// Number of calls of tools so far, as it was counted where each is seen.
    ToolCalls(u32),
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
    /// True if the fill of the context was reported at any time.
    reports_fill: bool,
    /// Calls that were counted here, one by one; and their number as it was counted elsewhere, which contains them.
    calls: u32,
    calls_elsewhere: u32,
    recent_calls: VecDeque<String>,
    model: Option<String>,
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
            Figures::ToolCall { id } => self.count_call(id),
            Figures::Model(model) => self.model = Some(model.clone()),
            Figures::ToolCalls(calls) => self.calls_elsewhere = self.calls_elsewhere.max(*calls),
        }
        self.reports_fill |= self.used.is_some();
    }

    fn count_call(&mut self, id: &str) {
        if !self.recent_calls.iter().any(|known| known == id) {
            self.calls = self.calls.saturating_add(1);
            self.recent_calls.push_back(id.to_owned());
        }
        if self.recent_calls.len() > MOST_REQUESTS {
            self.recent_calls.pop_front();
        }
    }

    /// Returns the model that answered last, if any was reported.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// Returns the usage so far.
    pub fn usage(&self) -> Usage {
        let recent = self.recent.iter().map(|(_, tokens)| *tokens);
        Usage {
            tokens: recent.fold(self.total + self.settled, Add::add),
            cost: self.cost,
        }
    }

    /// Returns the fill of the context; for a tool that never reports it the number of its calls. `None` before the first of either.
    pub fn context(&self) -> Option<ContextFill> {
        let calls = self.calls.max(self.calls_elsewhere);
        let calls = Some(calls).filter(|calls| *calls > 0 && !self.reports_fill);
        self.used.or(calls.map(|_| 0)).map(|used| ContextFill {
            used,
            window: self.window,
            tool_calls: calls,
        })
    }

    /// Forgets the fill of the context, because the tool has shortened it.
    pub fn forget_fill(&mut self) {
        self.used = None;
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
