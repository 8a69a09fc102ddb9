//! How a message ended, from the host's word for it.

use crate::kernel::model::Finish;

/// What a `finish_reason` means. Hosts write them in many ways, so it is a text and
/// no closed list; one that nobody knows ends the message like `stop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// None came.
    None,
    /// The message is whole, or cut where the host says.
    Whole(Finish),
    /// The host failed, and says so nowhere else.
    Failed,
}

/// Reads the host's word.
pub(super) fn ending(word: &str) -> Ending {
    match word.to_ascii_lowercase().as_str() {
        "" => Ending::None,
        "length"
        | "max_tokens"
        | "max_output_tokens"
        | "model_length"
        | "token_limit"
        | "model_context_window_exceeded" => Ending::Whole(Finish::Length),
        "content_filter" | "content_filtered" | "sensitive" | "safety" | "refusal"
        | "recitation" | "blocklist" | "prohibited_content" | "spii" => {
            Ending::Whole(Finish::ContentFilter)
        }
        // vLLM ends with "abort" what it drops, DeepSeek with the long one when it has
        // no room, Gemini with the last when it could not read its own model.
        "error"
        | "abort"
        | "aborted"
        | "network_error"
        | "insufficient_system_resource"
        | "malformed_function_call" => Ending::Failed,
        _ => Ending::Whole(Finish::Stop),
    }
}

/// Whether this word says no more than the message itself.
pub(super) fn is_usual(word: &str) -> bool {
    let usual = [
        "stop",
        "tool_calls",
        "function_call",
        "length",
        "content_filter",
        "end",
        "end_turn",
        "eos",
        "tool_use",
        "stop_sequence",
        "max_tokens",
    ];
    usual.iter().any(|each| each.eq_ignore_ascii_case(word)) || word.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_public_hosts() {
        for (word, expected) in [
            ("", Ending::None),
            ("stop", Ending::Whole(Finish::Stop)),
            ("end", Ending::Whole(Finish::Stop)),
            ("something_new", Ending::Whole(Finish::Stop)),
            ("MAX_TOKENS", Ending::Whole(Finish::Length)),
            ("model_length", Ending::Whole(Finish::Length)),
            ("sensitive", Ending::Whole(Finish::ContentFilter)),
            ("SAFETY", Ending::Whole(Finish::ContentFilter)),
            ("abort", Ending::Failed),
            ("network_error", Ending::Failed),
        ] {
            assert_eq!(ending(word), expected, "{word}");
        }
        assert!(is_usual("stop") && is_usual("") && !is_usual("something_new"));
    }
}
