//! Rules for the asks of every board: each is answered once, by any person and over every restart, and ended attempts ask nothing.

use std::collections::BTreeSet;

use dbs_domain::attempt::AttemptState;
use dbs_domain::{AskChannel, AskRecord, Attempt, Command, Effect, Event};

use super::laws::is_same_row;
use super::rules::{Step, must};

/// Largest number of open asks of one attempt.
const MOST_OPEN: usize = 16;

pub(super) fn check(step: &Step<'_>) -> Result<(), String> {
    for attempt in step.after.attempts.values() {
        let before = step.before.attempts.get(&attempt.id);
        if is_same_row(before, attempt) {
            continue;
        }
        one(attempt)?;
        for known in before.iter().flat_map(|before| &before.asks) {
            followed(step, known, attempt)?;
        }
    }
    accepted(step)?;
    typed(step)
}

/// Checks that no ask is there twice, that few are open, and that none is open once no process can wait for the answer.
fn one(attempt: &Attempt) -> Result<(), String> {
    let id = attempt.id;
    let names: BTreeSet<_> = attempt.asks.iter().map(|known| &known.ask.id).collect();
    must(names.len() == attempt.asks.len(), || {
        format!("attempt {id} has an ask twice")
    })?;
    let open = attempt.asks.iter().filter(|known| known.closed.is_none()).count();
    must(open <= MOST_OPEN, || format!("attempt {id} has {open} open asks"))?;
    let may_ask = !matches!(attempt.state, AttemptState::Verifying | AttemptState::Settled(_));
    must(may_ask || open == 0, || {
        format!("attempt {id} has ended and asks on")
    })
}

/// Checks that an open ask is not forgotten, that a closed one stays as it is, and that an answer stays unless it is known to be lost.
fn followed(step: &Step<'_>, before: &AskRecord, attempt: &Attempt) -> Result<(), String> {
    let name = || format!("ask {} of attempt {}", before.ask.id, attempt.id);
    let Some(after) = attempt.asks.iter().find(|known| known.ask.id == before.ask.id) else {
        return must(before.closed.is_some(), || format!("{} was forgotten", name()));
    };
    must(after.ask == before.ask, || {
        format!("{} asks something else", name())
    })?;
    if before.closed.is_some() {
        return must(after == before, || format!("{} was over and changed", name()));
    }
    let is_known_lost = match step.event {
        Event::AnswerLost { attempt: id, ask, .. } => *id == attempt.id && *ask == before.ask.id,
        // After the engine died it is not known whether the answer arrived, so the ask is opened again.
        Event::Woke(_) => before.ask.channel != AskChannel::Request,
        _ => false,
    };
    let may_change = is_known_lost || before.waits(step.now);
    let mut expected = before.answer.clone();
    if let (Event::ClockJumped { by }, Some(answer)) = (step.event, &mut expected) {
        answer.at = answer.at.moved(*by);
    }
    must(may_change || after.answer == expected, || {
        format!(
            "{} was answered twice: {:?}, {:?}",
            name(),
            before.answer,
            after.answer
        )
    })
}

/// Checks that a person's answer is accepted exactly if it counts from now on, and that it is then delivered.
fn accepted(step: &Step<'_>) -> Result<(), String> {
    let Event::Asked {
        by,
        command: Command::AnswerAsk { attempt, ask, reply },
        ..
    } = step.event
    else {
        return Ok(());
    };
    let is_accepted = step
        .effects
        .iter()
        .any(|effect| matches!(effect, Effect::Reply(_, Ok(_))));
    let after = step.after.attempts.get(attempt);
    let known = after.and_then(|row| row.asks.iter().find(|known| known.ask.id == *ask));
    // The same answer by the same person at the same moment may have been given before.
    let before = step.before.attempts.get(attempt);
    let was = before.and_then(|row| row.asks.iter().find(|known| known.ask.id == *ask));
    let given = known.and_then(AskRecord::given);
    let is_new = given != was.and_then(AskRecord::given);
    let counts =
        is_new && given.is_some_and(|given| given.by == *by && given.reply == *reply && given.at == step.now);
    let handed = step.effects.contains(&Effect::Answer(*attempt, ask.clone()));
    must(is_accepted == counts && counts == handed, || {
        format!(
            "{reply:?} to {ask} of attempt {attempt}: accepted {is_accepted}, kept {counts}, handed over {handed}"
        )
    })
}

/// Checks that after a start of the engine no answer counts as given unless it was typed.
fn typed(step: &Step<'_>) -> Result<(), String> {
    if !matches!(step.event, Event::Woke(_)) {
        return Ok(());
    }
    let open = step
        .after
        .attempts
        .values()
        .filter(|attempt| attempt.state.is_open());
    for attempt in open {
        let lines = attempt
            .asks
            .iter()
            .filter(|known| known.ask.channel == AskChannel::Line && known.given().is_some());
        for known in lines {
            let key = (attempt.id, known.ask.id.clone());
            must(step.world.requests.typed.contains(&key), || {
                format!(
                    "the answer to {} of attempt {} was never typed, and nobody is told",
                    key.1, key.0
                )
            })?;
        }
    }
    Ok(())
}
