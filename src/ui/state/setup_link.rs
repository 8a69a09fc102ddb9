//! A link that fills the form of an endpoint: `#base=…&model=…&name=…`. Whoever made it
//! is not known, so it only fills fields: they are checked as if they were typed, and
//! nothing happens without the user's press. A key is never taken from it.

use crate::kernel::settings::BaseUrl;

/// Longest text that is put into a field, in characters.
const MAX_FIELD: usize = 400;

/// What a link says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SetupLink {
    /// For the address.
    pub base: String,
    /// For the model's name.
    pub model: String,
    /// For the endpoint's name.
    pub name: String,
    /// Whether there was a key in it, which is gone.
    pub had_key: bool,
}

impl SetupLink {
    /// Reads the part of an address from its `#` on; `None`: it is no such link.
    pub fn parse(fragment: &str) -> Option<Self> {
        let mut link = Self::default();
        let mut is_one = false;
        for field in fragment.trim_start_matches('#').split('&') {
            let (name, value) = field.split_once('=').unwrap_or((field, ""));
            let place = match name {
                "base" => &mut link.base,
                "model" => &mut link.model,
                "name" => &mut link.name,
                "key" | "api_key" | "apikey" | "token" => {
                    link.had_key = true;
                    is_one = true;
                    continue;
                }
                _ => continue,
            };
            *place = text(value);
            is_one = true;
        }
        is_one.then_some(link)
    }

    /// The host that its address leads to; `None`: its address is none.
    pub fn host(&self) -> Option<String> {
        let url = BaseUrl::parse(&self.base).ok()?;
        Some(url.host().to_owned())
    }
}

/// Undoes the percent signs, and drops what no field has.
fn text(value: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = value.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let code = behind.get(..2).filter(|_| byte == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &behind[2..];
            }
            None => {
                bytes.push(byte);
                rest = behind;
            }
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    text.chars()
        .filter(|c| !c.is_control())
        .take(MAX_FIELD)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(base: &str, model: &str, name: &str) -> SetupLink {
        SetupLink {
            base: base.into(),
            model: model.into(),
            name: name.into(),
            had_key: false,
        }
    }

    #[test]
    fn a_link_fills_the_fields() {
        let plain = SetupLink::parse("#base=https://x.example/v1&model=m").unwrap();
        assert_eq!(plain, link("https://x.example/v1", "m", ""));
        assert_eq!(plain.host().as_deref(), Some("x.example"));
        let coded = "#model=qwen%2Fqwen3%3A8b&base=https%3A%2F%2Fx.example%2Fv1%3Fa%3Db%26c&name=%E6%88%91%E7%9A%84+x";
        assert_eq!(
            SetupLink::parse(coded),
            Some(link(
                "https://x.example/v1?a=b&c",
                "qwen/qwen3:8b",
                "我的+x"
            ))
        );
        assert_eq!(SetupLink::parse("#model=m"), Some(link("", "m", "")));
    }

    #[test]
    fn other_fragments_are_none() {
        for fragment in ["", "#", "#settings", "#a=b&c", "#Base=x"] {
            assert_eq!(SetupLink::parse(fragment), None, "{fragment}");
        }
    }

    #[test]
    fn a_key_is_noticed_and_not_read() {
        let parsed = SetupLink::parse("#base=https://x.example&key=sk-123&model=m").unwrap();
        assert!(parsed.had_key);
        assert!(!format!("{parsed:?}").contains("sk-123"));
        assert!(SetupLink::parse("#key=sk-123").unwrap().had_key);
    }

    #[test]
    fn hostile_texts_are_harmless() {
        let script = SetupLink::parse("#base=javascript:alert(1)").unwrap();
        assert_eq!(
            (script.base.as_str(), script.host()),
            ("javascript:alert(1)", None)
        );
        let lines = SetupLink::parse("#model=a%00b%0D%0Ac%1B&base=%zz%E4%").unwrap();
        assert_eq!(lines, link("%zz\u{fffd}%", "abc", ""));
        let long = format!(
            "#base=https://{}&model={}",
            "a".repeat(100_000),
            "%41".repeat(5_000)
        );
        let long = SetupLink::parse(&long).unwrap();
        assert_eq!((long.base.len(), long.model.len()), (400, 400));
    }
}
