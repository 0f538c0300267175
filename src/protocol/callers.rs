//! Permissions of callers: persons may do everything, agents what the rule of a command gives them, on their own task. The rules here are
//! those of calls to the server; each command of the command line has its own, and a test holds both against each other.

use std::borrow::Cow;

use crate::adapters::holder::process::Starter;
use crate::domain::{AttemptId, Command, TaskId};
use crate::protocol::wire::ServerCall;

/// Process that makes a call, as the system reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// Process that no agent, gate or git has started.
    Person,
    /// Process that the system does not report; it is taken for a person.
    Hidden,
    /// Process below the holder of that attempt, or with its marker.
    Agent(AttemptId),
    /// Process started by a program that runs code of agents, or may run it; the text is the name in refusals.
    Program(&'static str),
    /// Process that cannot be found out; the text is the reason and reads after "could not".
    Unknown(String),
}

/// Name of a process that a gate has started.
pub const BY_GATE: &str = "a gate";
/// Name of a process that git has started for a server, such as a hook of a remote.
pub const BY_GIT: &str = "a program that git started";
/// Name of a process that the server has started, such as a program for notifications.
pub const BY_SERVER: &str = "a program that the server started";
/// Name of a process that an agent, a gate or git of another project has started.
pub const BY_OTHER_PROJECT: &str = "an agent or a gate of another project";

impl Caller {
    /// The caller that has these starters among its ancestors, in the project whose markers begin so. The shell in a pane is a person's.
    pub fn of(starters: &[(&str, Starter)], project: &str) -> Caller {
        let own = || starters.iter().filter(|(of, _)| *of == project);
        // A process with an agent among its ancestors is one, whatever it claims to be itself; and of all its claims, the farthest is the
        // one that it could not choose.
        let attempt = own().rev().find_map(|(_, starter)| match starter {
            Starter::Attempt(attempt) => Some(AttemptId(*attempt)),
            Starter::Gate | Starter::Git => None,
        });
        match (attempt, own().next()) {
            (Some(attempt), _) => Caller::Agent(attempt),
            (None, Some((_, Starter::Git))) => Caller::Program(BY_GIT),
            (None, Some(_)) => Caller::Program(BY_GATE),
            (None, None) if starters.is_empty() => Caller::Person,
            (None, None) => Caller::Program(BY_OTHER_PROJECT),
        }
    }

    /// Returns the name of the caller in refusals.
    fn name(&self) -> String {
        match self {
            Caller::Person | Caller::Hidden => "a person".to_owned(),
            Caller::Agent(attempt) => format!("the agent of attempt {attempt}"),
            Caller::Program(name) => (*name).to_owned(),
            Caller::Unknown(_) => "an unknown process".to_owned(),
        }
    }
}

/// Callers that may use a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllowedCallers {
    /// Everybody, because the command changes nothing, or nothing of the project.
    Everybody,
    /// Persons, and callers that prove by a token to be the attempt that speaks.
    Attempts,
    /// Persons, and the agent that works on the task; a conductor on every task.
    OwnAgent,
    /// Persons, and a conductor, within the limits of [`PlannedBoard`](crate::domain::PlannedBoard).
    Conductors,
    Persons,
}

use AllowedCallers::{Attempts, Conductors, Everybody, OwnAgent, Persons};

/// Command of the command line as refusals name it, with the callers that may use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRule {
    /// Words of the command behind `dbs`.
    pub name: Cow<'static, str>,
    pub callers: AllowedCallers,
}

impl CommandRule {
    /// Returns the rule of a command.
    pub fn new(name: impl Into<Cow<'static, str>>, callers: AllowedCallers) -> CommandRule {
        CommandRule {
            name: name.into(),
            callers,
        }
    }
}

/// Returns the rule of the command that makes this call.
pub fn rule_of_call(call: &ServerCall) -> CommandRule {
    let (name, callers) = match call {
        ServerCall::Ask { command, .. } => return rule_of(command),
        ServerCall::Signal(_) => ("signal", Attempts),
        ServerCall::Hook(_) => ("hook", Attempts),
        ServerCall::Query(_) | ServerCall::Refused(_) => ("status", Everybody),
        ServerCall::Follow(_) => ("logs", Everybody),
        ServerCall::Watch => ("board", Everybody),
        ServerCall::Reload { .. } => ("config KEY VALUE", Persons),
        ServerCall::Stop(_) | ServerCall::StopNow(_) => ("stop", Persons),
        ServerCall::Who => ("sessions", Everybody),
    };
    CommandRule::new(name, callers)
}

