//! An endpoint's address, key and model's name as users paste them.

use super::Problem;
use crate::plain::Plain;

/// A checked address of an endpoint, without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Plain)]
pub struct BaseUrl(String);

impl BaseUrl {
    /// Reads an address as users paste it: spaces, slashes and a trailing
    /// `/chat/completions` are cut, a query is kept.
    ///
    /// # Errors
    /// The [`Problem`] to show at the field.
    pub fn parse(given: &str) -> Result<Self, Problem> {
        let given = given.trim().trim_matches(['"', '\'', '<', '>']).trim();
        if given.is_empty() {
            return Err(Problem::Empty);
        }
        let Some((scheme, rest)) = given.split_once("://") else {
            return Err(without_scheme(given));
        };
        let scheme = scheme.to_ascii_lowercase();
        if scheme != "http" && scheme != "https" {
            return Err(Problem::NotAnAddress);
        }
        let rest = rest.split('#').next().unwrap_or_default();
        let (address, query) = match rest.split_once('?') {
            Some((address, query)) => (address, format!("?{query}")),
            None => (rest, String::new()),
        };
        let (authority, path) = match address.find('/') {
            Some(at) => address.split_at(at),
            None => (address, ""),
        };
        if authority.contains('@') {
            return Err(Problem::CredentialsInAddress);
        }
        if authority.starts_with('[') {
            return Err(Problem::Ipv6Host);
        }
        let authority = authority.to_ascii_lowercase();
        if !is_authority(&authority) || !is_path(path) || !is_path(&query) {
            return Err(Problem::NotAnAddress);
        }
        if scheme == "http" && !is_local(host_of(&authority)) {
            return Err(Problem::InsecureHost);
        }
        let mut path = path.trim_end_matches('/');
        while let Some(shorter) = path.strip_suffix("/chat/completions") {
            path = shorter.trim_end_matches('/');
        }
        while let Some(shorter) = path.strip_suffix("/v1")
            && shorter.ends_with("/v1")
        {
            path = shorter;
        }
        Ok(Self(format!("{scheme}://{authority}{path}{query}")))
    }

    /// The address of `/chat/completions` (or another route) below it.
    pub fn join(&self, route: &str) -> String {
        let (address, query) = self.split_query();
        format!("{address}{route}{query}")
    }

    /// The same address with `/v1` at its end, for hosts pasted without it;
    /// `None` if the path names a version already.
    pub fn with_v1(&self) -> Option<Self> {
        let (address, query) = self.split_query();
        let is_version = |name: &str| {
            let mut chars = name.chars();
            chars.next() == Some('v') && chars.next().is_some_and(|c| c.is_ascii_digit())
        };
        let has_version = address.split('/').skip(3).any(is_version);
        (!has_version).then(|| Self(format!("{address}/v1{query}")))
    }

    /// Addresses that may be meant where nothing is at this one: with `/v1` at its end, and
    /// right behind the host.
    pub fn alternatives(&self) -> Vec<Self> {
        let (address, query) = self.split_query();
        let scheme = address.find("://").map_or(0, |at| at + 3);
        let end = address[scheme..].find('/');
        let root = &address[..end.map_or(address.len(), |at| scheme + at)];
        let mut found: Vec<Self> = self.with_v1().into_iter().collect();
        let at_root = Self(format!("{root}/v1{query}"));
        if at_root != *self && !found.contains(&at_root) {
            found.push(at_root);
        }
        found
    }

    /// The address as it may be shown to others: its query may hold a secret.
    pub fn without_values(&self) -> String {
        let (address, query) = self.split_query();
        let mut shown = address.to_owned();
        for (at, pair) in query.split(['?', '&']).skip(1).enumerate() {
            shown.push(if at == 0 { '?' } else { '&' });
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            shown.push_str(name);
            if !value.is_empty() {
                shown.push_str("=…");
            }
        }
        shown
    }

