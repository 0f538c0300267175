//! Worlds for opencode, Gemini CLI and aider. Tests that run for every change do not use them; their sessions are recorded.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::lab::{KEY, Lab, installed, scripts};
use crate::model_server::ModelServer;

/// Variables that tell all of them to send nothing to their makers, and to look for no newer version.
pub(crate) const QUIET: [(&str, &str); 7] = [
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
    // A machine may have no file watcher left, and opencode waits for one.
    ("OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER", "true"),
    ("AIDER_ANALYTICS_DISABLE", "true"),
    ("AIDER_SHOW_MODEL_WARNINGS", "false"),
    ("LITELLM_LOCAL_MODEL_COST_MAP", "True"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
];

/// Writes the settings of a person by which opencode uses the scripted model, and asks for each command and each edit. Beside them is the
/// package that it would fetch at its first start, without contents: opencode loads no plugin until it has it, or has tried for a minute.
pub(crate) fn write_opencode_settings(home: &Path, server: &ModelServer) {
    let url = format!("{}/v1", server.url());
    let (limit, cost) = (
        json!({ "context": 200_000, "output": 8_000 }),
        json!({ "input": 10, "output": 10 }),
    );
    let model = json!({ "name": "Scripted", "limit": limit, "cost": cost });
    let settings = json!({
        "autoupdate": false, "share": "disabled", "model": "scripted/scripted", "small_model": "scripted/aside",
        "permission": { "bash": "ask", "edit": "ask" },
        "provider": { "scripted": {
            "npm": "@ai-sdk/openai-compatible", "name": "Scripted", "options": { "baseURL": url, "apiKey": KEY },
            "models": { "scripted": model, "aside": model },
        } },
    });
    let name = "@opencode-ai/plugin";
    let version = opencode_version(home);
    let wanted = json!({ "dependencies": { name: version } });
    let folder = format!("node_modules/{name}");
    let lock = json!({ "lockfileVersion": 3, "packages": { "": wanted, &folder: { "version": version } } });
    let package = json!({ "name": name, "version": version });
    for (file, text) in [
        ("opencode.json", &settings),
        ("package.json", &wanted),
        ("package-lock.json", &lock),
        (&format!("{folder}/package.json"), &package),
    ] {
        let file = home.join(".config/opencode").join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text.to_string()).unwrap();
    }
}

fn opencode_version(home: &Path) -> String {
    let mut asked = Command::new(installed("opencode"));
    let output = asked.arg("--version").env_clear().env("HOME", home).output();
    String::from_utf8(output.unwrap().stdout)
        .unwrap()
        .trim()
        .to_owned()
}

impl Lab {
    /// Makes a world for opencode, which asks for each command and each edit. Its model also says these scripts.
    pub(crate) fn opencode_that_says(script: &str) -> Self {
        let mut lab = Self::with(installed("opencode"), scripts().with("the test", script));
        write_opencode_settings(&lab.root().join("home"), &lab.server);
        lab.add_env(&[]);
        lab
    }

    /// Makes a world for Gemini CLI with a key. Its model also says these scripts.
    pub(crate) fn gemini_that_says(script: &str) -> Self {
        let mut lab = Self::with(installed("gemini"), scripts().with("the test", script));
        let settings = json!({
            "security": { "auth": { "selectedType": "gemini-api-key" } },
            "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
            "privacy": { "usageStatisticsEnabled": false },
            "model": { "name": "gemini-2.5-pro" },
        });
        lab.write_in_home(".gemini/settings.json", &settings.to_string());
        let url = lab.server.url();
        lab.add_env(&[("GEMINI_API_KEY", KEY), ("GOOGLE_GEMINI_BASE_URL", &url)]);
        lab
    }

    /// Makes a world for aider with a key. Its model also says these scripts.
    pub(crate) fn aider_that_says(script: &str) -> Self {
        let mut lab = Self::with(installed("aider"), scripts().with("the test", script));
        let url = format!("{}/v1", lab.server.url());
        lab.add_env(&[
            ("OPENAI_API_BASE", &url),
            ("OPENAI_API_KEY", KEY),
            ("AIDER_MODEL", "openai/scripted"),
        ]);
        lab
    }

    fn write_in_home(&self, file: &str, text: &str) {
        let file = self.root().join("home").join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn add_env(&mut self, own: &[(&str, &str)]) {
        let all = QUIET.iter().chain(own);
        self.more_env = all
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
    }
}
