//! Recognition of variables that hold secrets, by their names and their values.

/// Parts of names, between underscores, of variables that hold secrets.
const PARTS: &[&str] = &[
    "PAT", "PASS", "PASSCODE", "PW", "PWD", "JWT", "DSN", "PRIVATE", "COOKIE", "COOKIES", "PIN", "OTP",
    "MNEMONIC", "WEBHOOK",
];

/// Ends of such parts: `GITHUB_TOKEN`, `DB_ROOTPASSWORD`, `MY_APIKEY`.
const ENDS: &[&str] = &[
    "TOKEN",
    "TOKENS",
    "KEY",
    "KEYS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWORDS",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
];

/// Words anywhere in such parts: `SECRETKEYBASE`.
const INSIDE: &[&str] = &["SECRET", "PASSWORD", "PASSWD"];

/// Names that are known to hold secrets and do not look like it.
const KNOWN: &[&str] = &["DOCKER_AUTH_CONFIG", "COMPOSER_AUTH", "BUNDLE_GEM__FURY__IO"];

/// Beginnings of values that services give out as secrets.
const PREFIXES: &[&str] = &[
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "sk-",
    "sk_live_",
    "rk_live_",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "ASIA",
    "AIza",
    "npm_",
    "pypi-",
    "hf_",
    "eyJ",
];

/// Shortest value that one of these beginnings makes a secret, in bytes.
const SHORTEST: usize = 16;

/// Maximum length of a user's name in a URL without a password; a longer one is a token.
const LONGEST_USER: usize = 19;

/// Returns true if the name of a variable says that it holds a secret.
pub(crate) fn has_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let is_secret = |part: &str| {
        let part = part.trim_end_matches(|c: char| c.is_ascii_digit());
        PARTS.contains(&part)
            || ENDS.iter().any(|end| part.ends_with(end))
            || INSIDE.iter().any(|word| part.contains(word))
    };
    let last = name.rsplit('_').next().unwrap_or_default();
    name.split('_').any(is_secret)
        || last == "AUTH"
        || name.ends_with("CONNECTION_STRING")
        || KNOWN.contains(&name.as_str())
}

/// Returns true if a value looks like a secret whatever its name is: a token of a known form, a URL with a password or a token in it, a
/// list of parameters with a password.
pub(crate) fn holds_secret(value: &str) -> bool {
    let value = value.trim();
    // A header or a document may hold one, too.
    let words = || value.split([' ', '"', '\'', ',']);
    let is_token = words().any(is_token) || value.contains("-----BEGIN");
    let lower = value.to_ascii_lowercase();
    let has_parameter = [
        "password=",
        ";pwd=",
        "accountkey=",
        "access_token=",
        "hooks.slack.com/services/",
    ];
    is_token || has_parameter.iter().any(|name| lower.contains(name)) || has_url_with_password(value)
}

/// Returns true if a word looks like a token that a service gives out.
pub fn is_token(word: &str) -> bool {
    word.len() >= SHORTEST && PREFIXES.iter().any(|begin| word.starts_with(begin))
}

/// Returns the text with the tokens of services replaced; `None` if there is none in it.
pub fn without_tokens(text: &str, mask: &str) -> Option<String> {
    let is_of_token = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut out = String::new();
    let (mut rest, mut has_found) = (text, false);
    while let Some(begin) = rest.find(is_of_token) {
        let (before, from) = rest.split_at(begin);
        let (word, after) = from.split_at(from.find(|c| !is_of_token(c)).unwrap_or(from.len()));
        // Words of a language may begin like one, such as `sk-learn-pipelines-2`.
        let is_random = |part: &str| part.len() >= 8 && part.contains(|c: char| c.is_ascii_digit());
        let is_secret = |word: &str| is_token(word) && word.split(['-', '_']).any(is_random);
        // In JSON an escaped line feed touches the word behind it.
        let escape = word.get(..1).filter(|_| before.ends_with('\\'));
        let behind = escape.and_then(|_| word.get(1..)).filter(|word| is_secret(word));
        out.push_str(before);
        match behind {
            _ if is_secret(word) => out.push_str(mask),
            Some(_) => out.extend([escape.unwrap_or_default(), mask]),
            None => out.push_str(word),
        }
        has_found |= is_secret(word) || behind.is_some();
        rest = after;
    }
    out.push_str(rest);
    has_found.then_some(out)
}

