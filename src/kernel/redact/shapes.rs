//! The shapes of keys that are told without knowing them, from what their
//! makers document and the public rules of secret scanners.

use super::Found;

/// A key with a fixed beginning.
struct Shape {
    prefix: &'static str,
    label: &'static str,
    body: Body,
    /// Shortest body, in characters.
    min: usize,
    /// Longest body, in characters.
    max: usize,
}

/// What follows the beginning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    /// Letters and digits.
    Alnum,
    /// Letters, digits, `-` and `_`, with a digit.
    Mixed,
    /// The same, with a part between `-` and `_` too long for a word.
    Long,
}

const ANY: usize = usize::MAX;

const fn shape(
    prefix: &'static str,
    label: &'static str,
    body: Body,
    min: usize,
    max: usize,
) -> Shape {
    Shape {
        prefix,
        label,
        body,
        min,
        max,
    }
}

/// The first that fits wins.
const SHAPES: [Shape; 29] = [
    shape("sk-ant-", "Anthropic key", Body::Long, 20, ANY),
    shape("sk-or-", "OpenRouter key", Body::Long, 20, ANY),
    shape("sk-", "API key", Body::Long, 20, ANY),
    shape("sk_live_", "Stripe key", Body::Alnum, 20, ANY),
    shape("sk_test_", "Stripe key", Body::Alnum, 20, ANY),
    shape("rk_live_", "Stripe key", Body::Alnum, 20, ANY),
    shape("gsk_", "Groq key", Body::Alnum, 32, ANY),
    shape("xai-", "xAI key", Body::Long, 32, ANY),
    shape("nvapi-", "NVIDIA key", Body::Long, 32, ANY),
    shape("pplx-", "Perplexity key", Body::Long, 32, ANY),
    shape("ghp_", "GitHub token", Body::Alnum, 30, ANY),
    shape("gho_", "GitHub token", Body::Alnum, 30, ANY),
    shape("ghs_", "GitHub token", Body::Alnum, 30, ANY),
    shape("ghr_", "GitHub token", Body::Alnum, 30, ANY),
    shape("ghu_", "GitHub token", Body::Alnum, 30, ANY),
    shape("github_pat_", "GitHub token", Body::Long, 40, ANY),
    shape("glpat-", "GitLab token", Body::Mixed, 20, ANY),
    shape("AKIA", "AWS key id", Body::Alnum, 16, 16),
    shape("ASIA", "AWS key id", Body::Alnum, 16, 16),
    shape("AIza", "Google key", Body::Mixed, 35, 35),
    shape("xoxa-", "Slack token", Body::Mixed, 15, ANY),
    shape("xoxb-", "Slack token", Body::Mixed, 15, ANY),
    shape("xoxp-", "Slack token", Body::Mixed, 15, ANY),
    shape("xoxo-", "Slack token", Body::Mixed, 15, ANY),
    shape("xoxr-", "Slack token", Body::Mixed, 15, ANY),
    shape("xoxs-", "Slack token", Body::Mixed, 15, ANY),
    shape("hf_", "Hugging Face token", Body::Alnum, 30, ANY),
    shape("npm_", "npm token", Body::Alnum, 30, ANY),
    shape("pypi-", "PyPI token", Body::Long, 50, ANY),
];

/// Whether some shape begins with this byte.
pub(super) fn may_begin(byte: u8) -> bool {
    matches!(
        byte,
        b'-' | b'A' | b'B' | b'S' | b'b' | b'e' | b'g' | b'h' | b'n' | b'p' | b'r' | b's' | b'x'
    )
}

/// The key that begins at `at`, if one does.
pub(super) fn find(text: &[u8], at: usize) -> Option<Found<'static>> {
    let rest = &text[at..];
    if rest.starts_with(BLOCK_START) {
        return private_key(rest).map(|length| found(at, length, "private key"));
    }
    if !begins_word(text, at) {
        return None;
    }
    match rest[0] {
        b'e' => token_of_three(rest).map(|length| found(at, length, "JWT")),
        b'S' => sendgrid(rest).map(|length| found(at, length, "SendGrid key")),
        b'B' | b'b' => bearer(rest).map(|(skip, length)| found(at + skip, length, "token")),
        _ => SHAPES.iter().find_map(|shape| {
            let body = rest.strip_prefix(shape.prefix.as_bytes())?;
            let length = body_length(shape, body)?;
            Some(found(at, shape.prefix.len() + length, shape.label))
        }),
    }
}

