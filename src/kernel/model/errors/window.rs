//! How much a model takes in, where a refusal tells it.

use crate::kernel::settings::Limit;

/// What stands before the number, in the wordings of public servers.
const BEFORE: [&str; 14] = [
    "context length is ",
    "context length of ",
    "context length of only ",
    "context length (",
    "context size (",
    "context window is ",
    "context window of ",
    "prompt length is ",
    "input length should be [1, ",
    "token limit: ",
    "tokens allowed (",
    "the limit of ",
    "tokens > ",
    "too large for model with ",
];

/// The window that the words of a refused request tell, in tokens.
pub fn told_window(detail: &str) -> Option<u64> {
    let (least, most) = Limit::Window.range();
    let text = detail.to_ascii_lowercase();
    BEFORE.iter().find_map(|before| {
        let (_, rest) = text.split_once(before)?;
        let is_number = |c: char| c.is_ascii_digit() || c == ',';
        let end = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
        let window = rest[..end].replace(',', "").parse().ok()?;
        (least..=most).contains(&window).then_some(window.into())
    })
}
