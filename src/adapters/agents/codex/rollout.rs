//! Lines of the record that Codex keeps of a session, `rollout-*.jsonl`: its counts of tokens, and how its turns end. Nothing else says
//! why a turn failed: no hook is called then.

use serde_json::Value;

use crate::adapters::agents::json_report::{failure, filled, number, object, positive, raw, text, time};
use crate::agent_state::{AgentReport, Doing, Figures, Seen, Work};
use crate::domain::{Timestamp, Tokens};

/// Marks of the lines that say something. Searched before a line is parsed, because most lines say nothing and are long.
const KINDS: [&[u8]; 4] = [
    b"\"token_count\"",
    b"\"task_started\"",
    b"\"task_complete\"",
    b"\"turn_context\"",
];

/// Reads the lines of one record in their order.
#[derive(Debug, Default)]
pub struct RecordReader {
    /// End of the usage limit that was last reported as reached.
    limit_ends: Option<Timestamp>,
}

impl RecordReader {
    /// Reads one line. The second part is the time of the line, at which the reported state was true, if it is known.
    pub fn read(&mut self, line: &[u8]) -> (AgentReport, Option<Timestamp>) {
        let says = |kind: &&[u8]| line.windows(kind.len()).any(|part| part == *kind);
        let is_known = KINDS.iter().any(says);
        let Some(line) = is_known.then(|| object(line)).flatten() else {
            return Default::default();
        };
        if raw(&line, "/type") == "turn_context" {
            let model = filled(&line, "/payload/model").map(Figures::Model);
            let report = AgentReport {
                figures: model.into_iter().collect(),
                ..AgentReport::default()
            };
            return (report, None);
        }
        match raw(&line, "/payload/type") {
            "token_count" => {
                self.limit_ends = limit_ends(&line);
                (figures(&line), None)
            }
            "task_started" => {
                let works = AgentReport::doing(Doing::Working(Work::Unspecified));
                (works, time(&line, "/payload/started_at"))
            }
            "task_complete" => (self.turn_over(&line), time(&line, "/payload/completed_at")),
            _ => Default::default(),
        }
    }

    fn turn_over(&self, line: &Value) -> AgentReport {
        let words = text(line, "/payload/error/message");
        let info = line.pointer("/payload/error/codex_error_info");
        let Some(info) = info else {
            return AgentReport::doing(if words.is_empty() {
                Doing::DONE
            } else {
                Doing::Done { problem: Some(words) }
            });
        };
        if info == "usage_limit_exceeded" {
            return AgentReport::of(Seen::Doing(Doing::Limit {
                until: self.limit_ends,
                text: words,
            }));
        }
        let of_request = info.as_object().and_then(|info| info.values().next());
        let status = of_request.map_or(0, |cause| number(cause, "/http_status_code"));
        failure(status, "", words)
    }
}

/// Returns the time at which the used up limits end, if any limit is used up.
fn limit_ends(line: &Value) -> Option<Timestamp> {
    let limits = ["/payload/rate_limits/primary", "/payload/rate_limits/secondary"];
    let limits = limits.iter().filter_map(|path| line.pointer(path));
    let reached = limits.filter(|limit| {
        let used = limit.pointer("/used_percent").and_then(Value::as_f64);
        used.is_some_and(|percent| percent >= 100.0)
    });
    reached.filter_map(|limit| time(limit, "/resets_at")).max()
}

fn figures(line: &Value) -> AgentReport {
    let Some(info) = line.pointer("/payload/info").filter(|info| info.is_object()) else {
        return AgentReport::default();
    };
    let total = info.pointer("/total_token_usage").map(|total| Figures::Total {
        tokens: Some(tokens(total)),
        cost: None,
    });
    let used = info.pointer("/last_token_usage").map(|last| tokens(last).sum());
    let window = positive(info, "/model_context_window");
    let context = Figures::Context { used, window };
    AgentReport {
        figures: total.into_iter().chain([context]).collect(),
        ..AgentReport::default()
    }
}

/// Reads the tokens in the words of the record, which `codex exec` uses too. Codex counts those read from the cache and written there as
/// input; here they are separate.
pub(super) fn tokens(usage: &Value) -> Tokens {
    let (cache_read, cache_write) = (
        number(usage, "/cached_input_tokens"),
        number(usage, "/cache_write_input_tokens"),
    );
    Tokens {
        input: number(usage, "/input_tokens").saturating_sub(cache_read.saturating_add(cache_write)),
        cache_read,
        cache_write,
        output: number(usage, "/output_tokens"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(error: &str) -> String {
        format!(
            r#"{{"type":"event_msg","payload":{{"type":"task_complete","error":{error},"completed_at":1795416608}}}}"#
        )
    }

    fn doing(reader: &mut RecordReader, line: &str) -> Doing {
        let (report, _) = reader.read(line.as_bytes());
        match report.seen.into_iter().next() {
            Some(Seen::Doing(doing)) => doing,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_model_of_a_turn_is_that_of_its_context() {
        let line = r#"{"type":"turn_context","payload":{"cwd":"/work","model":"gpt-5-codex"}}"#;
        let (report, _) = RecordReader::default().read(line.as_bytes());
        assert_eq!(report.figures, [Figures::Model("gpt-5-codex".to_owned())]);
    }

    #[test]
    fn why_a_turn_failed_is_what_the_record_says_and_a_limit_ends_when_it_said_before() {
        let mut reader = RecordReader::default();
        let near = r#"{"payload":{"type":"token_count","info":null,"rate_limits":{"primary":{"used_percent":100.0,"resets_at":1795416697},
            "secondary":{"used_percent":60.0,"resets_at":1795999999}}}}"#;
        assert_eq!(reader.read(near.as_bytes()), Default::default());
        let limit = over(r#"{"message":"You have hit it.","codex_error_info":"usage_limit_exceeded"}"#);
        assert_eq!(
            doing(&mut reader, &limit),
            Doing::Limit {
                until: Some(Timestamp(1_795_416_697_000)),
                text: "You have hit it.".to_owned()
            }
        );
        assert_eq!(
            reader.read(limit.as_bytes()).1,
            Some(Timestamp(1_795_416_608_000))
        );
        let login =
            over(r#"{"message":"m","codex_error_info":{"http_connection_failed":{"http_status_code":401}}}"#);
        let text = "m".to_owned();
        assert_eq!(doing(&mut reader, &login), Doing::NotLoggedIn { text });
        for (kind, status) in [
            ("response_too_many_failed_attempts", 429),
            ("http_connection_failed", 529),
        ] {
            let error = format!(
                r#"{{"message":"m","codex_error_info":{{"{kind}":{{"http_status_code":{status}}}}}}}"#
            );
            let problem = Some("m".to_owned());
            assert_eq!(
                doing(&mut reader, &over(&error)),
                Doing::Done { problem },
                "{status}"
            );
        }
        assert_eq!(doing(&mut reader, &over("null")), Doing::DONE);
    }
}
