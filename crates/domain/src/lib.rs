//! Rules of the board: its state, the events that can happen to it and the effects that follow. Standard library and the derives of serde and strum only; no
//! clock, no randomness, no input or output. Begin with [`board::Board::apply`].

pub mod activity;
pub mod agent_choice;
pub mod ask;
pub mod attempt;
pub mod background_work;
pub mod base_move;
pub mod batch;
pub mod board;
pub mod cause;
pub mod command;
pub mod commit_template;
pub mod conducting;
pub mod context_restart;
mod criteria;
pub mod cut;
pub mod daily_hours;
pub mod delivery;
mod disk_use;
pub mod effect;
mod effect_completion;
pub mod environment;
pub mod event;
pub mod evidence;
pub mod failed_turns;
pub mod failure;
pub mod glob;
mod hold_reason;
pub mod id;
pub mod integration;
pub mod kept_work;
mod merging;
mod missing_part;
pub mod plan_entry;
pub mod plan_job;
mod plural;
pub mod prompt_facts;
mod root_cause;
mod secret_variable;
pub mod session;
pub mod settings;
pub mod signal;
mod skip;
pub mod task;
pub mod task_progress;
mod telling_line;
pub mod test_run;
pub mod time;
pub mod tool_use;
pub mod tri;
mod tries;
pub mod undo;
pub mod usage;
pub mod wait_graph;
pub mod wait_reason;
pub mod work_source;
pub mod workflow;

pub use agent_choice::{AgentChoice, AgentLayers, AgentSettings, ChoiceSource, ChoiceValue, RoleChoice};
pub use ask::{Ask, AskAnswer, AskChannel, AskKind, AskRecord, AskReply};
pub use attempt::{
    ActivityKind, Attempt, AttemptMode, AttemptState, ProcessExit, StopCause, Verdict, Worker, Workplace,
};
pub use base_move::{BaseMove, BaseMoves, MadeHere};
pub use batch::{Batch, BatchPatch, OwedDelivery, PauseReason, RunOptions, RunState, UsageLimit};
pub use board::Board;
pub use cause::{Cause, TroubleKind};
pub use command::{Command, MAX_TEXT_BYTES, Refusal, TaskDraft, TaskPatch};
pub use conducting::PlannedBoard;
pub use context_restart::{Checkpoint, ContextRules, OnCompaction, SavedWork, Step};
pub use daily_hours::DailyHours;
pub use delivery::{Delivery, DeliveryEnd, DeliveryMode};
pub use disk_use::DiskUse;
pub use effect::{Accepted, Effect, Notice, NoticeLevel};
pub use environment::{EnvironmentMode, EnvironmentRules, FilteredEnvironment, HiddenReason, HiddenVariable};
pub use event::{ActionOutcome, Event, Inventory};
pub use evidence::{ComplianceIssue, Evidence, GateBaseline, Severity};
pub use failed_turns::FailedTurns;
pub use failure::FailureClass;
pub use id::{AskId, AttemptId, BatchId, RequestId, RoleId, StageId, TaskId, WorkflowId};
pub use integration::Integration;
pub use kept_work::KeptWork;
pub use merging::{Handover, MergeRules, MergeStyle, MergeVia};
pub use missing_part::MissingPart;
pub use plan_entry::{
    Claims, PathRules, PlanEntry, PlanRecord, PlanSource, STORY_GATE, StoryTests, queued_prd,
};
pub use plan_job::{JobStep, MadeForm, PlanJob};
pub use plural::{counted, pluralized};
pub use prompt_facts::{
    AgentFacts, DependencyFacts, EarlierAttempt, PlaceFacts, PromptFacts, PromptSources, RestartFacts,
    StageFacts, TaskFacts,
};
pub use secret_variable::{is_token, without_tokens};
pub use session::{AgentDisplay, AgentSession, Continuation, ResumeRoles, SessionOrigin, SessionRestart};
pub use settings::{BoardSettings, Budgets, FaultReach, SettingFault, UntrustedFiles};
pub use signal::{Signal, SignalKind};
pub use skip::Skip;
pub use task::{HoldReason, MergeCheck, Task, TaskState};
pub use telling_line::telling_line;
pub use test_run::{FirstRun, TestCounts, TestOutcome, TestReport, first_run};
pub use time::{Span, Timestamp};
pub use tool_use::{ToolAction, ToolUse};
pub use tri::Tri;
pub use undo::UndoScope;
pub use usage::{AttemptUsage, ContextFill, Cost, Spending, Tokens, Usage};
pub use wait_graph::WaitGraph;
pub use wait_reason::WaitReason;
pub use work_source::WorkSource;
pub use workflow::{EngineAction, EvidenceKind, Workflow};
