//! Headers as people write them: one a line, `Name: value`.

/// Reads them. A line without a colon gets no name, which the check refuses.
pub fn parse(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let header = |line: &str| match line.split_once(':') {
        Some((name, value)) => (name.trim().to_owned(), value.trim().to_owned()),
        None => (String::new(), line.to_owned()),
    };
    lines.map(header).collect()
}

/// Writes them.
pub fn show(headers: &[(String, String)]) -> String {
    let line = |(name, value): &(String, String)| format!("{name}: {value}");
    headers.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_line_by_line_and_written_back() {
        let typed = " X-Title :  My page\n\nX-Where: http://a:80\r\n";
        let headers = parse(typed);
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            headers,
            [pair("X-Title", "My page"), pair("X-Where", "http://a:80")]
        );
        assert_eq!(parse(&show(&headers)), headers);
        assert_eq!(parse("no colon"), [pair("", "no colon")]);
    }
}
