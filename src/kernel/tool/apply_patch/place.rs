//! Finds where each hunk of a patch belongs, and makes its change. Models count lines
//! badly: what stands there counts for more than the number.

use super::super::near::why_missing;
use super::parse::{Hunk, Sign};

/// Lines of context that may differ, at each end of a hunk.
const MAX_FUZZ: usize = 2;
/// Most places of a hunk that are named.
const MAX_PLACES: usize = 5;
/// Most lines that are compared for one patch, so that no patch takes long.
const MAX_COMPARED: usize = 20_000_000;

/// A line and its line end.
type Line<'a> = (&'a str, &'a str);

/// Where a hunk was found.
struct Place {
    /// The first line of the file that belongs to it, from 0.
    at: usize,
    /// Lines at its begin and end that are left as the file has them.
    fuzz: [usize; 2],
}

/// Makes all changes in `text`. Gives the new text, and what is odd about the places.
///
/// # Errors
/// A sentence for the model: the hunk, and what is there instead.
pub fn apply(text: &str, hunks: &[Hunk]) -> Result<(String, String), String> {
    let lines: Vec<Line<'_>> = text.split_inclusive('\n').map(parted).collect();
    let default_end = lines
        .first()
        .map_or("\n", |(_, end)| if end.is_empty() { "\n" } else { end });
    let mut after: Vec<Line<'_>> = Vec::new();
    let mut notes = String::new();
    let (mut done, mut shift) = (0, 0_isize);
    let mut ends_bare = lines.last().is_some_and(|(_, end)| end.is_empty());
    let mut budget = MAX_COMPARED;
    for (n, hunk) in hunks.iter().enumerate() {
        if hunk.lines.is_empty() {
            continue;
        }
        let expected = hunk
            .line
            .map(|line| line.saturating_sub(1).saturating_add_signed(shift));
        let place = find(&lines, hunk, done, expected, &mut budget).map_err(|problem| {
            let of = match hunk.line {
                Some(line) => format!("hunk {} (line {line})", n + 1),
                None => format!("hunk {}", n + 1),
            };
            format!("{of}: {}", problem.unwrap_or_else(|| missing(text, hunk)))
        })?;
        let start = place.at - place.fuzz[0];
        if let Some(expected) = expected
            && expected != start
            && old_lines(hunk).next().is_some()
        {
            shift += start as isize - expected as isize;
            notes.push_str(&format!(", hunk {} at line {}", n + 1, start + 1));
        }
        after.extend(&lines[done..place.at]);
        done = change(&lines, hunk, &place, default_end, &mut after);
        if done == lines.len() {
            ends_bare = hunk.ends_bare || (ends_bare && keeps_end(hunk));
        }
    }
    after.extend(&lines[done..]);
    let count = after.len();
    let mut new = String::with_capacity(text.len());
    for (n, (line, end)) in after.into_iter().enumerate() {
        new.push_str(line);
        match (n + 1 == count, end.is_empty()) {
            (true, _) if ends_bare => {}
            (_, true) => new.push_str(default_end),
            (_, false) => new.push_str(end),
        }
    }
    Ok((new, notes))
}

/// Whether the last line of the file is one that the hunk leaves as it is.
fn keeps_end(hunk: &Hunk) -> bool {
    matches!(hunk.lines.last(), Some((Sign::Same, _)))
}

/// Writes the lines of a hunk, and tells up to where those of the file are done.
fn change<'a>(
    lines: &[Line<'a>],
    hunk: &'a Hunk,
    place: &Place,
    default_end: &'a str,
    after: &mut Vec<Line<'a>>,
) -> usize {
    let last = hunk.lines.len() - place.fuzz[1];
    let mut at = place.at;
    for (sign, text) in &hunk.lines[place.fuzz[0]..last] {
        match sign {
            // As the file has it: the hunk may differ in white space.
            Sign::Same => {
                after.push(lines[at]);
                at += 1;
            }
            Sign::Del => at += 1,
            Sign::Add => {
                let near = lines.get(at).or_else(|| lines.get(at.wrapping_sub(1)));
                let end = near.map(|(_, end)| *end).filter(|end| !end.is_empty());
                after.push((text, end.unwrap_or(default_end)));
            }
        }
    }
    at
}

