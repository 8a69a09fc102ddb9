//! A line and how far it has been read, in columns where tabs matter.

/// A line without its end.
#[derive(Clone, Copy)]
pub struct Line<'a> {
    text: &'a str,
    at: usize,
    column: usize,
    /// Columns of a tab before `at` that are still to be read.
    spare: usize,
}

impl<'a> Line<'a> {
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            column: 0,
            spare: 0,
        }
    }

    /// Columns of white space from here on.
    pub fn indent(&self) -> usize {
        let mut column = self.column + self.spare;
        for byte in self.text.as_bytes()[self.at..].iter() {
            match byte {
                b' ' => column += 1,
                b'\t' => column += 4 - column % 4,
                _ => break,
            }
        }
        column - self.column
    }

    /// Reads white space of at most so many columns.
    pub fn skip(&mut self, columns: usize) {
        let mut left = columns;
        while left > 0 {
            if self.spare == 0 {
                match self.text.as_bytes().get(self.at) {
                    Some(b' ') => self.spare = 1,
                    Some(b'\t') => self.spare = 4 - self.column % 4,
                    _ => return,
                }
                self.at += 1;
            }
            let step = left.min(self.spare);
            self.spare -= step;
            self.column += step;
            left -= step;
        }
    }

    /// Reads so many bytes, which are ASCII and no white space.
    pub fn take(&mut self, bytes: usize) {
        self.at += bytes;
        self.column += bytes;
    }

    /// What follows, without white space at its start.
    pub fn rest(&self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        rest.trim_start_matches([' ', '\t'])
    }

    /// What follows, as it is.
    pub fn push_to(&self, text: &mut String) {
        for _ in 0..self.spare {
            text.push(' ');
        }
        text.push_str(self.text.get(self.at..).unwrap_or_default());
    }

    pub fn is_blank(&self) -> bool {
        self.rest().is_empty()
    }
}

/// `text` without the blank lines at its end.
pub fn without_blank_end(text: &str) -> &str {
    let end = text.trim_ascii_end().len();
    let line = text[end..].find('\n').unwrap_or(text.len() - end);
    &text[..end + line]
}
