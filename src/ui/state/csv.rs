//! Tables as text: fields parted by a comma, a semicolon or a tab, in quotes where they
//! hold such a sign, a line end or a quote (RFC 4180). Nothing is refused: what is not
//! right is read as far as it goes.

/// Most rows that are read.
pub const MAX_ROWS: usize = 5_000;
/// Most columns that are shown.
pub const MAX_COLUMNS: usize = 100;

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// Its rows, the first of them mostly the names of the columns.
    pub rows: Vec<Vec<String>>,
    /// Fields of the longest row.
    pub columns: usize,
    /// Whether there are more rows or columns.
    pub cut: bool,
}

/// Reads a table.
pub fn read(text: &str) -> Table {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let comma = separator(text);
    let mut table = Table::default();
    let mut rest = text;
    while !rest.is_empty() {
        if table.rows.len() == MAX_ROWS {
            table.cut = true;
            break;
        }
        let (row, behind) = row(rest, comma);
        rest = behind;
        table.columns = table.columns.max(row.len());
        table.rows.push(row);
    }
    if table.columns > MAX_COLUMNS {
        table.columns = MAX_COLUMNS;
        table.cut = true;
    }
    table
}

/// The sign that parts the fields of the first line, outside of quotes.
fn separator(text: &str) -> char {
    let mut is_quoted = false;
    let mut counts = [(',', 0), (';', 0), ('\t', 0), ('|', 0)];
    for c in text.chars().take(4_000) {
        match c {
            '"' => is_quoted = !is_quoted,
            '\n' if !is_quoted => break,
            _ if is_quoted => {}
            _ => {
                let of = counts.iter_mut().filter(|(sign, _)| *sign == c);
                of.for_each(|(_, count)| *count += 1);
            }
        }
    }
    // The first of those that are as many.
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map_or(',', |(sign, _)| sign)
}

/// The fields of the first row, and what comes behind it.
fn row(text: &str, comma: char) -> (Vec<String>, &str) {
    let mut fields = Vec::new();
    let mut rest = text;
    loop {
        let (field, behind) = field(rest, comma);
        fields.push(field);
        rest = match behind.chars().next() {
            Some(c) if c == comma => &behind[c.len_utf8()..],
            _ => {
                let behind = behind.strip_prefix('\r').unwrap_or(behind);
                return (fields, behind.strip_prefix('\n').unwrap_or(behind));
            }
        };
    }
}

/// The first field, and what comes behind it: a comma, a line end or nothing.
fn field(text: &str, comma: char) -> (String, &str) {
    let ends = |c: char| c == comma || c == '\n' || c == '\r';
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find(ends).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut value = String::new();
    while let Some(quote) = rest.find('"') {
        value.push_str(&rest[..quote]);
        rest = &rest[quote + 1..];
        match rest.strip_prefix('"') {
            Some(behind) => {
                value.push('"');
                rest = behind;
            }
            None => {
                // What stands between the quote and the end of the field belongs to it.
                let end = rest.find(ends).unwrap_or(rest.len());
                value.push_str(&rest[..end]);
                return (value, &rest[end..]);
            }
        }
    }
    // Never closed: all the rest.
    value.push_str(rest);
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&[&str]]) {
        let rows = read(text).rows;
        let rows: Vec<Vec<&str>> = rows
            .iter()
            .map(|row| row.iter().map(String::as_str).collect())
            .collect();
        assert_eq!(rows, expected, "{text:?}");
    }

    #[test]
    fn fields_and_quotes() {
        check("a,b\n1,2\n", &[&["a", "b"], &["1", "2"]]);
        check("a,b\r\n1,2", &[&["a", "b"], &["1", "2"]]);
        check(
            "\u{FEFF}a;b;c\n1,5;2;",
            &[&["a", "b", "c"], &["1,5", "2", ""]],
        );
        check("a\tb\n\"x\ty\"\tz", &[&["a", "b"], &["x\ty", "z"]]);
        check(
            "name,said\nAda,\"He said \"\"no\"\",\nand left\"\n",
            &[&["name", "said"], &["Ada", "He said \"no\",\nand left"]],
        );
        check("a,\"b", &[&["a", "b"]]);
        check("\"a\"b,c", &[&["ab", "c"]]);
        check("a\n\nb", &[&["a"], &[""], &["b"]]);
        check("", &[]);
        check("\"a,b\";c\n", &[&["a,b", "c"]]);
    }

    #[test]
    fn rows_and_columns_have_an_end() {
        let table = read(&"x,y\n".repeat(6_000));
        assert_eq!(
            (table.rows.len(), table.columns, table.cut),
            (5_000, 2, true)
        );
        let table = read(&",".repeat(300));
        assert_eq!(
            (table.rows[0].len(), table.columns, table.cut),
            (301, 100, true)
        );
        assert!(!read(&"x\n".repeat(5_000)).cut);
    }
}
