//! Settings of stages that no workflow has: refused in the project's own files, and told of the person's, which are for many projects.

use crate::config::project_paths::ProjectPaths;

use crate::config::{Config, SettingOrigin, schema};
use crate::domain::Workflow;
use crate::formats::nearest::nearest;

/// A setting of a stage that no workflow of the project has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownStage {
    /// What it is, where it stands, and the way out.
    pub text: String,
    /// Whether the project's own files say it.
    pub is_own: bool,
}

/// All of them, in the order of their stages.
pub fn unknown_stages(place: &ProjectPaths, workflows: &[Workflow]) -> Vec<UnknownStage> {
    let config = place.config();
    let families = [
        &schema::STAGE_AGENT,
        &schema::STAGE_PERMISSIONS,
        &schema::STAGE_MODEL,
        &schema::STAGE_EFFORT,
        &schema::STAGE_MODE,
    ];
    let stages = workflows.iter().flat_map(|flow| &flow.stages);
    let known: Vec<&str> = stages.map(|stage| stage.id.as_str()).collect();
    let mut found = Vec::new();
    for family in families {
        for (stage, _) in config.family(family) {
            if !known.contains(&stage.as_str()) {
                let key = family.spec.name.replace("<stage>", &stage);
                found.extend(unknown(&config, place, (&key, &stage), &known));
            }
        }
    }
    found
}

fn unknown(
    config: &Config,
    place: &ProjectPaths,
    (key, stage): (&str, &str),
    known: &[&str],
) -> Option<UnknownStage> {
    let origin = config.explain(key).ok()?.origin;
    let meant = nearest(stage, known.iter().copied());
    let meant = meant.map_or_else(String::new, |word| format!(", did you mean `{word}`"));
    let is_own = matches!(&origin, SettingOrigin::File { path, .. } if path.starts_with(&place.debussy));
    Some(UnknownStage {
        text: format!(
            "could not use {key}, at {origin}: no workflow has a stage {stage}{meant}; `dbs workflow list` names workflows, and \
             `dbs config {key} --unset` takes it away"
        ),
        is_own,
    })
}