/// Returns the rule of the command that asks the board for this.
pub fn rule_of(command: &Command) -> CommandRule {
    let (name, callers) = match command {
        Command::PutBatch { .. } | Command::CreateAll(_) => ("task import", Conductors),
        Command::All(_) => ("run", Persons),
        Command::PutJob(..) | Command::MoveJob(..) => ("design", Persons),
        Command::ChangeBatch { is_new: true, .. } => ("batch create", Conductors),
        Command::ChangeBatch { is_new: false, .. } => ("batch update", Conductors),
        Command::ReleaseBatch(_) => ("batch release", Persons),
        Command::Create(_) => ("task create", Conductors),
        Command::Update(..) => ("task update", Conductors),
        Command::Comment(..) => ("task comment", OwnAgent),
        Command::AddDependency(..) | Command::RemoveDependency(..) => ("task dep", Conductors),
        Command::Release(_) => ("task release", Persons),
        Command::Withdraw(_) => ("task withdraw", Persons),
        Command::Park(..) => ("task park", Persons),
        Command::Close(..) => ("task close", Conductors),
        // Undo is offered by the screen alone, to persons.
        Command::Retry { .. } | Command::Undo(_) => ("task retry", Persons),
        Command::Approve(_) | Command::AnswerAsk { .. } => ("approve", Persons),
        Command::Reject(..) => ("reject", Persons),
        Command::Skip(_) => ("skip", Persons),
        Command::Answer(..) => ("answer", Persons),
        Command::Interrupt(_) => ("interrupt", Persons),
        Command::Kill(_) => ("kill-agent", Persons),
        Command::SetMode(..) => ("mode", Persons),
        Command::Merged(_) => ("task merged", Persons),
        Command::Pulled(_) => ("pull", Persons),
        Command::Clear => ("clear", Persons),
        Command::Pause => ("pause", Persons),
        Command::Resume => ("resume", Persons),
    };
    CommandRule::new(name, callers)
}

/// Subject of a command, where that decides.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallSubject<'a> {
    /// The attempt that a signal is of.
    pub attempt: Option<AttemptId>,
    /// The task that is commented on.
    pub task: Option<&'a TaskId>,
    /// The task that the calling agent works on; `None` if its attempt is over or not known.
    pub own_task: Option<&'a TaskId>,
    /// True if the calling agent is a conductor at work.
    pub conducts: bool,
}