fn has_url_with_password(value: &str) -> bool {
    let mut after = value.split("://").skip(1);
    after.any(|rest| {
        let host = rest
            .split(['/', '?', '#', ' ', '"', '\''])
            .next()
            .unwrap_or_default();
        // A password may hold an `@`, so the last one counts.
        let Some((user, _)) = host.rsplit_once('@') else {
            return false;
        };
        match user.split_once(':') {
            Some((_, password)) => !password.is_empty(),
            None => user.len() > LONGEST_USER,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_services_are_replaced_in_a_text_and_words_that_begin_alike_are_not() {
        let token = format!("ghp_{}", "A1b2".repeat(9));
        let text = format!("used {token}, é\n\"{token}\"(sk-ant-0123456789abcdef)");
        let wanted = "used [t], é\n\"[t]\"([t])";
        assert_eq!(without_tokens(&text, "[t]").as_deref(), Some(wanted));
        let json = format!("\"a\\n{token}\"");
        assert_eq!(without_tokens(&json, "[t]").as_deref(), Some("\"a\\n[t]\""));
        for text in [
            "sk-learn-pipelines-everywhere",
            "hf_download_v2_test",
            "sk-learn-pipelines-2",
            "npm_config_python3",
            "ghp_short1",
            "",
            "é",
            "npm_config_registry_x",
        ] {
            assert_eq!(without_tokens(text, "[t]"), None, "{text}");
        }
    }

    #[test]
    fn names_of_secrets_are_known_and_others_only_hold_the_same_letters() {
        for name in [
            "GITHUB_TOKEN",
            "DB_PW",
            "DB_PASSWORD2",
            "TOKEN2",
            "SECRETKEYBASE",
            "WALLET_PASSCODE",
            "SLACK_WEBHOOK_URL",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "OPENAI_API_KEY",
            "PGPASSWORD",
            "MYSQL_PWD",
            "SMTP_PASS",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "github_pat",
            "BASIC_AUTH",
            "AZURE_STORAGE_CONNECTION_STRING",
            "SENTRY_DSN",
        ] {
            assert!(has_secret_name(name), "{name}");
        }
        for name in [
            "JAVA_HOME",
            "TOKENIZERS_PARALLELISM",
            "KEYBOARD_LAYOUT",
            "DATABASE_URL",
            "PATH",
            "GOPATH",
            "NODE_ENV",
            "AUTHOR",
            "XAUTHORITY",
            "COMPASS_MODE",
        ] {
            assert!(!has_secret_name(name), "{name}");
        }
    }

    #[test]
    fn values_that_are_tokens_or_hold_a_password_are_known() {
        for value in [
            "ghp_0123456789abcdef0123",
            "postgres://me:pw@db.example.org/x",
            "postgres://me:p@w@db/x",
            "redis://:pw@cache:6379",
            "https://0123456789abcdef0123@git.example.org/x",
            "jdbc:postgresql://db/x?user=me&password=pw",
            "Server=db;User=me;Pwd=pw",
            "-----BEGIN PRIVATE KEY-----\nx",
        ] {
            assert!(holds_secret(value), "{value}");
        }
        for value in [
            "postgres://localhost/x",
            "ssh://git@github.com/x",
            "https://user@bitbucket.org/x",
            "http://proxy:3128",
            "sk-1",
            "/opt/java",
            "https://example.org/@scope/x:1",
        ] {
            assert!(!holds_secret(value), "{value}");
        }
    }
}