/// Where the old lines of a hunk stand, from line `from` on.
fn find(
    lines: &[Line<'_>],
    hunk: &Hunk,
    from: usize,
    expected: Option<usize>,
    budget: &mut usize,
) -> Result<Place, Option<String>> {
    let old: Vec<&str> = old_lines(hunk).collect();
    if old.is_empty() {
        return insertion(lines, hunk, from, expected);
    }
    let from = match &hunk.anchor {
        Some(anchor) => {
            let is_anchor = |(line, _): &Line<'_>| line.trim() == anchor.trim();
            let found = lines[from..].iter().position(is_anchor);
            found.map_or(from, |at| from + at)
        }
        None => from,
    };
    let context = |side: &mut dyn Iterator<Item = &(Sign, String)>| {
        side.take_while(|(sign, _)| *sign == Sign::Same).count()
    };
    let (head, tail) = (
        context(&mut hunk.lines.iter()),
        context(&mut hunk.lines.iter().rev()),
    );
    let exact: fn(&str, &str) -> bool = |a, b| a == b;
    let loose: fn(&str, &str) -> bool = |a, b| a.trim_end() == b.trim_end();
    for fuzz in 0..=MAX_FUZZ {
        let cut = [fuzz.min(head), fuzz.min(tail)];
        // All of it context: then nothing would be left to find it by.
        if fuzz > 0 && (cut == [0, 0] || cut[0] + cut[1] >= old.len()) {
            break;
        }
        let wanted = &old[cut[0]..old.len() - cut[1]];
        for same in [exact, loose] {
            let places = places(lines, wanted, from, same, budget);
            let expected = expected.map(|at| at + cut[0]);
            match (places.as_slice(), expected.filter(|at| places.contains(at))) {
                ([], _) => {}
                (_, Some(at)) => return Ok(Place { at, fuzz: cut }),
                ([at, ..], None) if places.len() == 1 || hunk.anchor.is_some() => {
                    return Ok(Place { at: *at, fuzz: cut });
                }
                (places, None) => return Err(Some(ambiguous(places, expected))),
            }
        }
    }
    Err(None)
}

fn ambiguous(places: &[usize], expected: Option<usize>) -> String {
    let named: Vec<String> = places
        .iter()
        .take(MAX_PLACES)
        .map(|at| (at + 1).to_string())
        .collect();
    let more = if places.len() > MAX_PLACES {
        ", …"
    } else {
        ""
    };
    let not = match expected {
        Some(at) => format!(" and not at line {}", at + 1),
        None => String::new(),
    };
    format!(
        "its old lines stand at lines {}{more}{not}; give more lines of context",
        named.join(", ")
    )
}

fn places(
    lines: &[Line<'_>],
    wanted: &[&str],
    from: usize,
    same: fn(&str, &str) -> bool,
    budget: &mut usize,
) -> Vec<usize> {
    let last = (lines.len() + 1).saturating_sub(wanted.len());
    let fits = |at: &usize| {
        let mut pairs = lines[*at..].iter().zip(wanted);
        pairs.all(|((line, _), wanted)| {
            *budget = budget.saturating_sub(1);
            *budget > 0 && same(line, wanted)
        })
    };
    (from..last).filter(fits).collect()
}

/// Where lines go that no old line tells the place of.
fn insertion(
    lines: &[Line<'_>],
    hunk: &Hunk,
    from: usize,
    expected: Option<usize>,
) -> Result<Place, Option<String>> {
    let at = match (hunk.line, expected) {
        _ if lines.is_empty() => 0,
        // Behind the line of that number, or before all.
        (Some(0), _) => 0,
        (Some(_), Some(expected)) => expected + 1,
        _ => {
            let problem = "it has no old lines, so its place is not known; give lines of context";
            return Err(Some(problem.into()));
        }
    };
    if at < from || at > lines.len() {
        let told = format!(
            "it belongs behind line {at}, and the file has {}",
            lines.len()
        );
        return Err(Some(told));
    }
    Ok(Place { at, fuzz: [0, 0] })
}

fn missing(text: &str, hunk: &Hunk) -> String {
    let new: Vec<&str> = (hunk.lines.iter().filter(|(sign, _)| *sign != Sign::Del))
        .map(|(_, text)| text.as_str())
        .collect();
    let adds = hunk.lines.iter().any(|(sign, _)| *sign == Sign::Add);
    // One line may well stand there by chance.
    if adds && new.len() > 1 && text.replace("\r\n", "\n").contains(&new.join("\n")) {
        return "its new lines are there already".into();
    }
    let old: Vec<&str> = old_lines(hunk).collect();
    why_missing(text, &old.join("\n"), "its old text")
}

fn old_lines(hunk: &Hunk) -> impl Iterator<Item = &str> {
    let old = hunk.lines.iter().filter(|(sign, _)| *sign != Sign::Add);
    old.map(|(_, text)| text.as_str())
}

/// A line and its end.
fn parted(line: &str) -> Line<'_> {
    let bare = line
        .strip_suffix('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line));
    let bare = bare.unwrap_or(line);
    (bare, &line[bare.len()..])
}
