//! How other formats write a secret.

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Shortest piece of base64 that is sought.
const MIN_BASE64: usize = 8;

/// The value itself and what JSON, URLs and base64 make of it, without repeats.
pub(super) fn forms(value: &str) -> Vec<String> {
    let in_json = json(value);
    let in_json_in_json = json(&in_json);
    let mut forms = vec![
        value.to_owned(),
        in_json,
        in_json_in_json,
        percent(value, "-_.!~*'()"),
        percent(value, "-_.~"),
        percent(value, "-_.* ").replace(' ', "+"),
    ];
    for offset in 0..3 {
        let standard = base64_core(value.as_bytes(), offset);
        forms.push(standard.replace('+', "-").replace('/', "_"));
        forms.push(standard);
    }
    // Without the padding, which may or may not be written.
    let mut whole = base64(value.as_bytes());
    whole.truncate((value.len() * 8).div_ceil(6));
    forms.push(whole);

    let mut seen: Vec<String> = Vec::new();
    for form in forms {
        if form.len() >= MIN_BASE64 && !seen.contains(&form) {
            seen.push(form);
        }
    }
    seen
}

fn json(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Percent-encodes all but ASCII letters, digits and `plain`.
fn percent(value: &str, plain: &str) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || plain.as_bytes().contains(&byte) {
            out.push(byte.into());
        } else {
            out.push('%');
            out.push(HEX[usize::from(byte >> 4)].into());
            out.push(HEX[usize::from(byte & 15)].into());
        }
    }
    out
}

fn base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |n: usize| u32::from(chunk.get(n).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for shift in [18, 12, 6, 0] {
            out.push(BASE64[(bits >> shift & 63) as usize].into());
        }
    }
    out
}

/// The part of the base64 of a longer text that `bytes` alone decide, when they
/// begin `offset` bytes after a group of three.
fn base64_core(bytes: &[u8], offset: usize) -> String {
    let mut shifted = vec![0; offset];
    shifted.extend_from_slice(bytes);
    let encoded = base64(&shifted);
    encoded[(offset * 8).div_ceil(6)..shifted.len() * 8 / 6].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_differ() {
        assert_eq!(
            forms("a b\"c?d~e"),
            [
                "a b\"c?d~e",
                "a b\\\"c?d~e",
                "a b\\\\\\\"c?d~e",
                "a%20b%22c%3Fd~e",
                "a+b%22c%3Fd%7Ee",
                "YSBiImM_ZH5l",
                "YSBiImM/ZH5l",
                "EgYiJjP2R-Z",
                "EgYiJjP2R+Z",
                "hIGIiYz9kfm",
            ]
        );
        assert_eq!(
            forms("abcdefgh"),
            [
                "abcdefgh",
                "YWJjZGVmZ2",
                "FiY2RlZmdo",
                "hYmNkZWZna",
                "YWJjZGVmZ2g"
            ]
        );
    }

    #[test]
    fn base64_as_in_its_specification() {
        // RFC 4648, section 10, with `A` where the padding is.
        for (text, expected) in [
            ("f", "ZgAA"),
            ("fo", "Zm8A"),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }
}