fn found(start: usize, length: usize, label: &'static str) -> Found<'static> {
    Found {
        start,
        end: start + length,
        label,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Whether no word goes on at `at`. The `n` of an escaped `\n`, the digits of
/// `%3D` and `\u003d` and the sign of a removed line are no words.
fn begins_word(text: &[u8], at: usize) -> bool {
    let before = &text[at.saturating_sub(6)..at];
    match before {
        [] | [b'-'] | [.., b'\n', b'-'] => true,
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => true,
        [b'\\', b'u', ..] => true,
        [.., last] => !is_word(*last),
    }
}

/// How many bytes at the start fit.
fn run(text: &[u8], fits: fn(u8) -> bool) -> usize {
    text.iter()
        .position(|byte| !fits(*byte))
        .unwrap_or(text.len())
}

fn body_length(shape: &Shape, text: &[u8]) -> Option<usize> {
    let length = match shape.body {
        Body::Alnum => run(text, |byte| byte.is_ascii_alphanumeric()),
        Body::Mixed | Body::Long => run(text, is_word),
    };
    let body = &text[..length];
    let looks_right = match shape.body {
        // AWS writes its ids in capitals and digits.
        Body::Alnum if shape.max == 16 => {
            !body.iter().any(u8::is_ascii_lowercase) && has_digit(body)
        }
        Body::Alnum => true,
        Body::Mixed => has_digit(body),
        Body::Long => body
            .split(|byte| matches!(byte, b'-' | b'_'))
            .any(|part| part.len() >= 20 || part.len() >= 16 && has_digit(part)),
    };
    (length >= shape.min && length <= shape.max && looks_right && is_varied(body)).then_some(length)
}

fn has_digit(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit)
}

/// Whether there are more different characters than in `xxxx-xxxx`.
fn is_varied(text: &[u8]) -> bool {
    let seen = text
        .iter()
        .fold(0u128, |seen, byte| seen | 1 << (byte & 127));
    seen.count_ones() >= 6
}

/// A JSON web token (RFC 7519): two objects in base64 and a signature.
fn token_of_three(text: &[u8]) -> Option<usize> {
    let header = part(text, b"eyJ", 12)?;
    let payload = part(text.get(header + 1..)?, b"eyJ", 10)?;
    let signature = part(text.get(header + payload + 2..)?, b"", 16)?;
    let dotted = text[header] == b'.' && text[header + payload + 1] == b'.';
    dotted.then_some(header + payload + signature + 2)
}

/// `SG.`, 22 characters, a dot, 43 characters.
fn sendgrid(text: &[u8]) -> Option<usize> {
    let text = text.strip_prefix(b"SG.")?;
    let id = part(text, b"", 16)?;
    let secret = part(text.get(id + 1..)?, b"", 32)?;
    let fits = text[id] == b'.' && id <= 32 && secret <= 64 && has_digit(&text[id..]);
    fits.then_some(3 + id + 1 + secret)
}

/// The length of a part between dots, if it is as long as it must be.
fn part(text: &[u8], prefix: &[u8], min: usize) -> Option<usize> {
    let length = run(text, is_word);
    (length >= min && text.starts_with(prefix) && is_varied(&text[..length])).then_some(length)
}

/// What follows `Bearer` (RFC 6750): how far it is away and how long.
fn bearer(text: &[u8]) -> Option<(usize, usize)> {
    if !text[1..].starts_with(b"earer ") {
        return None;
    }
    let skip = 6 + run(&text[6..], |byte| byte == b' ');
    let token = &text[skip..];
    let is_token = |byte: u8| is_word(byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'=');
    let mut length = run(token, is_token);
    while length > 0 && token[length - 1] == b'.' {
        length -= 1;
    }
    let token = &token[..length];
    let digits = token.iter().filter(|byte| byte.is_ascii_digit()).count();
    (length >= 16 && digits >= 2 && is_varied(token)).then_some((skip, length))
}

const BLOCK_START: &[u8] = b"-----BEGIN ";
const BLOCK_END: &[u8] = b"-----END ";
/// Longest block, in bytes.
const MAX_BLOCK: usize = 32 * 1024;
/// Shortest run of base64 that is part of a key. A line has 64.
const MIN_LINE: usize = 40;
/// Most that lies between two runs: line numbers, signs, the headers of a key.
const MAX_GAP: usize = 120;

/// The length of a private key in PEM (RFC 7468), also with its lines numbered,
/// quoted or escaped, and also without its end.
fn private_key(text: &[u8]) -> Option<usize> {
    let title = &text[BLOCK_START.len()..];
    let title_length = run(title, |byte| {
        byte.is_ascii_uppercase() || byte == b' ' || byte.is_ascii_digit()
    });
    let is_private = title[..title_length].ends_with(b"PRIVATE KEY")
        || title[..title_length].ends_with(b"PRIVATE KEY BLOCK");
    if !is_private || !title[title_length..].starts_with(b"-----") {
        return None;
    }
    let mut at = BLOCK_START.len() + title_length + 5;
    // The end of the last run of base64.
    let mut key_end = None;
    let mut gap = 0;
    while at < text.len().min(MAX_BLOCK) && gap <= MAX_GAP {
        let rest = &text[at..];
        if rest.starts_with(BLOCK_END) && key_end.is_some() {
            let title = run(&rest[BLOCK_END.len()..], |byte| {
                byte.is_ascii_uppercase() || byte == b' ' || byte.is_ascii_digit()
            });
            let dashes = run(&rest[BLOCK_END.len() + title..], |byte| byte == b'-');
            return Some(at + BLOCK_END.len() + title + dashes.min(5));
        }
        if rest.starts_with(BLOCK_START) {
            break;
        }
        let line = run(rest, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
        });
        if line >= MIN_LINE {
            key_end = Some(at + line);
            gap = 0;
        } else {
            gap += line.max(1);
        }
        at += line.max(1);
    }
    key_end
}

#[cfg(test)]
mod tests;
