//! Callers of the server and their rights: known by the process at the other end and its ancestors, judged by the rules in
//! `protocol/callers.rs`. Refused calls are counted, logged, and written on the agent's task.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::adapters::clock;
use crate::adapters::holder::process::{Origin, origin};
use crate::domain::{Attempt, AttemptId, Command, Event, Notice, NoticeLevel, PlannedBoard, Refusal};
use crate::protocol::callers::{
    AllowedCallers, BY_SERVER, CallSubject, Caller, CommandRule, refusal, rule_of_call,
};
use crate::protocol::wire::{CallReply, ServerCall};
use crate::server::engine_handle::EngineHandle;
use crate::server::signals::comment_limit;

/// The kind of notices about refused calls.
const NOTICE_KIND: &str = "refused";
/// The kind of notices about agents that send or write too much.
const FLOOD_KIND: &str = "flood";
/// Maximum length of the name of a command.
const LONGEST_NAME: usize = 40;
/// Maximum number of commands of an attempt that are told apart.
const MOST_NAMES: usize = 64;
/// Name under which comments that exceed the limit are counted.
const TOO_MANY_COMMENTS: &str = "too many comments";
/// Maximum number of attempts and commands that are counted apart; those of attempts that are over make room first.
const MOST_COUNTED: usize = 1_000;

