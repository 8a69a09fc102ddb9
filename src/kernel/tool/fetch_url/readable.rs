//! A page as readable text: title, headings, lists, links, tables and code in Markdown;
//! without scripts, styles, menus and what the page hides from its readers.

use super::address::resolve;
use super::html::{Piece, Pieces, Tag};

/// Most bytes that come out: what is cut says so.
const MAX_TEXT: usize = 1 << 20;
/// Deepest elements that are kept track of.
const MAX_DEPTH: usize = 400;
/// Open elements that an end tag is looked for among.
const REACH: usize = 64;
/// A text shorter than this was hardly all that the page had to say.
const LITTLE: usize = 200;

/// What of a page is left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// All that is around the content, too.
    All,
    /// The content.
    Content,
}

/// The page at `address` as text.
pub(super) fn readable(html: &str, address: &str) -> String {
    let content = Page::read(html, address, Keep::Content);
    if content.len() >= LITTLE {
        return content;
    }
    let all = Page::read(html, address, Keep::All);
    if all.len() > content.len() {
        all
    } else {
        content
    }
}

/// An open element.
struct Open {
    name: String,
    /// Whether nothing in it is shown.
    hides: bool,
    /// The address that a link leads to, and where its text begins.
    link: Option<(String, usize)>,
}

struct Page<'a> {
    address: &'a str,
    keep: Keep,
    out: String,
    open: Vec<Open>,
    /// Open elements that hide what is in them.
    hidden: usize,
    /// Open `pre` elements.
    pre: usize,
    /// Open lists: the number of the next item, 0 without numbers.
    lists: Vec<usize>,
    /// Cells of the row that is open, and whether the table had a row before.
    cells: usize,
    rows: usize,
    title: Option<String>,
    in_title: bool,
}

impl<'a> Page<'a> {
    fn read(html: &str, address: &'a str, keep: Keep) -> String {
        let mut page = Page {
            address,
            keep,
            out: String::new(),
            open: Vec::new(),
            hidden: 0,
            pre: 0,
            lists: Vec::new(),
            cells: 0,
            rows: 0,
            title: None,
            in_title: false,
        };
        for piece in Pieces::of(html) {
            match piece {
                Piece::Text(text) if page.in_title => page.set_title(&text),
                Piece::Text(text) => page.text(&text),
                Piece::Start(tag) => page.start(&tag),
                Piece::End(name) => page.end(&name),
            }
            if page.out.len() > MAX_TEXT {
                page.out.push_str("\n[the rest of the page is left out]");
                break;
            }
        }
        page.finish()
    }

    fn set_title(&mut self, text: &str) {
        let title = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // Later ones are those of drawings.
        if self.title.is_none() && !title.is_empty() {
            self.title = Some(title);
        }
    }

    fn finish(self) -> String {
        let mut text = String::with_capacity(self.out.len() + 80);
        if let Some(title) = self.title {
            text.push_str(&format!("Title: {title}\n\n"));
        }
        let mut blanks = 0;
        for line in self.out.lines().map(str::trim_end) {
            blanks = if line.is_empty() { blanks + 1 } else { 0 };
            if blanks < 2 {
                text.push_str(line);
                text.push('\n');
            }
        }
        text.trim().to_owned()
    }

    fn text(&mut self, text: &str) {
        if self.hidden > 0 {
            return;
        }
        if self.pre > 0 {
            self.out.push_str(text);
            return;
        }
        for (n, word) in text
            .split([' ', '\t', '\n', '\r', '\u{c}', '\u{a0}'])
            .enumerate()
        {
            if n > 0 && !self.out.ends_with([' ', '\n']) && !self.out.is_empty() {
                self.out.push(' ');
            }
            self.out.push_str(word);
        }
    }

    /// Begins a new line, unless one has begun; `blank` lines stand before it.
    fn line(&mut self, blank: usize) {
        let kept = self.out.trim_end_matches(' ').len();
        self.out.truncate(kept);
        if self.out.is_empty() {
            return;
        }
        let ended = self.out.len() - self.out.trim_end_matches('\n').len();
        for _ in ended..=blank {
            self.out.push('\n');
        }
    }

    /// Whether nothing that is in the element is for readers.
    fn hides(&self, tag: &Tag<'_>) -> bool {
        match tag.name.as_str() {
            "script" | "style" | "template" | "noscript" | "svg" | "iframe" | "object"
            | "canvas" | "audio" | "video" | "select" | "datalist" | "textarea" | "noembed"
            | "noframes" | "math" | "dialog" => return true,
            "nav" | "footer" | "aside" | "button" if self.keep == Keep::Content => return true,
            _ => {}
        }
        let style = tag
            .get("style")
            .map(|style| style.replace(' ', "").to_ascii_lowercase());
        tag.get("hidden").is_some()
            || tag.get("aria-hidden").as_deref() == Some("true")
            || style.is_some_and(|style| {
                style.contains("display:none") || style.contains("visibility:hidden")
            })
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_str();
        if name == "title" {
            self.in_title = true;
            return;
        }
        // A menu that nobody closed ends where the content begins.
        if self.hidden > 0 && matches!(name, "main" | "article" | "h1") {
            self.close_menus();
        }
        // One link ends the other, as in browsers.
        if name == "a"
            && self
                .open
                .iter()
                .rev()
                .take(REACH)
                .any(|open| open.name == "a")
        {
            self.end("a");
        }
        let hides = self.hides(tag);
        let shown = self.hidden == 0 && !hides;
        let mut link = None;
        if shown {
            self.begin(tag);
            if name == "a"
                && let Some(to) = tag.get("href")
                && let Some(to) = resolve(self.address, &to)
            {
                self.out.push('[');
                link = Some((to, self.out.len()));
            }
        }
        if is_void(name) || self.open.len() >= MAX_DEPTH {
            return;
        }
        self.hidden += usize::from(hides);
        self.open.push(Open {
            name: name.to_owned(),
            hides,
            link,
        });
    }

