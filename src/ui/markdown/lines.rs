//! Which lines of a text make a block: looks at lines only, at no word in them.

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `# …`, or a paragraph with a line of `=` or `-` under it.
    Heading(u8),
    /// `---`
    Rule,
    /// Code between fences.
    Fenced,
    /// Code that is indented.
    Indented,
    /// `> …`
    Quote,
    /// Items with the same marker.
    List(Marker),
    /// Rows of cells.
    Table,
    /// Anything else.
    Paragraph,
}

/// What stands in front of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    /// `-`, `+`, `*`, or the sign behind the number.
    pub sign: char,
    /// The number, if it is one.
    pub number: Option<u64>,
    /// Columns in front of it.
    pub indent: usize,
    /// Bytes up to the item's text.
    pub width: usize,
}

impl Marker {
    /// Whether another marker goes on with the list.
    fn goes_with(self, other: Marker) -> bool {
        self.sign == other.sign && self.number.is_some() == other.number.is_some()
    }

    /// Columns from which a line belongs to the item. Models indent less than the
    /// rule for numbered items asks for, so two are enough.
    pub fn inside(self) -> usize {
        self.width.min(self.indent + 2)
    }
}

/// The kind of the block that begins with the first of `lines`, and how many lines
/// it has. That line must not be blank.
pub(super) fn block(lines: &[&str]) -> (Kind, usize) {
    let first = lines[0];
    if indent(first) >= 4 {
        return (Kind::Indented, indented(lines));
    }
    if let Some(kind) = start(first) {
        let count = match kind {
            Kind::Fenced => fenced(lines),
            Kind::Quote => quote(lines),
            Kind::List(marker) => list(lines, marker),
            _ => 1,
        };
        return (kind, count);
    }
    if is_table(lines) {
        let rows = lines.iter().skip(2);
        let rows = rows.take_while(|line| line.contains('|') && start(line).is_none());
        return (Kind::Table, 2 + rows.count());
    }
    paragraph(lines)
}

/// The kind of a block that this line alone announces.
fn start(line: &str) -> Option<Kind> {
    if indent(line) >= 4 {
        return None;
    }
    let text = line.trim();
    let hashes = text.bytes().take_while(|byte| *byte == b'#').count();
    let behind = text[hashes..].chars().next();
    if (1..=6).contains(&hashes) && behind.is_none_or(char::is_whitespace) {
        return Some(Kind::Heading(hashes as u8));
    }
    if is_rule(text) {
        return Some(Kind::Rule);
    }
    if fence(line).is_some() {
        return Some(Kind::Fenced);
    }
    if text.starts_with('>') {
        return Some(Kind::Quote);
    }
    marker(line).map(Kind::List)
}

/// Columns in front of a line's text; a tab counts for four.
pub(super) fn indent(line: &str) -> usize {
    let blanks = line.chars().map_while(|c| match c {
        ' ' => Some(1),
        '\t' => Some(4),
        _ => None,
    });
    blanks.sum()
}