/// Attempt that was refused a command, or none of a caller without one; and the name of the command.
type RefusedCommand = (Option<AttemptId>, Cow<'static, str>);

/// Guard that judges callers and counts refused calls.
#[derive(Debug)]
pub(in crate::server) struct CallerGuard {
    /// Beginning of the marker of the project's processes.
    marker: String,
    /// Origin of the server itself: ancestors that a caller shares with it are no evidence about the caller.
    own: Origin,
    engine: EngineHandle,
    /// Number of refusals, by command and by attempt or caller without one.
    refused: Mutex<BTreeMap<RefusedCommand, u64>>,
}

impl CallerGuard {
    /// Creates a guard that has refused nothing yet.
    pub(in crate::server) fn new(marker: String, engine: EngineHandle) -> CallerGuard {
        CallerGuard {
            marker,
            own: origin(std::process::id()).unwrap_or_default(),
            engine,
            refused: Mutex::default(),
        }
    }

    /// Returns the caller, which is the process at the other end. Blocks.
    pub(in crate::server) fn identify(&self, peer: Option<u32>) -> Caller {
        let Some(pid) = peer else {
            return Caller::Hidden;
        };
        let found = match origin(pid) {
            Ok(found) => found,
            Err(error) => return Caller::Unknown(error.to_string()),
        };
        let server = std::process::id();
        match Caller::of(&found.starters(&self.own), &self.marker) {
            // The first process of a system adopts processes that lost their parent.
            Caller::Person if server != 1 && found.ancestors.contains(&server) => Caller::Program(BY_SERVER),
            known => known,
        }
    }

    /// Returns the reason why a conductor may not make that call, by the plan it works on.
    fn refuse_conductor(&self, call: &ServerCall) -> Option<String> {
        let ServerCall::Ask { command, .. } = call else {
            return None;
        };
        let model = self.engine.read_model();
        let board = PlannedBoard {
            tasks: &model.tasks,
            batches: &model.batches,
        };
        board.refusal(command)
    }

    /// Returns the call as that caller may make it, or the reply that refuses it. Blocks while the engine's inbox is full.
    pub(in crate::server) fn admit(
        &self,
        caller: &Caller,
        call: ServerCall,
    ) -> Result<ServerCall, Box<CallReply>> {
        if let ServerCall::Refused(command) = &call {
            let rule = CommandRule::new(self.claimed_name(caller, command), AllowedCallers::Persons);
            self.record(caller, rule);
            return Ok(call);
        }
        let agent = self.agent(caller);
        let subject = CallSubject {
            attempt: match &call {
                ServerCall::Signal(signal) => Some(signal.attempt),
                ServerCall::Hook(call) => Some(call.attempt),
                _ => None,
            },
            task: match &call {
                ServerCall::Ask {
                    command: Command::Comment(task, _),
                    ..
                } => Some(task),
                _ => None,
            },
            own_task: agent
                .as_deref()
                .filter(|own| own.state.may_have_process())
                .map(|own| &own.task),
            conducts: agent.as_deref().is_some_and(is_conductor_at_work),
        };
        let is_spoken = match (&call, caller) {
            // A token may be found out; the processes started by the agent's holder cannot be made up.
            (ServerCall::Signal(signal), Caller::Person | Caller::Unknown(_)) => {
                Some(not_of_attempt(signal.attempt))
            }
            _ => None,
        };
        let rule = rule_of_call(&call);
        if let Some(why) = is_spoken.or_else(|| refusal(caller, &rule, subject)) {
            self.record(caller, rule);
            return Err(Box::new(reply_of(&call, why)));
        }
        if subject.conducts
            && let Some(why) = self.refuse_conductor(&call)
        {
            return Err(Box::new(reply_of(&call, why)));
        }
        if let (Some(_), Some(own)) = (subject.task, agent.as_deref())
            && let Some(why) = comment_limit::flood_refusal(&self.engine.read_model(), own)
        {
            self.record_flood(own);
            return Err(Box::new(reply_of(&call, why)));
        }
        Ok(match (call, agent) {
            // An agent does not choose the name it writes under.
            (ServerCall::Ask { command, .. }, Some(own)) => ServerCall::Ask {
                by: own.worker.name().to_owned(),
                command,
            },
            (call, _) => call,
        })
    }

    /// Checks that the caller may see and use a session as persons do.
    ///
    /// # Errors
    /// When the caller may not.
    pub(in crate::server) fn admit_attach(&self, caller: &Caller) -> Result<(), Refusal> {
        let rule = CommandRule::new("attach", AllowedCallers::Persons);
        match refusal(caller, &rule, CallSubject::default()) {
            None => Ok(()),
            Some(why) => {
                self.record(caller, rule);
                Err(Refusal::new(why))
            }
        }
    }

    fn agent(&self, caller: &Caller) -> Option<Arc<Attempt>> {
        let Caller::Agent(attempt) = caller else {
            return None;
        };
        self.engine.read_model().attempts.get(attempt).cloned()
    }

    /// Counts a refusal. The first of each command is written on the task; lines become rare when it continues.
    fn record(&self, caller: &Caller, rule: CommandRule) {
        let CommandRule {
            name: command,
            callers,
        } = rule;
        let agent = self.agent(caller);
        let attempt = attempt_of(caller);
        let times = self.count(attempt, command.clone());
        if !times.is_power_of_two() {
            return;
        }
        let who = match (&agent, caller) {
            (Some(own), _) => format!("{} (attempt {})", own.worker.name(), own.id),
            (None, Caller::Agent(attempt)) => format!("an agent (attempt {attempt})"),
            (None, Caller::Program(name)) => (*name).to_owned(),
            (None, Caller::Person | Caller::Hidden | Caller::Unknown(_)) => "an unknown process".to_owned(),
        };
        let count = if times > 1 {
            format!(", {times} times so far")
        } else {
            String::new()
        };
        let why = match callers {
            AllowedCallers::Attempts => "for another attempt",
            AllowedCallers::OwnAgent => "on another task",
            AllowedCallers::Everybody | AllowedCallers::Conductors | AllowedCallers::Persons => {
                "which is for persons"
            }
        };
        let text = format!("{who} was refused `dbs {command}`, {why}{count}");
        tracing::warn!("{text}");
        // A wrong signal leaves the board as it is: the attempt it names is not affected.
        if let (1, Some(own), AllowedCallers::Persons | AllowedCallers::Conductors) = (times, &agent, callers)
        {
            self.comment(own, text.clone());
        }
        let notice = Notice {
            level: NoticeLevel::Warning,
            kind: NOTICE_KIND.to_owned(),
            task: agent.as_ref().map(|own| own.task.clone()),
            attempt,
            text,
        };
        self.engine.journal.add(clock::now(), notice);
    }

    /// Reports once that no more comments of an attempt are taken.
    fn record_flood(&self, own: &Attempt) {
        if self.count(Some(own.id), TOO_MANY_COMMENTS.into()) > 1 {
            return;
        }
        let name = own.worker.name();
        let text = format!("{name} writes too many comments; no more of them are taken from it");
        tracing::warn!("{text}");
        self.comment(own, text.clone());
        let notice = Notice {
            level: NoticeLevel::Warning,
            kind: FLOOD_KIND.to_owned(),
            task: Some(own.task.clone()),
            attempt: Some(own.id),
            text,
        };
        self.engine.journal.add(clock::now(), notice);
    }

    /// Returns the name of a command that was refused to a caller where it acts without the server. A caller may claim any name: it is
    /// shown if a command may be called so, and for so many commands of an attempt.
    fn claimed_name(&self, caller: &Caller, command: &str) -> Cow<'static, str> {
        let is_word = |sign: char| sign.is_ascii_alphabetic() || " -".contains(sign);
        let refused = self.refused.lock();
        let key = (attempt_of(caller), Cow::Owned(command.to_owned()));
        let others = refused.keys().filter(|(attempt, _)| *attempt == key.0).count();
        let is_known = refused.contains_key(&key) || others < MOST_NAMES;
        if is_known && command.len() <= LONGEST_NAME && command.chars().all(is_word) {
            key.1
        } else {
            "a command that is not known".into()
        }
    }

    /// Counts one more, and returns the new count. Attempts and commands that have no place of their own any more are counted together.
    fn count(&self, attempt: Option<AttemptId>, command: Cow<'static, str>) -> u64 {
        let mut refused = self.refused.lock();
        let mut key = (attempt, command);
        if refused.len() >= MOST_COUNTED && !refused.contains_key(&key) {
            let model = self.engine.read_model();
            let is_over = |attempt| {
                model
                    .attempts
                    .get(&attempt)
                    .is_none_or(|known| !known.state.may_have_process())
            };
            refused.retain(|(attempt, _), _| !attempt.is_some_and(is_over));
            if refused.len() >= MOST_COUNTED {
                key.0 = None;
            }
        }
        let times = refused.entry(key).or_insert(0);
        *times += 1;
        *times
    }

    /// Writes a comment on the task of an attempt.
    fn comment(&self, own: &Attempt, text: String) {
        let comment = Event::comment(own.task.clone(), text);
        // An engine that has ended takes no comments, and the line is in the log.
        drop(self.engine.inbox.send(comment));
    }
}