    fn close_menus(&mut self) {
        let is_menu = |open: &Open| matches!(open.name.as_str(), "nav" | "aside" | "footer");
        for open in self.open.iter_mut().filter(|open| is_menu(open)) {
            if std::mem::take(&mut open.hides) {
                self.hidden -= 1;
            }
        }
    }

    /// What stands before the content of an element.
    fn begin(&mut self, tag: &Tag<'_>) {
        match tag.name.as_str() {
            "br" => self.out.push('\n'),
            "hr" => {
                self.line(1);
                self.out.push_str("---");
                self.line(1);
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.line(1);
                let level = usize::from(tag.name.as_bytes()[1] - b'0');
                self.out.push_str(&format!("{} ", "#".repeat(level)));
            }
            "ul" | "menu" => self.begin_list(0),
            "ol" => {
                let start = tag.get("start").and_then(|start| start.parse().ok());
                self.begin_list(start.unwrap_or(1));
            }
            "li" => {
                self.line(0);
                let depth = self.lists.len().saturating_sub(1).min(8);
                self.out.push_str(&"  ".repeat(depth));
                match self.lists.last_mut() {
                    Some(number) if *number > 0 => {
                        self.out.push_str(&format!("{number}. "));
                        *number = number.saturating_add(1);
                    }
                    _ => self.out.push_str("- "),
                }
            }
            "blockquote" => {
                self.line(1);
                self.out.push_str("> ");
            }
            "pre" => {
                self.line(1);
                self.out.push_str("```\n");
                self.pre += 1;
            }
            "code" | "kbd" | "samp" if self.pre == 0 => self.out.push('`'),
            "img" => self.image(tag),
            "table" => {
                self.line(1);
                self.rows = 0;
            }
            "tr" => {
                self.line(0);
                self.cells = 0;
            }
            "td" | "th" => {
                self.out
                    .push_str(if self.cells == 0 { "| " } else { " | " });
                self.cells += 1;
            }
            // In a cell a paragraph is no line of its own: the row must stay one.
            _ if self.cells > 0 => {}
            "p" | "section" | "article" | "dl" | "figure" | "details" | "fieldset" => self.line(1),
            name if is_block(name) => self.line(0),
            _ => {}
        }
    }

    fn begin_list(&mut self, start: usize) {
        self.line(usize::from(self.lists.is_empty()));
        self.lists.push(start);
    }

    fn image(&mut self, tag: &Tag<'_>) {
        let alt = tag.get("alt").unwrap_or_default();
        let alt = alt.split_whitespace().collect::<Vec<_>>().join(" ");
        if !alt.is_empty() {
            self.out.push_str(&format!("[image: {alt}]"));
        }
    }

    fn end(&mut self, name: &str) {
        if name == "title" {
            self.in_title = false;
            return;
        }
        let mut reach = self.open.iter().rev().take(REACH);
        let Some(above) = reach.position(|open| open.name == name) else {
            return;
        };
        // What was left open inside it ends with it.
        for _ in 0..=above {
            let Some(open) = self.open.pop() else { return };
            if open.hides {
                self.hidden -= 1;
            } else if self.hidden == 0 {
                self.close(&open);
            }
        }
    }

    /// What stands behind the content of an element.
    fn close(&mut self, open: &Open) {
        match open.name.as_str() {
            "a" => {
                if let Some((to, from)) = &open.link {
                    self.close_link(to, *from);
                }
            }
            "ul" | "ol" | "menu" => {
                self.lists.pop();
                self.line(usize::from(self.lists.is_empty()));
            }
            "pre" => {
                self.pre = self.pre.saturating_sub(1);
                self.line(0);
                self.out.push_str("```");
                self.line(1);
            }
            "code" | "kbd" | "samp" if self.pre == 0 => self.out.push('`'),
            "tr" if self.cells > 0 => {
                self.out.push_str(" |");
                self.line(0);
                self.rows += 1;
                if self.rows == 1 {
                    self.out.push_str(&"| --- ".repeat(self.cells.min(100)));
                    self.out.push_str("|\n");
                }
                self.cells = 0;
            }
            "table" => self.line(1),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "p" | "blockquote" if self.cells == 0 => {
                self.line(1);
            }
            name if self.cells == 0 && is_block(name) => self.line(0),
            _ => {}
        }
    }

    /// A link is shown with where it leads, unless it has no text.
    fn close_link(&mut self, to: &str, from: usize) {
        let text = self.out.get(from..).unwrap_or_default();
        if text.trim().is_empty() {
            self.out.truncate(from.saturating_sub(1));
            return;
        }
        // Blocks inside a link would tear it.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.out.truncate(from);
        self.out.push_str(&format!("{text}]({to})"));
    }
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "p" | "div"
            | "section"
            | "article"
            | "main"
            | "header"
            | "footer"
            | "nav"
            | "aside"
            | "figure"
            | "figcaption"
            | "dl"
            | "dt"
            | "dd"
            | "address"
            | "details"
            | "summary"
            | "fieldset"
            | "form"
            | "caption"
            | "tbody"
            | "thead"
            | "body"
            | "hgroup"
            | "legend"
    )
}

#[cfg(test)]
mod tests;