    /// Host and port, as shown to the user.
    pub fn host(&self) -> &str {
        let rest = self.0.split_once("://").map_or("", |(_, rest)| rest);
        rest.split(['/', '?']).next().unwrap_or_default()
    }

    /// The whole address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn split_query(&self) -> (&str, &str) {
        match self.0.find('?') {
            Some(at) => self.0.split_at(at),
            None => (&self.0, ""),
        }
    }
}

fn without_scheme(given: &str) -> Problem {
    let address = given
        .split('/')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let looks_like_host = is_authority(&address)
        && (address.contains('.') || is_local(host_of(&address)))
        && !given.contains(char::is_whitespace);
    if !looks_like_host {
        return Problem::NotAnAddress;
    }
    let scheme = if is_local(host_of(&address)) {
        "http"
    } else {
        "https"
    };
    Problem::SchemeMissing {
        suggestion: format!("{scheme}://{given}"),
    }
}

fn host_of(authority: &str) -> &str {
    authority.split(':').next().unwrap_or_default()
}

/// The hosts to which the page's content policy lets plain `http` through.
fn is_local(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1")
}

/// Whether a host, with its port or without, is this machine.
pub fn is_loopback(host: &str) -> bool {
    is_local(host_of(host))
}

fn is_authority(authority: &str) -> bool {
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let host_fits = !host.is_empty()
        && host.split('.').all(|label| {
            !label.is_empty()
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label
                    .chars()
                    .all(|c| c.is_alphanumeric() || c == '-' || c == '_')
        });
    host_fits && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
}

fn is_path(path: &str) -> bool {
    !path
        .chars()
        .any(|c| c.is_whitespace() || c.is_control() || "<>\"{}|\\^`".contains(c))
}

/// Reads a key as users paste it; an empty one is fine (local servers need none).
///
/// # Errors
/// [`Problem::BadKey`] if it can't stand in a header.
pub fn parse_key(given: &str) -> Result<String, Problem> {
    let key = given.trim();
    let key = key.strip_prefix("Bearer ").unwrap_or(key).trim();
    if key.chars().all(|c| c.is_ascii_graphic()) {
        Ok(key.to_owned())
    } else {
        Err(Problem::BadKey)
    }
}