fn attempt_of(caller: &Caller) -> Option<AttemptId> {
    match caller {
        Caller::Agent(attempt) => Some(*attempt),
        Caller::Program(_) | Caller::Person | Caller::Hidden | Caller::Unknown(_) => None,
    }
}

fn not_of_attempt(attempt: AttemptId) -> String {
    format!(
        "the signal is not from attempt {attempt}: the process that calls does not run below its agent's holder; call again from \
         there and stay until the answer"
    )
}

fn is_conductor_at_work(attempt: &Attempt) -> bool {
    attempt.conducts() && attempt.state.may_have_process()
}

fn reply_of(call: &ServerCall, why: String) -> CallReply {
    match call {
        ServerCall::Ask { .. } | ServerCall::Signal(_) => CallReply::Asked(Err(Refusal::new(why))),
        _ => CallReply::Failed(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::inbox::Received;
    use crate::server::signals::intake::tests::{FIRST, SECOND, intake, signal};

    fn comment(task: &str) -> ServerCall {
        ServerCall::Ask {
            by: "ada".to_owned(),
            command: Command::Comment(task.into(), "seen".to_owned()),
        }
    }

    fn approve() -> ServerCall {
        ServerCall::Ask {
            by: "ada".to_owned(),
            command: Command::Approve("t".into()),
        }
    }

    #[test]
    fn an_agent_comments_under_its_own_name_and_is_refused_what_is_for_persons() {
        let home = tempfile::tempdir().unwrap();
        let (intake, _outlet) = intake(home.path());
        let guard = CallerGuard::new("dbs-1".to_owned(), intake.engine.clone());
        let own = intake.engine.read_model().attempts[&FIRST].clone();
        let agent = Caller::Agent(FIRST);
        let Ok(ServerCall::Ask { by, .. }) = guard.admit(&agent, comment(own.task.as_str())) else {
            panic!("its own task");
        };
        assert_eq!(by, own.worker.name());
        assert!(guard.admit(&agent, comment("another")).is_err());
        let refused = guard.admit(&agent, approve());
        assert!(
            matches!(&refused, Err(reply) if format!("{reply:?}").contains("is for persons")),
            "{refused:?}"
        );
        assert!(guard.admit_attach(&agent).is_err() && guard.admit_attach(&Caller::Person).is_ok());
        assert_eq!(guard.admit(&Caller::Person, approve()), Ok(approve()));
        let spoken = |attempt| ServerCall::Signal(signal(&intake.secret, attempt, attempt));
        assert!(guard.admit(&agent, spoken(FIRST)).is_ok());
        assert!(guard.admit(&agent, spoken(SECOND)).is_err(), "a stolen token");
        let gone = Caller::Unknown("look".to_owned());
        for caller in [&Caller::Person, &gone] {
            assert!(guard.admit(caller, spoken(FIRST)).is_err(), "a token alone");
        }
        assert!(guard.admit(&Caller::Hidden, spoken(FIRST)).is_ok());
        assert!(guard.admit(&gone, approve()).is_err() && guard.admit(&gone, ServerCall::Who).is_ok());
    }

    #[test]
    fn a_refusal_is_counted_and_goes_on_the_task_once() {
        let home = tempfile::tempdir().unwrap();
        let (intake, outlet) = intake(home.path());
        let guard = CallerGuard::new("dbs-1".to_owned(), intake.engine.clone());
        for _ in 0..5 {
            assert!(guard.admit(&Caller::Agent(FIRST), approve()).is_err());
        }
        let noted = guard.admit(
            &Caller::Agent(FIRST),
            ServerCall::Refused("config KEY VALUE".to_owned()),
        );
        assert!(noted.is_ok());
        let lines = intake.engine.journal.after(0);
        let texts: Vec<&str> = lines.iter().map(|line| line.notice.text.as_str()).collect();
        assert_eq!(texts.len(), 4, "{texts:?}");
        assert!(
            texts[0].contains("`dbs approve`") && texts[2].contains("4 times"),
            "{texts:?}"
        );
        assert!(texts[3].contains("config KEY VALUE"), "{texts:?}");
        intake.engine.inbox.close();
        let mut comments = 0;
        while let Received::Envelope(envelope) = outlet.next(None) {
            let Event::Asked {
                command: Command::Comment(_, text),
                ..
            } = envelope.event
            else {
                panic!("{:?}", envelope.event);
            };
            assert!(text.contains("was refused"), "{text}");
            comments += 1;
        }
        assert_eq!(comments, 2);
    }

    #[test]
    fn an_agent_that_floods_its_task_with_comments_is_refused_and_that_is_said_once() {
        for (count, length) in [(200, 1), (4, 64 * 1024)] {
            let home = tempfile::tempdir().unwrap();
            let (intake, outlet) = intake(home.path());
            let mut model = (*intake.engine.read_model()).clone();
            let mut own = Attempt::clone(&model.attempts[&FIRST]);
            own.comments_before = 600;
            model.attempts.insert(FIRST, Arc::new(own.clone()));
            let draft = crate::domain::command::TaskDraft::new(own.task.as_str(), "Work");
            let mut task = crate::domain::Task::planned(own.created_at, &draft, "development".into());
            let written = |author: &str, at| crate::domain::task::Comment {
                author: author.to_owned(),
                text: "x".repeat(length),
                at,
            };
            // Neither those of others nor those of an attempt before count.
            task.comments = vec![written("ada", own.created_at); 300];
            task.comments
                .extend(vec![written(own.worker.name(), own.created_at); 300]);
            // Those of its own do, also after a clock was set back.
            let set_back = crate::domain::Timestamp(own.created_at.0 - 1);
            task.comments
                .extend(vec![written(own.worker.name(), set_back); count - 1]);
            let engine = |task: &crate::domain::Task| {
                let mut model = model.clone();
                model.tasks.insert(own.task.clone(), Arc::new(task.clone()));
                EngineHandle {
                    read_models: tokio::sync::watch::channel(Arc::new(model)).1,
                    ..intake.engine.clone()
                }
            };
            let agent = Caller::Agent(FIRST);
            let guard = CallerGuard::new("dbs-1".to_owned(), engine(&task));
            assert!(guard.admit(&agent, comment(own.task.as_str())).is_ok());
            task.comments.push(written(own.worker.name(), own.created_at));
            let guard = CallerGuard::new("dbs-1".to_owned(), engine(&task));
            for _ in 0..3 {
                let refused = guard.admit(&agent, comment(own.task.as_str()));
                assert!(
                    matches!(&refused, Err(reply) if format!("{reply:?}").contains("no more of them are taken")),
                    "{refused:?}"
                );
            }
            let other = Caller::Person;
            assert!(guard.admit(&other, comment(own.task.as_str())).is_ok());
            let lines = intake.engine.journal.after(0);
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(lines[0].notice.text.contains("too many comments"), "{lines:?}");
            intake.engine.inbox.close();
            let mut said = 0;
            while let Received::Envelope(_) = outlet.next(None) {
                said += 1;
            }
            assert_eq!(said, 1);
            model.tasks.clear();
        }
    }

    #[test]
    fn refusals_are_counted_for_so_many_attempts_and_no_more() {
        let home = tempfile::tempdir().unwrap();
        let (intake, _outlet) = intake(home.path());
        let guard = CallerGuard::new("dbs-1".to_owned(), intake.engine);
        for attempt in 0..20 * MOST_COUNTED as u64 {
            guard.count(Some(AttemptId(1_000 + attempt)), "approve".into());
            if attempt % 1_000 == 0 {
                guard.count(Some(FIRST), "approve".into());
            }
        }
        assert!(
            guard.refused.lock().len() <= MOST_COUNTED,
            "{}",
            guard.refused.lock().len()
        );
        assert_eq!(
            guard.count(Some(FIRST), "approve".into()),
            21,
            "who is at work is still counted"
        );
    }

    #[test]
    fn a_caller_claims_no_other_names_than_commands_have_and_not_many() {
        let home = tempfile::tempdir().unwrap();
        let (intake, _outlet) = intake(home.path());
        let guard = CallerGuard::new("dbs-1".to_owned(), intake.engine);
        let agent = Caller::Agent(FIRST);
        let unknown = "a command that is not known";
        assert_eq!(guard.claimed_name(&agent, "config KEY VALUE"), "config KEY VALUE");
        for name in [
            "approve`; see http",
            "stop\u{1b}[2J",
            &"x".repeat(LONGEST_NAME + 1),
        ] {
            assert_eq!(guard.claimed_name(&agent, name), unknown, "{name}");
        }
        let letters = |number: usize| "x".repeat(number % 8 + 1) + &"y".repeat(number / 8);
        for number in 0..2 * MOST_NAMES {
            guard.count(Some(FIRST), guard.claimed_name(&agent, &letters(number)));
        }
        assert_eq!(guard.claimed_name(&agent, "start"), unknown);
        assert_eq!(
            guard.claimed_name(&agent, &letters(0)),
            letters(0),
            "it has a place"
        );
        let counted = guard.refused.lock().len();
        assert_eq!(counted, MOST_NAMES + 1);
    }
}