/// The line without up to `columns` in front.
pub(super) fn dedent(line: &str, columns: usize) -> &str {
    let mut left = columns;
    line.trim_start_matches(|c| match c {
        ' ' if left >= 1 => {
            left -= 1;
            true
        }
        '\t' if left >= 1 => {
            left = left.saturating_sub(4);
            true
        }
        _ => false,
    })
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn is_rule(text: &str) -> bool {
    let signs = || text.chars().filter(|c| !c.is_whitespace());
    matches!(signs().next(), Some(first @ ('-' | '*' | '_')) if signs().all(|c| c == first))
        && signs().count() >= 3
}

/// Sign and length of the fence that the line is, if it is one.
pub(super) fn fence(line: &str) -> Option<(char, usize)> {
    let text = line.trim_start();
    let sign = text
        .chars()
        .next()
        .filter(|sign| matches!(sign, '`' | '~'))?;
    let length = text.chars().take_while(|c| *c == sign).count();
    let info = &text[length..];
    (length >= 3 && !(sign == '`' && info.contains('`'))).then_some((sign, length))
}

fn fenced(lines: &[&str]) -> usize {
    let Some((sign, length)) = fence(lines[0]) else {
        return 1;
    };
    let is_end = |line: &&str| {
        let text = line.trim();
        text.len() >= length && text.chars().all(|c| c == sign)
    };
    let end = lines.iter().skip(1).position(is_end);
    end.map_or(lines.len(), |end| end + 2)
}

fn indented(lines: &[&str]) -> usize {
    let inside = lines
        .iter()
        .take_while(|line| is_blank(line) || indent(line) >= 4)
        .count();
    let blank = lines[..inside]
        .iter()
        .rev()
        .take_while(|line| is_blank(line))
        .count();
    inside - blank
}

fn quote(lines: &[&str]) -> usize {
    let is_inside = |line: &&&str| {
        let begins = start(line);
        begins == Some(Kind::Quote) || (!is_blank(line) && begins.is_none())
    };
    lines.iter().take_while(is_inside).count()
}

/// Sign, number and width of an item's marker.
pub(super) fn marker(line: &str) -> Option<Marker> {
    let before = indent(line);
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = match digits {
        0 => None,
        1..=9 => text[..digits].parse().ok(),
        _ => return None,
    };
    let sign = text[digits..].chars().next()?;
    let fits = match number {
        Some(_) => matches!(sign, '.' | ')'),
        None => matches!(sign, '-' | '+' | '*'),
    };
    let rest = &text[digits..][sign.len_utf8()..];
    if !fits || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let blanks = rest.len() - rest.trim_start().len();
    // More than four blanks belong to code inside the item.
    let gap = if (1..=4).contains(&blanks) { blanks } else { 1 };
    Some(Marker {
        sign,
        number,
        indent: before,
        width: before + digits + 1 + gap,
    })
}

fn list(lines: &[&str], first: Marker) -> usize {
    let mut current = first;
    let mut end = 1;
    for (at, line) in lines.iter().enumerate().skip(1) {
        if is_blank(line) {
            continue;
        }
        let after_blank = end < at;
        if indent(line) >= current.inside() {
            end = at + 1;
            continue;
        }
        match (start(line), after_blank) {
            (Some(Kind::List(marker)), _) if first.goes_with(marker) => current = marker,
            // A paragraph goes on without its indent.
            (None, false) => {}
            _ => break,
        }
        end = at + 1;
    }
    end
}

/// The cells of a row, without the bars at its ends.
pub(super) fn cells(line: &str) -> Vec<String> {
    let text = line.trim();
    let text = text.strip_prefix('|').unwrap_or(text);
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut escaped = false;
    for c in text.chars() {
        if c == '|' && escaped {
            cell.pop();
        }
        if c == '|' && !escaped {
            cells.push(std::mem::take(&mut cell).trim().to_owned());
        } else {
            cell.push(c);
        }
        escaped = c == '\\' && !escaped;
    }
    if cells.is_empty() || !is_blank(&cell) {
        cells.push(cell.trim().to_owned());
    }
    cells
}

fn is_table(lines: &[&str]) -> bool {
    let [head, below, ..] = lines else {
        return false;
    };
    let is_dashes = |cell: &String| {
        let dashes = cell.strip_prefix(':').unwrap_or(cell);
        let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
        !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
    };
    head.contains('|') && below.contains('-') && {
        let below = cells(below);
        below.iter().all(is_dashes) && below.len() == cells(head).len()
    }
}

fn paragraph(lines: &[&str]) -> (Kind, usize) {
    for at in 1..lines.len() {
        let text = lines[at].trim();
        if !text.is_empty() && indent(lines[at]) < 4 {
            if text.bytes().all(|byte| byte == b'=') {
                return (Kind::Heading(1), at + 1);
            }
            if text.bytes().all(|byte| byte == b'-') {
                return (Kind::Heading(2), at + 1);
            }
        }
        let interrupts = match start(lines[at]) {
            // A number at the start of a line is mostly no list, unless it is the first.
            Some(Kind::List(marker)) => {
                marker.number.is_none_or(|number| number == 1)
                    && marker.width < lines[at].trim_end().len()
            }
            begins => begins.is_some(),
        };
        if text.is_empty() || interrupts || is_table(&lines[at..]) {
            return (Kind::Paragraph, at);
        }
    }
    (Kind::Paragraph, lines.len())
}
