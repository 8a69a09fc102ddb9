//! What is near a text that was not found: the lines most like it, and in what
//! they differ. Models copy with small faults, and mend them when they see both.

use super::text::floor_boundary;

/// Lines of a file that are looked at.
const MAX_LOOKED_AT: usize = 50_000;
/// Lines of the wanted text that are compared.
const MAX_COMPARED: usize = 8;
/// Bytes of a line that are compared, and shown.
const MAX_LINE: usize = 200;
/// Lines that are shown.
const MAX_SHOWN: usize = 12;
/// From how many points of 100 on a line is like another one.
const LIKE: usize = 55;

/// Why `wanted` does not stand in `text`, with the nearest lines; `name` is what the
/// model knows it by. A sentence that ends with a full stop or with lines.
pub(super) fn why_missing(text: &str, wanted: &str, name: &str) -> String {
    if holds_line_numbers(wanted) && text.contains(&without_line_numbers(wanted)) {
        return format!(
            "{name} was not found since it holds line numbers as read_file shows them; leave them out."
        );
    }
    if wanted.contains("\r\n") && text.contains(&wanted.replace("\r\n", "\n")) {
        return format!(
            "{name} was not found since its line ends are CRLF and those of the file are LF; send it with LF."
        );
    }
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = trimmed(wanted.lines().collect());
    let Some(start) = nearest(&lines, &wanted) else {
        return format!(
            "{name} was not found, and nothing is like it; read the file and copy the text exactly."
        );
    };
    let window = &lines[start..lines.len().min(start + wanted.len())];
    format!(
        "{name} was not found. The nearest lines differ in {}:\n{}",
        difference(window, &wanted, name),
        numbered(window, start)
    )
}

/// Some lines with their numbers; the first is number `start`, from 0.
pub(super) fn numbered(lines: &[&str], start: usize) -> String {
    let mut shown = String::new();
    for (n, line) in lines.iter().enumerate().take(MAX_SHOWN) {
        let cut = &line[..floor_boundary(line, MAX_LINE)];
        shown.push_str(&format!("{}\t{cut}\n", start + n + 1));
    }
    if lines.len() > MAX_SHOWN {
        shown.push_str("…\n");
    }
    shown
}

/// Where the lines most like `wanted` begin, if any are like it.
fn nearest(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let wanted: Vec<String> = wanted
        .iter()
        .take(MAX_COMPARED)
        .map(|l| folded(l))
        .collect();
    let looked_at = lines.iter().take(MAX_LOOKED_AT);
    let lines: Vec<String> = looked_at.map(|line| folded(line)).collect();
    let score = |start: usize| -> usize {
        let pairs = lines[start..].iter().zip(&wanted);
        pairs.map(|(line, wanted)| likeness(line, wanted)).sum()
    };
    let best = (0..lines.len()).map(|start| (score(start), start));
    // Of several the first.
    let (score, start) = best.max_by_key(|(score, start)| (*score, usize::MAX - start))?;
    (!wanted.is_empty() && score >= LIKE * wanted.len()).then_some(start)
}

/// From 0 for lines that have nothing in common to 100 for the same.
fn likeness(a: &str, b: &str) -> usize {
    if a == b {
        return 100;
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a_rest, b_rest) = (a[head..].iter().rev(), b[head..].iter().rev());
    let tail = a_rest.zip(b_rest).take_while(|(a, b)| a == b).count();
    (head + tail) * 95 / a.len().max(b.len()).max(1)
}

/// In what the lines of the file differ from those that were wanted.
fn difference(there: &[&str], wanted: &[&str], name: &str) -> String {
    let mut found: Vec<String> = Vec::new();
    let mut add = |what: String| {
        if !found.contains(&what) {
            found.push(what);
        }
    };
    for (there, wanted) in there.iter().zip(wanted) {
        if there == wanted {
            continue;
        }
        let indent = |line: &str| line[..line.len() - line.trim_start().len()].to_owned();
        let (a, b) = (indent(there), indent(wanted));
        if a.contains('\t') != b.contains('\t') && !(a.is_empty() && b.is_empty()) {
            let kind = |indent: &str| match (indent.contains('\t'), indent.is_empty()) {
                (true, _) => "tabs",
                (_, true) => "nothing",
                _ => "spaces",
            };
            let (a, b) = (kind(&a), kind(&b));
            add(format!("indentation ({a} there, {b} in {name})"));
        } else if a != b {
            add("indentation".into());
        }
        if there.len() - there.trim_end().len() != wanted.len() - wanted.trim_end().len() {
            add("white space at line ends".into());
        }
        let (a, b) = (there.trim(), wanted.trim());
        let (spaced_a, spaced_b) = (plain_space(a), plain_space(b));
        if a != b && spaced_a == spaced_b {
            add("white space".into());
        }
        let (quoted_a, quoted_b) = (plain_quotes(&spaced_a), plain_quotes(&spaced_b));
        if spaced_a != spaced_b && quoted_a == quoted_b {
            add("quotes or dashes".into());
        }
        if quoted_a == quoted_b {
            continue;
        }
        add(match quoted_a.to_lowercase() == quoted_b.to_lowercase() {
            true => "upper and lower case".into(),
            false => "text".into(),
        });
    }
    if there.len() < wanted.len() {
        add("length: the file ends there".into());
    }
    if found.is_empty() {
        found.push("empty lines or line ends".into());
    }
    found.join(" and ")
}

/// A line as it is compared: small faults are none.
fn folded(line: &str) -> String {
    let line = &line[..floor_boundary(line, MAX_LINE)];
    plain_quotes(&plain_space(line.trim())).to_lowercase()
}

/// Every run of white space as one space.
fn plain_space(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Quotes and dashes that editors and models put in each other's place.
fn plain_quotes(line: &str) -> String {
    let plain = |c: char| match c {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{201c}' | '\u{201d}'
        | '\u{201e}' | '\u{ab}' | '\u{bb}' | '"' | '`' => '\'',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        c => c,
    };
    line.chars().map(plain).collect()
}

/// Without empty lines around them.
fn trimmed(mut lines: Vec<&str>) -> Vec<&str> {
    let is_empty = |line: &&&str| line.trim().is_empty();
    let empty = lines.iter().take_while(is_empty).count();
    lines.drain(..empty);
    let empty = lines.iter().rev().take_while(is_empty).count();
    lines.truncate(lines.len() - empty);
    lines
}

fn number_end(line: &str) -> Option<usize> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && line[digits..].starts_with('\t')).then_some(digits + 1)
}

fn holds_line_numbers(text: &str) -> bool {
    !text.is_empty() && text.lines().all(|line| number_end(line).is_some())
}

fn without_line_numbers(text: &str) -> String {
    let bare = text
        .lines()
        .map(|line| &line[number_end(line).unwrap_or(0)..]);
    bare.collect::<Vec<_>>().join("\n")
}
