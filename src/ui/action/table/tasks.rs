//! The rows about tasks and agents. Data only.

use super::row;
use crate::ui::action::{Action, ActionEntry, ActionGroup, Availability};

pub(super) const ROWS: &[ActionEntry] = &[
    row(
        Action::Approve,
        "approve",
        (
            "approve",
            "Say yes: to a task that waits for approval, to an agent that asks for a permission.",
        ),
        &["allow", "yes", "accept", "ok"],
        (ActionGroup::Tasks, Availability::Approval),
    ),
    row(
        Action::ApproveAll,
        "approve_all",
        (
            "approve all",
            "Say yes to all that ask the same; names them first.",
        ),
        &["allow all", "batch", "identical"],
        (ActionGroup::Tasks, Availability::Approval),
    ),
    row(
        Action::Reject,
        "reject",
        ("send back", "Send the work back with a reason; asks for it."),
        &["reject", "no", "deny", "refuse"],
        (ActionGroup::Tasks, Availability::Rejectable),
    ),
    row(
        Action::Retry,
        "retry",
        (
            "retry",
            "Take a held, parked, failed or skipped task up again; its counters start anew.",
        ),
        &["again", "restart", "unblock", "resume"],
        (ActionGroup::Tasks, Availability::Retryable),
    ),
    row(
        Action::RetryNow,
        "try_now",
        (
            "try now",
            "Try at once what waits because of something outside: no answer from the remote, a missing agent, a lock, a full disk.",
        ),
        &["look again", "network", "again", "reconnect"],
        (ActionGroup::Tasks, Availability::Trouble),
    ),
    row(
        Action::Skip,
        "skip",
        (
            "skip",
            "Leave the task out; what depends on it is skipped or waits, as its workflow says.",
        ),
        &["omit", "ignore"],
        (ActionGroup::Tasks, Availability::Unfinished),
    ),
    row(
        Action::MergeNow,
        "merge_now",
        (
            "merge now",
            "Merge the task's work without the stages that are still to come; asks first. The engine's own checks hold.",
        ),
        &["integrate", "land", "skip reviews"],
        (ActionGroup::Tasks, Availability::Unfinished),
    ),
    row(
        Action::TogglePark,
        "park",
        (
            "set aside",
            "Set the task aside with a reason; a parked task is taken up again.",
        ),
        &["park", "shelve", "pause task"],
        (ActionGroup::Tasks, Availability::Unfinished),
    ),
    row(
        Action::Release,
        "release",
        (
            "release",
            "Hand a backlog task to the pipeline; gives its batch the go-ahead.",
        ),
        &["start", "go", "begin", "run"],
        (ActionGroup::Tasks, Availability::Backlog),
    ),
    row(
        Action::Answer,
        "answer",
        ("answer", "Type one line to the agent that works on the task."),
        &["reply", "tell", "say", "send"],
        (ActionGroup::Tasks, Availability::Agent),
    ),
    row(
        Action::Comment,
        "comment",
        ("comment", "Write one line on the task; the next agent reads it."),
        &["note", "write"],
        (ActionGroup::Tasks, Availability::Task),
    ),
    row(
        Action::NewTask,
        "new_task",
        (
            "new task",
            "Write a task: title, description, kind, workflow, priority.",
        ),
        &["add", "create"],
        (ActionGroup::Tasks, Availability::Always),
    ),
    row(
        Action::StopAgent,
        "stop_agent",
        (
            "stop agent",
            "Stop the agent. Its task goes back to its stage and no budget is used up.",
        ),
        &["kill", "abort", "cancel", "terminate"],
        (ActionGroup::Tasks, Availability::Agent),
    ),
    row(
        Action::CloseTask,
        "close_task",
        (
            "close task",
            "Close the task without it being done; asks for the reason, and for a word where work would go. The work is kept first.",
        ),
        &["cancel", "discard", "drop"],
        (ActionGroup::Tasks, Availability::Unfinished),
    ),
    row(
        Action::TogglePause,
        "pause",
        (
            "pause all",
            "Start nothing new and stop what runs; pressed again, go on.",
        ),
        &["resume", "hold", "freeze", "continue"],
        (ActionGroup::Tasks, Availability::Always),
    ),
    row(
        Action::ToggleFinished,
        "finished",
        ("finished", "Show or hide finished tasks in lists."),
        &["done", "hidden", "show"],
        (ActionGroup::Tasks, Availability::Always),
    ),
    row(
        Action::Copy,
        "copy",
        (
            "copy",
            "Copy something of the marked row or its task: id, title, branch, path, command; pressed twice, the first of them.",
        ),
        &["yank", "clipboard", "id", "branch", "path", "commit"],
        (ActionGroup::Tasks, Availability::Always),
    ),
    row(
        Action::RetryWithNote,
        "retry_with_note",
        (
            "retry + note",
            "Take the task up again and tell the next agent something.",
        ),
        &["again with", "hint", "instruct"],
        (ActionGroup::Tasks, Availability::Retryable),
    ),
    row(
        Action::Withdraw,
        "withdraw",
        (
            "to backlog",
            "Take a task that nobody works on back into the backlog.",
        ),
        &["unrelease", "take back", "backlog"],
        (ActionGroup::Tasks, Availability::Unfinished),
    ),
    row(
        Action::RaisePriority,
        "more_urgent",
        ("more urgent", "Raise the priority by one."),
        &["priority", "important", "raise"],
        (ActionGroup::Tasks, Availability::Unfinished),
    ),
    row(
        Action::LowerPriority,
        "less_urgent",
        ("less urgent", "Lower the priority by one."),
        &["priority", "lower"],
        (ActionGroup::Tasks, Availability::Unfinished),
    ),
    row(
        Action::EditTask,
        "edit",
        ("edit", "Change title and description in your editor."),
        &["editor", "change", "title", "body", "rewrite"],
        (ActionGroup::Tasks, Availability::Task),
    ),
    row(
        Action::ToggleMark,
        "mark",
        (
            "mark",
            "Mark the task, or no longer; what is done next is done to all that are marked.",
        ),
        &["select", "several", "batch", "multiple"],
        (ActionGroup::Tasks, Availability::Task),
    ),
    row(
        Action::Undo,
        "undo",
        ("undo", "Take back what was just done; possible for ten seconds."),
        &["take back", "revert", "oops"],
        (ActionGroup::Tasks, Availability::Always),
    ),
    row(
        Action::Redo,
        "redo",
        ("redo", "Do again what was taken back."),
        &["again", "repeat"],
        (ActionGroup::Tasks, Availability::Always),
    ),
];
