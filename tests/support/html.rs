//! Nodes of a Markdown text as the HTML of the specifications' examples, to be compared.
//! Markup, which the page shows as text, stands as it is written.

use tabloop::ui::markdown::parse::{Column, Element, Node, Target, Tick};

/// Elements around which white space means nothing.
const BLOCKS: &[&str] = &[
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "ul",
    "ol",
    "li",
    "pre",
    "hr",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "div",
];

/// The HTML of `nodes`.
pub fn of_nodes(nodes: &[Node]) -> String {
    nodes.iter().map(of_node).collect()
}

fn of_node(node: &Node) -> String {
    match node {
        Node::Text(text) => escaped(text),
        Node::Code(code) => format!("<code>{}</code>", escaped(code)),
        Node::Math(text, _) => escaped(text),
        Node::Markup(text) => text.clone(),
        Node::Break => "<br />\n".into(),
        Node::Rule => "<hr />".into(),
        Node::Task(Tick::Done) => "<input checked=\"\" disabled=\"\" type=\"checkbox\"> ".into(),
        Node::Task(Tick::Open) => "<input disabled=\"\" type=\"checkbox\"> ".into(),
        Node::CodeBlock { language, code } => {
            let class = match language.as_str() {
                "" => String::new(),
                language => format!(" class=\"language-{}\"", escaped(language)),
            };
            format!("<pre><code{class}>{}</code></pre>", escaped(code))
        }
        Node::Link { target, children } => format!(
            "<a href=\"{}\"{}>{}</a>",
            address(target),
            title(target),
            of_nodes(children)
        ),
        Node::Image { target, alt } => format!(
            "<img src=\"{}\" alt=\"{}\"{} />",
            address(target),
            escaped(alt),
            title(target)
        ),
        Node::Table { columns, rows } => table(columns, rows),
        Node::Element(Element::Markup, children) => match &children[..] {
            [Node::Text(text)] => text.clone(),
            _ => unreachable!("markup is one text"),
        },
        Node::Element(element, children) => {
            let (name, attributes) = match element {
                Element::Paragraph | Element::Markup => ("p", String::new()),
                Element::Heading(level) => (BLOCKS[usize::from(*level)], String::new()),
                Element::Quote => ("blockquote", String::new()),
                Element::Bullets => ("ul", String::new()),
                Element::Numbers(1) => ("ol", String::new()),
                Element::Numbers(first) => ("ol", format!(" start=\"{first}\"")),
                Element::Item => ("li", String::new()),
                Element::Emphasis => ("em", String::new()),
                Element::Strong => ("strong", String::new()),
                Element::Strike => ("del", String::new()),
            };
            format!("<{name}{attributes}>{}</{name}>", of_nodes(children))
        }
    }
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
    let head = format!("<thead>{}</thead>", row("th", &rows[0]));
    let body: String = rows[1..].iter().map(|cells| row("td", cells)).collect();
    match body.as_str() {
        "" => format!("<table>{head}</table>"),
        body => format!("<table>{head}<tbody>{body}</tbody></table>"),
    }
}

fn title(target: &Target) -> String {
    match target.title() {
        Some(title) => format!(" title=\"{}\"", escaped(title)),
        None => String::new(),
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// The address as the specifications' own program writes it.
fn address(target: &Target) -> String {
    let mut out = String::new();
    let bytes = target.written().as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let is_encoded = *byte == b'%'
            && bytes
                .get(at + 1..at + 3)
                .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        if *byte == b'&' {
            out.push_str("&amp;");
        } else if byte.is_ascii_alphanumeric()
            || b"-_.+!*'(),#@?=;:/,$~".contains(byte)
            || is_encoded
        {
            out.push(char::from(*byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// HTML without the white space that means nothing.
pub fn without_layout(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    let mut is_code = false;
    while !rest.is_empty() {
        let Some(start) = rest.find('<') else {
            out.push_str(rest);
            break;
        };
        let (text, tag) = rest.split_at(start);
        let name: String = tag[1..]
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        let is_block = BLOCKS.contains(&name.as_str());
        let was_block = out.is_empty() || out.ends_with('\u{1}');
        let text = match is_code {
            true if is_block && name != "pre" => text.trim_end_matches('\n'),
            true => text,
            false => {
                let text = if was_block {
                    text.trim_start_matches(['\n', ' '])
                } else {
                    text
                };
                if is_block {
                    text.trim_end_matches(['\n', ' '])
                } else {
                    text
                }
            }
        };
        out.push_str(text);
        let end = tag.find('>').map_or(tag.len(), |end| end + 1);
        out.push_str(&tag[..end]);
        if name == "pre" {
            is_code = !tag.starts_with("</");
        }
        // Marks that white space means nothing here.
        if is_block && !is_code {
            out.push('\u{1}');
        }
        rest = &tag[end..];
    }
    out.replace('\u{1}', "").trim().to_owned()
}
