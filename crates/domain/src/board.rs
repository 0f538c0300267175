//! The board: all tasks, batches and attempts, and the one function that changes them. The rules are in `board/`, one
//! family per file; none of them reads a clock, waits, or can fail.

mod acceptance;
mod admission;
mod agent_commands;
mod agent_mode;
mod agent_names;
mod answers;
mod asks;
mod background_work;
mod base_moves;
mod batch_commands;
mod budget;
mod bulk_create;
mod cascade;
mod clock_jump;
mod commands;
mod compliance;
mod context_watch;
mod continuing;
mod deadlines;
mod deliveries;
mod engine_actions;
mod failed_turns;
mod handovers;
mod index;
mod integration;
mod invariants;
mod jobs;
mod last_turn;
mod obstacles;
mod person_wait;
mod process_end;
mod queue_order;
mod recovery;
mod redelivery;
mod retry;
mod routing;
mod rows;
mod run_options;
mod run_state;
mod scheduler;
mod settlement;
mod signal_fault;
mod signals;
mod standstill;
mod stories;
mod task_commands;
mod task_control;
mod task_rows;
mod task_text;
mod transition;
mod undo;
mod verification;
mod waiting_circles;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use index::BoardIndex;
pub use invariants::check_invariants;
pub(crate) use rows::ENGINE;
use transition::Transition;

use super::attempt::Attempt;
use super::batch::{Batch, PauseReason, UsageLimit};
use super::effect::{Effect, NoticeLevel};
use super::event::Event;
use super::id::{AttemptId, BatchId, TaskId, WorkflowId};
use super::settings::BoardSettings;
use super::signal::Signal;
use super::task::Task;
use super::time::Timestamp;
use super::workflow::Workflow;

/// All tasks, batches and attempts, and the one function that changes them. Cheap to clone: the parts are shared until one
/// changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Board {
    pub tasks: BTreeMap<TaskId, Arc<Task>>,
    /// All open attempts and the settled ones that are still of interest (the last three of each task).
    pub attempts: BTreeMap<AttemptId, Arc<Attempt>>,
    pub batches: BTreeMap<BatchId, Arc<Batch>>,
    pub workflows: BTreeMap<WorkflowId, Arc<Workflow>>,
    pub settings: Arc<BoardSettings>,
    pub pause: Option<PauseReason>,
    /// Usage limits that are reached, by the account of a tool ([`crate::AgentChoice::account`]): its agents are not started.
    pub limits: BTreeMap<String, UsageLimit>,
    pub last_attempt: u64,
    /// Infrastructure failures in a row, over all tasks; cleared by the next success.
    pub infra_failures: u32,
    /// Rows that changed since the last call of [`Board::take_changed_rows`].
    changed: ChangedRows,
    /// True if nothing carries out effects yet. Never stored.
    asleep: bool,
    /// Values derived from the rows. Never stored, and without influence on decisions.
    index: BoardIndex,
}

/// The ids of all board rows that changed since the last commit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangedRows {
    pub tasks: BTreeSet<TaskId>,
    /// Attempts; an id that is not on the board any more was forgotten, because only the last settled attempts of a task are kept.
    pub attempts: BTreeSet<AttemptId>,
    pub batches: BTreeSet<BatchId>,
}

impl Board {
    /// Applies one event and returns the effects that follow. Total and deterministic: the same board, time and fact give the same answer.
    ///
    /// Debug builds end with [`check_invariants`]: a board that was sound before must be sound after.
    pub fn apply(&mut self, now: Timestamp, event: &Event) -> Vec<Effect> {
        let was_sound = cfg!(debug_assertions) && check_invariants(self).is_ok();
        let mut transition = Transition::new(now);
        self.build_index();
        self.dispatch(&mut transition, event);
        // Nothing can be judged before the workflows are read; the first event that brings them catches up.
        if !self.workflows.is_empty() {
            self.end_exhausted(&mut transition);
            self.cascade(&mut transition);
            self.release_kept(&mut transition);
            if !self.asleep {
                self.schedule(&mut transition);
            }
            if self.update_run_states(&mut transition) && !self.asleep {
                self.schedule(&mut transition);
                self.update_run_states(&mut transition);
            }
        }
        self.update_links();
        debug_assert!(
            !was_sound || check_invariants(self).is_ok(),
            "{event:?} broke the board: {:?}",
            check_invariants(self)
        );
        transition.effects
    }

    /// Starts nothing until [`Event::Woke`]: a board that was just read, or is changed without a server, does not know what runs, and
    /// nothing carries out its effects. Stops that it requests meanwhile are requested again when it wakes.
    pub fn sleep(&mut self) {
        self.asleep = true;
    }

