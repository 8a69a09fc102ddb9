//! Addresses: which may be asked for, and where a page's links lead.

use crate::kernel::approval;
use crate::kernel::settings::is_loopback;

/// Longest address.
const MAX_LENGTH: usize = 4_000;

/// The address as it is asked for and as approval rules see it: `https` is meant where no
/// scheme stands.
pub(super) fn whole(given: &str) -> String {
    let given = given.trim();
    match given.contains("://") {
        true => given.to_owned(),
        false => format!("https://{given}"),
    }
}

/// The host of an address that a page may ask for.
///
/// # Errors
/// Why it may not: a sentence for the model.
pub(super) fn host_of(address: &str) -> Result<String, String> {
    let shown: String = address.chars().take(80).collect();
    if address.len() > MAX_LENGTH {
        return Err(format!(
            "the address is longer than {MAX_LENGTH} characters"
        ));
    }
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let scheme = scheme.to_ascii_lowercase();
    if scheme != "https" && scheme != "http" {
        return Err(format!(
            "{shown:?} can't be fetched; only https addresses can, and http ones of this machine"
        ));
    }
    let authority = rest.split(['/', '?', '#', '\\']).next();
    if authority.is_some_and(|authority| authority.contains('@')) {
        return Err(
            "an address can't carry a name or password; leave out what stands before the @".into(),
        );
    }
    let Some(host) = approval::host(address) else {
        return Err(format!(
            "{shown:?} names no host that can be read; write it in plain letters, such as https://example.com/page"
        ));
    };
    if scheme == "http" && !is_loopback(&host) {
        return Err(format!(
            "a page loaded over https can't fetch http://{host}; try https://{host}"
        ));
    }
    Ok(host)
}

/// Where a link of the page at `base` leads, if to another page of the web.
pub(super) fn resolve(base: &str, link: &str) -> Option<String> {
    // Browsers drop these wherever they stand.
    let link: String = link.trim().replace(['\t', '\n', '\r'], "");
    if link.is_empty() || link.starts_with('#') || link.len() > MAX_LENGTH {
        return None;
    }
    let (scheme, rest) = base.split_once("://")?;
    let rest = rest.split('#').next()?;
    let path_at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(path_at);
    let origin = format!("{scheme}://{authority}");
    if let Some(same_scheme) = link.strip_prefix("//") {
        return Some(format!("{scheme}://{same_scheme}"));
    }
    if let Some(colon) = link.find(':')
        && !link[..colon].contains(['/', '?', '#'])
    {
        let scheme = link[..colon].to_ascii_lowercase();
        return matches!(scheme.as_str(), "http" | "https" | "mailto").then_some(link);
    }
    let path = path.split('?').next().unwrap_or_default();
    if link.starts_with('?') {
        return Some(format!("{origin}{path}{link}"));
    }
    let (name, query) = link.split_at(link.find(['?', '#']).unwrap_or(link.len()));
    let folder = match name.starts_with('/') {
        true => "",
        false => &path[..path.rfind('/').unwrap_or_default()],
    };
    let mut steps: Vec<&str> = Vec::new();
    let names = folder.split('/').chain(name.split('/'));
    for step in names.filter(|step| !step.is_empty() && *step != ".") {
        match step {
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    let end = if name.ends_with('/') && !steps.is_empty() {
        "/"
    } else {
        ""
    };
    Some(format!("{origin}/{}{end}{query}", steps.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_page_may_ask_for_is_asked_for() {
        for (address, expected) in [
            ("https://Example.com/a?b", Ok("example.com")),
            ("http://localhost:3000/x", Ok("localhost:3000")),
            (
                "http://example.com/",
                Err("a page loaded over https can't fetch http://example.com"),
            ),
            (
                "file:///etc/passwd",
                Err("\"file:///etc/passwd\" can't be fetched"),
            ),
            ("data://x", Err("\"data://x\" can't be fetched")),
            (
                "https://me:secret@example.com/",
                Err("an address can't carry a name or password"),
            ),
            (
                "https://javascript:alert(1)",
                Err("\"https://javascript:alert(1)\" names no host"),
            ),
            ("https://", Err("\"https://\" names no host")),
        ] {
            match (host_of(address), expected) {
                (Ok(host), Ok(expected)) => assert_eq!(host, expected),
                (Err(told), Err(expected)) => assert!(told.starts_with(expected), "{told}"),
                (got, _) => panic!("{address}: {got:?}"),
            }
        }
        assert_eq!(whole(" example.com/a "), "https://example.com/a");
    }

    #[test]
    fn links_lead_where_a_browser_would_go() {
        let base = "https://example.com/docs/guide/index.html?x=/y#z";
        for (link, expected) in [
            ("https://a.b/c", Some("https://a.b/c")),
            ("//a.b/c", Some("https://a.b/c")),
            ("/top", Some("https://example.com/top")),
            (
                "next.html",
                Some("https://example.com/docs/guide/next.html"),
            ),
            ("../a/", Some("https://example.com/docs/a/")),
            ("../../../../a", Some("https://example.com/a")),
            ("./", Some("https://example.com/docs/guide/")),
            (
                "?page=2",
                Some("https://example.com/docs/guide/index.html?page=2"),
            ),
            ("a?b=../c", Some("https://example.com/docs/guide/a?b=../c")),
            ("mailto:a@b.c", Some("mailto:a@b.c")),
            ("java\nscript:alert(1)", None),
            ("JavaScript:alert(1)", None),
            ("data:text/html,x", None),
            ("#part", None),
            ("", None),
        ] {
            assert_eq!(resolve(base, link).as_deref(), expected, "{link:?}");
        }
        assert_eq!(
            resolve("https://a.b", "c").as_deref(),
            Some("https://a.b/c")
        );
    }
}