/// Reads a model's name.
///
/// # Errors
/// [`Problem::Empty`].
pub fn parse_model(given: &str) -> Result<String, Problem> {
    match given.trim() {
        "" => Err(Problem::Empty),
        model => Ok(model.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: &str, expected: Result<&str, Problem>) {
        let parsed = BaseUrl::parse(given).map(|url| url.join("/chat/completions"));
        assert_eq!(parsed, expected.map(str::to_owned), "{given:?}");
    }

    #[test]
    fn addresses_as_users_paste_them() {
        for (given, expected) in [
            (
                " https://api.example.com/v1/ ",
                "https://api.example.com/v1/chat/completions",
            ),
            (
                "https://API.example.com",
                "https://api.example.com/chat/completions",
            ),
            (
                "https://x.example/v1/chat/completions",
                "https://x.example/v1/chat/completions",
            ),
            (
                "https://x.example/v1/chat/completions/",
                "https://x.example/v1/chat/completions",
            ),
            (
                "https://x.example/openai/d/m/chat/completions?api-version=1",
                "https://x.example/openai/d/m/chat/completions?api-version=1",
            ),
            (
                "https://x.example/v1/v1/",
                "https://x.example/v1/chat/completions",
            ),
            (
                "http://localhost:11434/v1",
                "http://localhost:11434/v1/chat/completions",
            ),
            (
                "http://127.0.0.1:1234",
                "http://127.0.0.1:1234/chat/completions",
            ),
            (
                "\"https://x.example/v1\"",
                "https://x.example/v1/chat/completions",
            ),
            (
                " '<https://x.example/v1/v1/v1>' ",
                "https://x.example/v1/chat/completions",
            ),
        ] {
            check(given, Ok(expected));
        }
    }

    #[test]
    fn what_is_no_address_is_told_apart() {
        let suggestion = |text: &str| Problem::SchemeMissing {
            suggestion: text.into(),
        };
        for (given, problem) in [
            ("  ", Problem::Empty),
            ("not a url", Problem::NotAnAddress),
            ("htp:/x", Problem::NotAnAddress),
            ("ftp://x.example", Problem::NotAnAddress),
            ("javascript:alert(1)", Problem::NotAnAddress),
            ("https://[::1]:8080/v1", Problem::Ipv6Host),
            ("http://[::1]:11434", Problem::Ipv6Host),
            ("https://me@[::1]/v1", Problem::CredentialsInAddress),
            ("https://x\".example", Problem::NotAnAddress),
            ("https://x.example/a b", Problem::NotAnAddress),
            ("data:text/plain,x", Problem::NotAnAddress),
            ("javascript://x.example/%0aalert(1)", Problem::NotAnAddress),
            ("https://", Problem::NotAnAddress),
            ("https:///v1", Problem::NotAnAddress),
            ("https://a b.example", Problem::NotAnAddress),
            ("https://x.example:99999", Problem::NotAnAddress),
            ("https://x..example", Problem::NotAnAddress),
            ("http://192.168.1.5:11434", Problem::InsecureHost),
            ("https://me:secret@x.example", Problem::CredentialsInAddress),
            (
                "api.example.com/v1",
                suggestion("https://api.example.com/v1"),
            ),
            ("localhost:11434", suggestion("http://localhost:11434")),
        ] {
            check(given, Err(problem));
        }
    }

    #[test]
    fn v1_is_only_offered_where_no_version_stands() {
        let with_v1 = |given| BaseUrl::parse(given).unwrap().with_v1().map(|url| url.0);
        assert_eq!(
            with_v1("https://x.example").as_deref(),
            Some("https://x.example/v1")
        );
        assert_eq!(
            with_v1("https://x.example/a?k=1").as_deref(),
            Some("https://x.example/a/v1?k=1")
        );
        assert_eq!(with_v1("https://x.example/v4"), None);
        assert_eq!(with_v1("https://x.example/v1beta/openai"), None);
    }

    #[test]
    fn what_else_may_be_meant_is_tried_at_the_end_and_at_the_root() {
        let check = |given, expected: &[&str]| {
            let found = BaseUrl::parse(given).unwrap().alternatives();
            let found: Vec<&str> = found.iter().map(BaseUrl::as_str).collect();
            assert_eq!(found, expected, "{given}");
        };
        check("https://x.example", &["https://x.example/v1"]);
        check(
            "https://x.example/docs?k=1",
            &["https://x.example/docs/v1?k=1", "https://x.example/v1?k=1"],
        );
        check("https://x.example/v2/chat", &["https://x.example/v1"]);
        check("https://x.example/v1", &[]);
    }

    #[test]
    fn values_of_a_query_are_not_shown() {
        let shown = |given| BaseUrl::parse(given).unwrap().without_values();
        assert_eq!(
            shown("https://x.example/a?api-version=1&key=abc&b"),
            "https://x.example/a?api-version=…&key=…&b"
        );
        assert_eq!(shown("https://x.example/v1"), "https://x.example/v1");
    }

    #[test]
    fn keys_are_trimmed_and_must_fit_a_header() {
        assert_eq!(parse_key(" Bearer sk-1 \n"), Ok("sk-1".into()));
        assert_eq!(parse_key(""), Ok(String::new()));
        assert_eq!(parse_key("sk–1"), Err(Problem::BadKey));
        assert_eq!(parse_key("sk 1"), Err(Problem::BadKey));
        assert_eq!(parse_key("sk-1\nsk-2"), Err(Problem::BadKey));
        assert_eq!(parse_key("sk-1\r\nX-Other: 1"), Err(Problem::BadKey));
        assert_eq!(parse_key("sk-\u{200b}1"), Err(Problem::BadKey));
    }
}
