//! Names of settings as the environment has them.

use crate::config::schema::keys;
use crate::config::setting::SettingSpec;
use crate::config::value::ValueKind;
use crate::formats::nearest::distance;

/// Begin of the environment variables that are settings.
pub(super) const ENVIRONMENT: &str = "DBS_";

/// `ROLES_SECURITY_REVIEWER_AGENT` as a path: dots are written `_`, and names of families have dashes for the rest.
pub(super) fn path_of(rest: &str) -> Option<Vec<String>> {
    keys().find_map(|key| {
        let upper = key.variable();
        if !key.is_family() {
            return (upper == rest).then(|| key.name.split('.').map(str::to_owned).collect());
        }
        let (before, rest_of_key) = upper.split_once('<')?;
        let (_, after) = rest_of_key.split_once('>')?;
        let name = rest.strip_prefix(before)?.strip_suffix(after)?;
        let name = match key.kind {
            ValueKind::Variable => name.to_owned(),
            _ => name.to_ascii_lowercase().replace('_', "-"),
        };
        let fill = |part: &str| {
            if part.starts_with('<') {
                name.clone()
            } else {
                part.to_owned()
            }
        };
        (!name.is_empty()).then(|| key.name.split('.').map(fill).collect())
    })
}

/// The setting whose name in the environment is nearly that.
pub(super) fn near_miss(rest: &str) -> Option<String> {
    let names = keys().filter(|key| !key.is_family());
    names
        .map(SettingSpec::variable)
        .find(|name| name.len() > 4 && distance(name, rest) <= 2)
}
