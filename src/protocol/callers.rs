//! Permissions of callers: persons may do everything, agents the commands that the table gives them, on their own task. One table for calls
//! to the server and for commands that need none; commands that are not in it are for persons.

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

/// Commands as they are typed, and who may use them.
pub const COMMANDS: &[(&str, AllowedCallers)] = &[
    ("agents", Everybody),
    ("answer", Persons),
    ("approve", Persons),
    ("atdd check", Everybody),
    ("atdd history", Everybody),
    ("atdd init", Persons),
    ("atdd new", Persons),
    ("atdd run", Persons),
    ("atdd setup", Everybody),
    ("atdd status", Everybody),
    ("attach", Persons),
    ("audit", Everybody),
    ("backup", Persons),
    ("batch create", Conductors),
    ("batch list", Everybody),
    ("batch release", Persons),
    ("batch show", Everybody),
    ("batch update", Conductors),
    ("board", Everybody),
    ("clear", Persons),
    ("completions", Everybody),
    ("conduct", Persons),
    ("config", Everybody),
    ("config KEY VALUE", Persons),
    ("convert", Persons),
    ("design", Persons),
    ("cost", Everybody),
    ("debug", Everybody),
    ("demo", Everybody),
    ("diff", Everybody),
    ("doctor", Everybody),
    ("doctor --repair", Persons),
    ("done", Attempts),
    ("events", Everybody),
    ("headless", Attempts),
    ("help", Everybody),
    ("history", Everybody),
    ("hook", Attempts),
    ("import", Everybody),
    ("init", Persons),
    ("keys", Everybody),
    ("interrupt", Persons),
    ("kill-agent", Persons),
    ("mode", Persons),
    ("logs", Everybody),
    ("man", Everybody),
    ("mcp", Attempts),
    ("metrics", Everybody),
    ("notify", Everybody),
    ("notify --test", Persons),
    ("pause", Persons),
    ("plan new", Persons),
    ("plan write-back", Persons),
    ("progress", Attempts),
    ("prompt", Everybody),
    ("rehearse", Everybody),
    ("reject", Persons),
    ("restart", Persons),
    ("restore", Persons),
    ("resume", Persons),
    ("retry", Persons),
    ("run", Persons),
    ("server", Persons),
    ("sessions", Everybody),
    ("signal", Attempts),
    ("skip", Persons),
    ("start", Persons),
    ("status", Everybody),
    ("statusline", Attempts),
    ("stop", Persons),
    ("task attic", Persons),
    ("task close", Conductors),
    ("task comment", OwnAgent),
    ("task create", Conductors),
    ("task dep", Conductors),
    ("task edit", Persons),
    ("task import", Conductors),
    ("task list", Everybody),
    ("task park", Persons),
    ("task ready", Everybody),
    ("task release", Persons),
    ("task retry", Persons),
    ("task show", Everybody),
    ("task update", Conductors),
    ("task why", Everybody),
    ("task withdraw", Persons),
    ("trust", Persons),
    ("upgrade", Everybody),
    ("watch", Persons),
    ("why", Everybody),
    ("workflow check", Everybody),
    ("workflow list", Everybody),
    ("workflow show", Everybody),
];

/// Returns the callers that may use the command of that name.
pub fn allowed_callers(command: &str) -> AllowedCallers {
    let row = COMMANDS.iter().find(|(known, _)| *known == command);
    row.map_or(Persons, |(_, who)| *who)
}

/// The command of the table that makes this call.
pub fn command_of(call: &ServerCall) -> &'static str {
    match call {
        ServerCall::Ask { command, .. } => command_name(command),
        ServerCall::Signal(_) => "signal",
        ServerCall::Hook(_) => "hook",
        ServerCall::Query(_) | ServerCall::Refused(_) => "status",
        ServerCall::Follow(_) => "logs",
        ServerCall::Watch => "board",
        ServerCall::Reload { .. } => "config KEY VALUE",
        ServerCall::Stop(_) | ServerCall::StopNow(_) => "stop",
        ServerCall::Who => "sessions",
    }
}

/// The command of the table that asks the board for this.
pub fn command_name(command: &Command) -> &'static str {
    match command {
        Command::PutBatch { .. } | Command::CreateAll(_) => "task import",
        Command::All(_) => "run",
        Command::PutJob(..) | Command::MoveJob(..) => "design",
        Command::ChangeBatch { is_new: true, .. } => "batch create",
        Command::ChangeBatch { is_new: false, .. } => "batch update",
        Command::ReleaseBatch(_) => "batch release",
        Command::Create(_) => "task create",
        Command::Update(..) => "task update",
        Command::Comment(..) => "task comment",
        Command::AddDependency(..) | Command::RemoveDependency(..) => "task dep",
        Command::Release(_) => "task release",
        Command::Withdraw(_) => "task withdraw",
        Command::Park(..) => "task park",
        Command::Close(..) => "task close",
        // Undo is offered by the screen alone, to persons.
        Command::Retry { .. } | Command::Undo(_) => "task retry",
        Command::Approve(_) | Command::AnswerAsk { .. } => "approve",
        Command::Reject(..) => "reject",
        Command::Skip(_) => "skip",
        Command::Answer(..) => "answer",
        Command::Interrupt(_) => "interrupt",
        Command::Kill(_) => "kill-agent",
        Command::SetMode(..) => "mode",
        Command::Clear => "clear",
        Command::Pause => "pause",
        Command::Resume => "resume",
    }
}

/// Subject of a command, where that decides.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallSubject<'a> {
    /// The attempt that a signal is of.
    pub attempt: Option<AttemptId>,
    /// The task that is commented on.
    pub task: Option<&'a TaskId>,
    /// The task that the calling agent works on; none when its attempt is over or not known.
    pub own_task: Option<&'a TaskId>,
    /// True if the calling agent is a conductor at work.
    pub conducts: bool,
}

