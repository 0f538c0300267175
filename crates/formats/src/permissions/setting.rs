//! Rules as one text, for a setting: rules with `;` between them, and at the end the word for uses that none of them decides.

use super::{PermissionDecision, PermissionPolicy, PermissionRule};
use dbs_domain::Cause;

/// Words for the policy if no rule decides.
pub const POLICIES: [(&str, PermissionPolicy); 4] = [
    ("ask", PermissionPolicy::Ask),
    ("edits", PermissionPolicy::Edits),
    ("allow", PermissionPolicy::Allow),
    ("deny", PermissionPolicy::Deny),
];

/// Reads `allow run make test*; deny run git push*; ask`: rules in their order and the policy if none fits, which is `ask` by default.
///
/// # Errors
/// When the text is empty, when a part is not a rule (the text names the part and shows a rule), or when a part follows the policy.
pub fn read_setting(text: &str) -> Result<(Vec<PermissionRule>, PermissionPolicy), Cause> {
    let mut rules = Vec::new();
    let mut policy = None;
    let parts = text.split([';', '\n']).map(str::trim);
    for part in parts.filter(|part| !part.is_empty()) {
        if policy.is_some() {
            return Err(
                format!("`{part}` stands behind the word for all the rest and would never count").into(),
            );
        }
        match POLICIES.iter().find(|(word, _)| *word == part) {
            Some((_, word)) => policy = Some(*word),
            None => rules.push(rule(part)?),
        }
    }
    if rules.is_empty() && policy.is_none() {
        return Err("it is empty".into());
    }
    Ok((rules, policy.unwrap_or_default()))
}

fn rule(text: &str) -> Result<PermissionRule, Cause> {
    let wrong = || {
        Cause::from(format!(
            "`{text}` is neither a rule like `allow run make test*` nor one of ask, edits, allow, deny"
        ))
    };
    let (decision, rest) = text.split_once(' ').ok_or_else(wrong)?;
    let (tool, pattern) = rest.trim_start().split_once(' ').ok_or_else(wrong)?;
    let decision = match decision {
        "allow" => PermissionDecision::Allow,
        "ask" => PermissionDecision::Ask,
        "deny" => PermissionDecision::Deny,
        _ => return Err(wrong()),
    };
    Ok(PermissionRule {
        decision,
        tool: tool.to_owned(),
        pattern: pattern.trim().to_owned(),
    })
}
