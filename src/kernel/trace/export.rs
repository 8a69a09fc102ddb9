//! A trace as a file.

use super::{ExportFormat, RoundTrace, export_otlp};
use crate::plain::to_json;

/// A session's trace in `format`.
pub fn export(format: ExportFormat, session: &str, title: &str, rounds: &[RoundTrace]) -> String {
    match format {
        ExportFormat::Json => export_json(session, title, rounds),
        ExportFormat::Otlp => export_otlp(session, rounds),
    }
}

/// A name for the file of it.
pub fn file_name(format: ExportFormat, session: &str) -> String {
    match format {
        ExportFormat::Json => format!("trace-{session}.json"),
        ExportFormat::Otlp => format!("trace-{session}.otlp.json"),
    }
}

/// Everything there is, whole requests and responses included, as JSON: the
/// fields of [`RoundTrace`] by their names, a round a line.
pub fn export_json(session: &str, title: &str, rounds: &[RoundTrace]) -> String {
    let mut out = format!(
        "{{\"format\":\"tabloop-trace\",\"version\":1,\n\"session\":{{\"id\":{},\"title\":{}}},\n\"rounds\":[",
        quoted(session),
        quoted(title)
    );
    for (n, round) in rounds.iter().enumerate() {
        out.push_str(if n == 0 { "\n" } else { ",\n" });
        out.push_str(&to_json(round));
    }
    out.push_str("\n]}\n");
    out
}

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    to_json(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_holds_everything_and_can_be_read_back() {
        let rounds = [1, 2].map(|seq| RoundTrace {
            seq,
            request: "{\"a\":\"\\n\"}".into(),
            notes: vec!["\"quoted\"".into()],
            ..RoundTrace::default()
        });
        let text = export_json("s-1", "Fix \"it\"", &rounds);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["session"]["title"], "Fix \"it\"");
        let read: Vec<RoundTrace> = crate::plain::from_value(json["rounds"].clone()).unwrap();
        assert_eq!(read, rounds);
        assert_eq!(text.lines().count(), 6);
    }

    #[test]
    fn no_rounds_are_a_file_too() {
        let text = export_json("s", "", &[]);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["rounds"], serde_json::json!([]));
    }
}
