//! Placeholders inside the arguments of commands. An argument stays one argument whatever is put in.

use crate::ports::agents::Brief;

/// Puts values into one argument: `{name}` becomes the result of `value`, everything else stays. One pass, so that inserted text is never
/// read again.
pub(super) fn expand(word: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let known = after
            .split_once('}')
            .and_then(|(name, tail)| value(name).map(|value| (value, tail)));
        rest = if let Some((value, tail)) = known {
            out.push_str(&value);
            tail
        } else {
            out.push('{');
            after
        };
    }
    out.push_str(rest);
    out.replace('\0', "")
}

/// Returns the value of that name from a brief with its prompt.
pub(super) fn of_brief(name: &str, brief: &Brief, prompt: &str) -> Option<String> {
    Some(match name {
        "task" => brief.task.to_string(),
        "title" => brief.title.clone(),
        "body" => brief.body.clone(),
        "branch" => brief.branch.clone(),
        "base" => brief.base.clone(),
        "role" => brief.role.to_string(),
        "finding" => brief.finding.clone().unwrap_or_default(),
        "prompt" => prompt.to_owned(),
        _ => return None,
    })
}