/// Returns the reason why that caller may not use the command; `None` when it may.
pub fn refusal(caller: &Caller, command: &str, subject: CallSubject<'_>) -> Option<String> {
    let who = allowed_callers(command);
    let for_persons = || {
        format!(
            "`dbs {command}` is for persons, and {} calls: an agent may use `dbs signal`, `dbs task comment` on its own task, and \
             commands that only read; a conductor may also write plans into the backlog",
            caller.name()
        )
    };
    match (who, caller) {
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

    fn is_refused(caller: &Caller, command: &str, subject: CallSubject<'_>) -> bool {
        refusal(caller, command, subject).is_some()
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
        for (command, who) in COMMANDS {
            for caller in &callers {
                match who {
                    Everybody => assert!(!is_refused(caller, command, CallSubject::default()), "{command}"),
                    Persons | Conductors => {
                        assert!(is_refused(caller, command, CallSubject::default()), "{command}");
                    }
                    Attempts | OwnAgent => {}
                }
            }
            assert!(
                !is_refused(&Caller::Person, command, CallSubject::default()),
                "{command}"
            );
        }
        assert!(is_refused(
            &callers[0],
            "a command of tomorrow",
            CallSubject::default()
        ));
    }

    #[test]
    fn what_agents_may_do_is_this_and_nothing_else() {
        let given = COMMANDS
            .iter()
            .filter(|(_, who)| matches!(who, Attempts | OwnAgent));
        let names: Vec<&str> = given.map(|(command, _)| *command).collect();
        assert_eq!(
            names,
            [
                "done",
                "headless",
                "hook",
                "mcp",
                "progress",
                "signal",
                "statusline",
                "task comment"
            ]
        );
        for command in [
            "approve",
            "task release",
            "task retry",
            "config KEY VALUE",
            "trust",
            "attach",
        ] {
            assert_eq!(allowed_callers(command), Persons, "{command}");
        }
    }

    #[test]
    fn a_conductor_writes_plans_comments_everywhere_and_does_nothing_else_that_is_for_persons() {
        let agent = Caller::Agent(AttemptId(17));
        let conducts = CallSubject {
            conducts: true,
            ..CallSubject::default()
        };
        let given = COMMANDS.iter().filter(|(command, who)| {
            matches!(who, Conductors | OwnAgent | Persons) && !is_refused(&agent, command, conducts)
        });
        let names: Vec<&str> = given.map(|(command, _)| *command).collect();
        assert_eq!(
            names,
            [
                "batch create",
                "batch update",
                "task close",
                "task comment",
                "task create",
                "task dep",
                "task import",
                "task update"
            ]
        );
        for command in names {
            assert!(
                is_refused(&Caller::Program(BY_GATE), command, conducts),
                "{command}"
            );
        }
    }

    #[test]
    fn an_agent_speaks_for_its_own_attempt_and_comments_on_its_own_task_only() {
        let agent = Caller::Agent(AttemptId(17));
        let signal = |attempt| CallSubject {
            attempt: Some(AttemptId(attempt)),
            ..CallSubject::default()
        };
        assert!(!is_refused(&agent, "signal", signal(17)));
        assert!(is_refused(&agent, "signal", signal(18)));
        assert!(is_refused(&Caller::Program(BY_GATE), "signal", signal(17)));
        assert!(
            !is_refused(&Caller::Person, "signal", signal(18)),
            "its token proves it"
        );
        let (mine, other) = (TaskId::from("t-1"), TaskId::from("t-2"));
        let comment = |task, own_task| CallSubject {
            task: Some(task),
            own_task,
            ..CallSubject::default()
        };
        assert!(!is_refused(&agent, "task comment", comment(&mine, Some(&mine))));
        assert!(is_refused(&agent, "task comment", comment(&other, Some(&mine))));
        assert!(
            is_refused(&agent, "task comment", comment(&mine, None)),
            "its attempt is over"
        );
        assert!(is_refused(
            &Caller::Program(BY_GATE),
            "task comment",
            comment(&mine, Some(&mine))
        ));
    }

    #[test]
    fn every_command_to_the_board_has_its_row() {
        let none = || TaskId::from("t");
        let batch = |is_new| Command::ChangeBatch {
            id: "b".into(),
            is_new,
            change: crate::domain::BatchPatch::default(),
        };
        let commands = [
            Command::Update(none(), crate::domain::TaskPatch::default()),
            Command::Comment(none(), String::new()),
            Command::AddDependency(none(), none()),
            Command::Release(Vec::new()),
            Command::Withdraw(none()),
            Command::Undo(Vec::new()),
            Command::Park(none(), String::new()),
            Command::Close(none(), String::new()),
            Command::Approve(none()),
            Command::Reject(none(), String::new()),
            Command::Skip(none()),
            Command::Answer(none(), String::new()),
            Command::Interrupt(none()),
            Command::Kill(AttemptId(1)),
            Command::Pause,
            Command::Resume,
            Command::CreateAll(Vec::new()),
            batch(true),
            batch(false),
            Command::ReleaseBatch("b".into()),
        ];
        for command in commands {
            let name = command_name(&command);
            assert!(COMMANDS.iter().any(|(known, _)| *known == name), "{name}");
            let expected = match name {
                "task comment" => OwnAgent,
                "batch create" | "batch update" | "task update" | "task dep" | "task close"
                | "task import" => Conductors,
                _ => Persons,
            };
            assert_eq!(allowed_callers(name), expected, "{name}");
        }
    }
}
