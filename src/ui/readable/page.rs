//! A conversation as a page that stands for itself: no script, nothing that is loaded, and
//! every text escaped.

use super::Part;
use crate::ui::markdown::parse::{Column, Element, Node, Tick, parse};
use crate::ui::words::Words;

/// What the page looks like, by the reader's own light or dark.
const STYLE: &str = ":root{color-scheme:light dark}body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:15px/1.6 system-ui,sans-serif;overflow-wrap:anywhere}section.you{margin-top:2rem;padding:.75rem 1rem;border-radius:10px;background:#8882}section.you p{margin:0;white-space:pre-wrap}h2{margin:0;font-size:13px}pre{overflow:auto;padding:.75rem;background:#8882;border-radius:6px}pre,code{font:13px/1.5 ui-monospace,monospace}ul.calls,.note{color:#777;font-size:13px}table{border-collapse:collapse}th,td{padding:.25rem .5rem;border:1px solid #8886}blockquote{margin-inline:0;padding-left:1rem;border-left:3px solid #8886}";

/// The page.
pub fn page(title: &str, parts: &[Part], words: &Words) -> String {
    let title = escaped(title);
    let mut body = String::new();
    let mut is_list = false;
    for part in parts {
        let is_call = matches!(part, Part::Call(_));
        match (is_list, is_call) {
            (false, true) => body.push_str("<ul class=\"calls\">\n"),
            (true, false) => body.push_str("</ul>\n"),
            _ => {}
        }
        is_list = is_call;
        body.push_str(&match part {
            Part::You(text) => format!(
                "<section class=\"you\"><h2>{}</h2><p>{}</p></section>\n",
                escaped(words.you),
                escaped(text)
            ),
            Part::Said(text) => format!("<section>{}</section>\n", of_nodes(&parse(text))),
            Part::Call(line) => format!("<li>{}</li>\n", escaped(line)),
            Part::Note(text) => format!("<p class=\"note\">{}</p>\n", escaped(text)),
        });
    }
    if is_list {
        body.push_str("</ul>\n");
    }
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n",
        words.language.tag()
    )
}

fn of_nodes(nodes: &[Node]) -> String {
    nodes.iter().map(of_node).collect()
}

fn of_node(node: &Node) -> String {
    match node {
        Node::Text(text) | Node::Markup(text) | Node::Math(text, _) => escaped(text),
        Node::Code(code) => format!("<code>{}</code>", escaped(code)),
        Node::Break => "<br>".to_owned(),
        Node::Rule => "<hr>".to_owned(),
        Node::Task(Tick::Done) => "☑ ".to_owned(),
        Node::Task(Tick::Open) => "☐ ".to_owned(),
        Node::CodeBlock { code, .. } => format!("<pre><code>{}</code></pre>", escaped(code)),
        Node::Link { target, children } => match target.safe() {
            Some(address) => format!(
                "<a href=\"{}\" rel=\"noopener noreferrer\">{}</a>",
                escaped(address),
                of_nodes(children)
            ),
            None => of_nodes(children),
        },
        // An image would tell a stranger that the page was opened.
        Node::Image { alt, .. } => escaped(alt),
        Node::Table { columns, rows } => table(columns, rows),
        Node::Element(element, children) => {
            let (name, start) = of_element(*element);
            format!("<{name}{start}>{}</{name}>", of_nodes(children))
        }
    }
}

/// An element's name, and what its start says beside that.
fn of_element(element: Element) -> (&'static str, String) {
    const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];
    let name = match element {
        Element::Paragraph | Element::Markup => "p",
        Element::Heading(level) => HEADINGS[usize::from(level.clamp(1, 6)) - 1],
        Element::Quote => "blockquote",
        Element::Bullets => "ul",
        Element::Numbers(first) => return ("ol", format!(" start=\"{first}\"")),
        Element::Item => "li",
        Element::Emphasis => "em",
        Element::Strong => "strong",
        Element::Strike => "del",
    };
    (name, String::new())
}

fn table(columns: &[Column], rows: &[Vec<Vec<Node>>]) -> String {
    let row = |name: &str, cells: &[Vec<Node>]| {
        let cells = cells.iter().zip(columns).map(|(cell, column)| {
            let align = match column {
                Column::Start => "",
                Column::Left => " align=\"left\"",
                Column::Center => " align=\"center\"",
                Column::End => " align=\"right\"",
            };
            format!("<{name}{align}>{}</{name}>", of_nodes(cell))
        });
        format!("<tr>{}</tr>", cells.collect::<String>())
    };
    let names = std::iter::once("th").chain(std::iter::repeat("td"));
    let rows = rows.iter().zip(names).map(|(cells, name)| row(name, cells));
    format!("<table>{}</table>", rows.collect::<String>())
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