/// Returns the reason why that caller may not use the command; `None` when it may.
pub fn refusal(caller: &Caller, rule: &CommandRule, subject: CallSubject<'_>) -> Option<String> {
    let for_persons = || {
        format!(
            "`dbs {}` is for persons, and {} calls: an agent may use `dbs signal`, `dbs task comment` on its own task, and \
             commands that only read; a conductor may also write plans into the backlog",
            rule.name,
            caller.name()
        )
    };
    match (rule.callers, caller) {
        // A token proves more than the process that shows it.
        (Everybody, _) | (_, Caller::Person | Caller::Hidden) | (Attempts, Caller::Unknown(_)) => None,
        (_, Caller::Unknown(why)) => Some(format!(
            "could not {why}: a change needs a caller that is known; call again and stay until the answer"
        )),
        (Attempts, Caller::Agent(own)) if subject.attempt.is_none_or(|attempt| attempt == *own) => None,
        (Attempts, Caller::Agent(own)) => Some(format!(
            "the signal is not from attempt {own}, whose agent calls: an agent speaks for its own attempt only"
        )),
        (OwnAgent | Conductors, Caller::Agent(_)) if subject.conducts => None,
        (OwnAgent, Caller::Agent(own)) => match (subject.task, subject.own_task) {
            (Some(task), Some(own_task)) if task == own_task => None,
            (Some(task), Some(own_task)) => Some(format!(
                "the agent of attempt {own} works on {own_task} and may not comment on {task}: signal what others should know"
            )),
            (_, None) => Some(format!("attempt {own} is over: its agent may only read")),
            (None, Some(_)) => Some(for_persons()),
        },
        (Attempts | OwnAgent, Caller::Program(_))
        | (Conductors | Persons, Caller::Agent(_) | Caller::Program(_)) => Some(for_persons()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(caller: &Caller, callers: AllowedCallers, subject: CallSubject<'_>) -> bool {
        refusal(caller, &CommandRule::new("x", callers), subject).is_some()
    }

    #[test]
    fn a_caller_is_what_started_it_in_its_project_and_an_agent_before_all_else() {
        use Starter::{Attempt, Gate, Git};
        let of = |starters: &[(&str, Starter)]| Caller::of(starters, "dbs-1");
        let agent = Caller::Agent(AttemptId(17));
        assert_eq!(of(&[("dbs-1", Attempt(17))]), agent);
        assert_eq!(
            of(&[("dbs-1", Gate), ("dbs-1", Attempt(17)), ("dbs-2", Attempt(5))]),
            agent
        );
        assert_eq!(
            of(&[("dbs-1", Attempt(18)), ("dbs-1", Attempt(17))]),
            agent,
            "it claims to be another"
        );
        assert_eq!(
            of(&[("dbs-2", Attempt(1)), ("dbs-1", Gate)]),
            Caller::Program(BY_GATE)
        );
        assert_eq!(of(&[("dbs-1", Git)]), Caller::Program(BY_GIT));
        assert_eq!(of(&[("dbs-2", Attempt(17))]), Caller::Program(BY_OTHER_PROJECT));
        assert_eq!(of(&[]), Caller::Person);
    }

    #[test]
    fn agents_and_gates_may_read_and_use_nothing_that_is_for_persons() {
        let callers = [
            Caller::Agent(AttemptId(17)),
            Caller::Program(BY_GATE),
            Caller::Unknown("look".to_owned()),
        ];
        let none = CallSubject::default();
        for caller in &callers {
            assert!(!is_refused(caller, Everybody, none), "{caller:?}");
            for who in [Persons, Conductors] {
                assert!(is_refused(caller, who, none), "{caller:?} {who:?}");
            }
        }
        for who in [Everybody, Persons, Conductors, Attempts, OwnAgent] {
            assert!(!is_refused(&Caller::Person, who, none), "{who:?}");
        }
    }

    #[test]
    fn a_conductor_at_work_writes_plans_and_comments_and_a_gate_that_says_so_does_not() {
        let conducts = CallSubject {
            conducts: true,
            ..CallSubject::default()
        };
        let agent = Caller::Agent(AttemptId(17));
        for who in [Conductors, OwnAgent] {
            assert!(!is_refused(&agent, who, conducts), "{who:?}");
            assert!(is_refused(&Caller::Program(BY_GATE), who, conducts), "{who:?}");
        }
        assert!(is_refused(&agent, Persons, conducts));
    }

    #[test]
    fn an_agent_speaks_for_its_own_attempt_and_comments_on_its_own_task_only() {
        let agent = Caller::Agent(AttemptId(17));
        let signal = |attempt| CallSubject {
            attempt: Some(AttemptId(attempt)),
            ..CallSubject::default()
        };
        assert!(!is_refused(&agent, Attempts, signal(17)));
        assert!(is_refused(&agent, Attempts, signal(18)));
        assert!(is_refused(&Caller::Program(BY_GATE), Attempts, signal(17)));
        assert!(
            !is_refused(&Caller::Person, Attempts, signal(18)),
            "its token proves it"
        );
        let (mine, other) = (TaskId::from("t-1"), TaskId::from("t-2"));
        let comment = |task, own_task| CallSubject {
            task: Some(task),
            own_task,
            ..CallSubject::default()
        };
        assert!(!is_refused(&agent, OwnAgent, comment(&mine, Some(&mine))));
        assert!(is_refused(&agent, OwnAgent, comment(&other, Some(&mine))));
        assert!(
            is_refused(&agent, OwnAgent, comment(&mine, None)),
            "its attempt is over"
        );
        assert!(is_refused(
            &Caller::Program(BY_GATE),
            OwnAgent,
            comment(&mine, Some(&mine))
        ));
    }
}