    /// Returns true if the event changes nothing: its settings or workflows are in force already. Such an event need not be stored again.
    pub fn is_redundant(&self, event: &Event) -> bool {
        match event {
            Event::Configured(settings) => *self.settings == settings.following(&self.settings),
            Event::WorkflowsLoaded(flows) => {
                let in_force =
                    |flow: &Workflow| self.workflows.get(&flow.id).is_some_and(|known| **known == *flow);
                flows.len() == self.workflows.len() && flows.iter().all(in_force)
            }
            _ => false,
        }
    }

    /// Returns the event with the additions of the board, or `None` if there are none: the last event of settings is all that is read of
    /// them at the next start.
    pub fn completed(&self, event: &Event) -> Option<Event> {
        let Event::Configured(settings) = event else {
            return None;
        };
        let whole = settings.following(&self.settings);
        (whole != **settings).then(|| Event::configured(whole))
    }

    fn dispatch(&mut self, transition: &mut Transition, event: &Event) {
        match event {
            Event::Asked { request, by, command } => {
                self.execute_and_reply(transition, *request, by, command);
            }
            Event::Configured(settings) => self.configured(transition, settings),
            Event::WorkflowsLoaded(flows) => self.workflows_loaded(flows),
            Event::WorkplaceMade {
                attempt,
                workplace,
                kept,
                gates_before,
            } => self.workplace_made(transition, *attempt, workplace, kept, gates_before),
            Event::AttemptStarted { attempt, workplace } => self.started(transition, *attempt, workplace),
            Event::AttemptNotStarted { attempt, why } => self.not_started(transition, *attempt, why),
            Event::SessionLost { attempt, why } => self.session_lost(transition, *attempt, why),
            Event::AttemptUnknown { attempt, why } => self.process_unknown(transition, *attempt, why),
            Event::Signalled { .. } => self.signal_event(transition, event),
            Event::Observed {
                attempt,
                doing,
                source,
            } => self.observed(transition, *attempt, doing, source),
            Event::UsageReported {
                attempt,
                usage,
                context,
            } => self.usage_reported(transition, *attempt, *usage, *context),
            Event::ModelReported { attempt, model } => self.model_reported(*attempt, model),
            Event::SubagentSeen { attempt, name } => self.subagent_seen(*attempt, name),
            Event::ContextCompacted { attempt } => self.compacted(transition, *attempt),
            Event::WorkSaved { attempt, work } => self.work_saved(transition, *attempt, work),
            Event::AskOpened { .. }
            | Event::AskWithdrawn { .. }
            | Event::AnswerTyped { .. }
            | Event::AnswerLost { .. }
            | Event::TextLost { .. }
            | Event::MenuSeen { .. } => self.ask_event(transition, event),
            Event::AttemptEnded {
                attempt,
                exit,
                tail,
                cause,
            } => self.ended(transition, *attempt, exit, tail, cause.as_ref()),
            Event::ActionEnded { attempt, outcome } => self.action_ended(transition, *attempt, outcome),
            Event::Verified { .. } | Event::GitChanged { .. } => self.verification_event(transition, event),
            Event::BaseMoved { task, moved } => self.base_moved(transition, task, moved),
            Event::Delivered { task, delivery } => self.delivered(transition, task, delivery),
            Event::MergeSeen { task, commit } => self.merge_seen(transition, task, commit.as_deref()),
            Event::WorkspaceSettled { .. } => self.workspace_settled(transition, event),
            Event::Performed { key, problem } => self.performed(transition, key, problem.as_deref()),
            Event::Woke(inventory) => self.woke(transition, inventory),
            Event::ClockJumped { by } => self.clock_jumped(transition, *by),
            Event::Ticked => self.ticked(transition),
        }
    }

    /// Handles a signal of an attempt, with the time at which it came; any other event is ignored.
    fn signal_event(&mut self, transition: &mut Transition, event: &Event) {
        if let Event::Signalled {
            attempt,
            kind,
            text,
            report,
            claims,
            key,
            by_file,
        } = event
        {
            let signal = Signal {
                kind: *kind,
                text: text.clone(),
                report: report.clone(),
                key: key.clone(),
                by_file: *by_file,
                at: transition.now,
            };
            self.signalled(transition, *attempt, signal, claims);
        }
    }

    fn configured(&mut self, transition: &mut Transition, settings: &BoardSettings) {
        let next = settings.following(&self.settings);
        if next.change != self.settings.change
            && let Some(change) = &next.change
        {
            let level = if change.is_edit {
                NoticeLevel::Warning
            } else {
                NoticeLevel::Info
            };
            transition.notify(level, "settings", change.text.clone());
        }
        if *self.settings != next {
            self.settings = Arc::new(next);
            self.index.everything_changed();
        }
    }

    fn workflows_loaded(&mut self, flows: &[Workflow]) {
        let keyed = flows.iter().map(|flow| (flow.id.clone(), Arc::new(flow.clone())));
        self.workflows = keyed.collect();
        self.index.everything_changed();
    }

    /// Returns the rows that changed since the last call, and forgets them.
    pub fn take_changed_rows(&mut self) -> ChangedRows {
        std::mem::take(&mut self.changed)
    }
}
