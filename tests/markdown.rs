//! The examples of the CommonMark and GFM specifications, whole and in pieces.

#[path = "support/html.rs"]
mod html;

use std::fs;

use serde_json::Value;
use tabloop::ui::markdown::parse::{Drawing, Element, Ending, Form, Node, Reader, Tick, parse};

use html::{of_nodes, without_layout};

/// An example of a specification.
struct Example {
    name: String,
    markdown: String,
    html: String,
}

fn examples(file: &str) -> Vec<Example> {
    let path = format!("{}/tests/markdown/{file}", env!("CARGO_MANIFEST_DIR"));
    let list: Vec<Value> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    list.iter()
        .map(|each| Example {
            name: format!("{} of {}", each["example"], text(&each["section"])),
            markdown: text(&each["markdown"]),
            html: text(&each["html"]),
        })
        .collect()
}

const FILES: [&str; 2] = ["commonmark-0.31.2.json", "gfm-0.29.json"];

/// Examples that come out otherwise, and why.
const OTHERWISE: &[(&str, &str)] = &[
    (
        "25 of Entity and numeric character references",
        "names of HTML 5 that models do not write stay as they are",
    ),
    ("602 of Autolinks", "GFM makes links of bare addresses"),
    ("608 of Autolinks", "GFM makes links of bare addresses"),
    ("611 of Autolinks", "GFM makes links of bare addresses"),
    ("612 of Autolinks", "GFM makes links of bare addresses"),
    (
        "652 of Disallowed Raw HTML (extension)",
        "all markup is shown as text, so that none need be told apart",
    ),
];

#[test]
fn the_examples_have_the_right_structure() {
    let mut wrong = Vec::new();
    for example in FILES.into_iter().flat_map(examples) {
        let got = without_layout(&of_nodes(&parse(&example.markdown)));
        let wanted = without_layout(&example.html);
        let is_exempt = OTHERWISE.iter().any(|(name, _)| *name == example.name);
        if (got == wanted) == is_exempt {
            wrong.push(format!(
                "{}\n{:?}\n  wanted {wanted:?}\n  got    {got:?}\n",
                example.name, example.markdown
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// What the page shows of a text.
#[derive(Default)]
struct Page {
    reader: Reader,
    shown: Vec<Vec<Node>>,
    /// Bytes that were read for drawing.
    spent: usize,
}

/// As many bytes as the page reads at once.
const AT_ONCE: usize = 48_000;

impl Page {
    fn read(&mut self, text: &str, ending: Ending) -> Vec<usize> {
        let changes = self.reader.read(text, ending, AT_ONCE);
        self.spent += changes.spent;
        self.shown.resize(changes.count, Vec::new());
        let mut at = Vec::new();
        for change in changes.changed {
            let shown = &mut self.shown[change.at];
            match change.drawing {
                Drawing::Anew(nodes) => *shown = nodes,
                Drawing::MoreCode(more) => match &mut shown[..] {
                    [Node::CodeBlock { code, .. }] => code.push_str(&more),
                    other => panic!("more code behind {other:?}"),
                },
                Drawing::Same => continue,
            }
            at.push(change.at);
        }
        at
    }

    fn read_all(&mut self, text: &str) {
        // What is too much for once comes the next times.
        for _ in 0..100 {
            self.read(text, Ending::Whole);
        }
    }

    fn nodes(&self) -> Vec<Node> {
        self.shown.concat()
    }
}

/// All of `examples` in one text.
fn joined<'a>(examples: impl Iterator<Item = &'a Example>) -> String {
    let texts = examples.map(|example| format!("{}\n\n", example.markdown));
    texts.collect()
}

#[test]
fn in_pieces_the_examples_come_to_the_same_as_whole() {
    let all: Vec<Example> = FILES.into_iter().flat_map(examples).collect();
    let long = joined(all.iter());
    // Names that are defined later change what stands before.
    let nameless = joined(all.iter().filter(|each| !each.markdown.contains("]:")));
    let long = [&long, &nameless];
    for text in all.iter().map(|example| &example.markdown).chain(long) {
        let whole = parse(text);
        for size in [1, 7, 64] {
            if text.len() > 10_000 && size == 1 {
                continue;
            }
            check_in_pieces(text, &whole, size);
        }
    }
}

/// Whatever stands before the last two blocks stays as it is drawn while the text comes in
/// pieces, unless a name in it is defined later.
fn check_in_pieces(text: &str, whole: &[Node], size: usize) {
    let mut page = Page::default();
    let mut end = 0;
    while end < text.len() {
        let before = page.shown.clone();
        let stays = before.len().saturating_sub(2);
        end = text.ceil_char_boundary((end + size).min(text.len()));
        let changed = page.read(&text[..end], Ending::Open);
        let told = || format!("{:?} in pieces of {size}", &text[..end]);
        assert!(page.shown.len() >= stays, "blocks go in {}", told());
        for at in changed.into_iter().filter(|at| *at < stays) {
            assert!(text[..end].contains("]:"), "block {at} of {}", told());
            let (was, is) = (&before[at], &page.shown[at]);
            assert!(was.is_empty() || has_link(is), "block {at} of {}", told());
        }
    }
    page.read_all(text);
    assert_eq!(page.nodes(), whole, "{text:?} in pieces of {size}");
}

fn has_link(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Link { .. } | Node::Image { .. } => true,
        Node::Element(_, children) => has_link(children),
        Node::Table { rows, .. } => rows.iter().flatten().any(|cell| has_link(cell)),
        _ => false,
    })
}

#[test]
fn what_is_read_to_draw_a_text_grows_with_the_text_alone() {
    let code = format!("```rust\n{}", "let a = 1;\n".repeat(15_000));
    let line = "word ".repeat(80_000);
    let list = "- an item of it\n".repeat(20_000);
    let table = format!("| a | b |\n|---|---|\n{}", "| 1 | 2 |\n".repeat(30_000));
    for text in [code, line, list, table] {
        let mut page = Page::default();
        for end in (0..text.len()).step_by(400) {
            page.read(&text[..end], Ending::Open);
        }
        let times = page.spent as f64 / text.len() as f64;
        assert!(times < 10.0, "{times} times {:?}…", &text[..40]);
    }
    // Code, which is the longest of all, is read once.
    let code = format!("```rust\n{}", "let a = 1;\n".repeat(4_000));
    let mut page = Page::default();
    for end in (0..code.len()).step_by(24) {
        page.read(&code[..end], Ending::Open);
    }
    assert!(
        page.spent <= code.len() + 200,
        "{} of {}",
        page.spent,
        code.len()
    );
    page.read_all(&code);
    assert_eq!(page.nodes(), parse(&code));
}

#[test]
fn what_has_no_end_is_held_back_or_taken_for_something_only_for_a_while() {
    let check = |text: &str, expected: &str| {
        let mut page = Page::default();
        page.read(text, Ending::Open);
        let shown = short(&page.nodes());
        assert!(shown.starts_with(expected), "{text}: {shown}");
    };
    let long = "word ".repeat(100);
    for (sign, element) in [("*", "em"), ("**", "strong"), ("~~", "s"), ("`", "code")] {
        check(&format!("{sign}a word"), &format!("p({element}(a word"));
        check(&format!("{sign}a {long}"), &format!("p({sign}a word"));
    }
    check("a ***", "p(a)");
    check(&format!("a {}", "*".repeat(40)), "p(a ****");
    let row = format!("| {long} | {long} |");
    assert!(row.len() > 1_000);
    check(&row, "p(| word");
    check(&format!("{row}\n"), "p(| word");
}

/// What is shown, in short.
fn short(nodes: &[Node]) -> String {
    nodes.iter().map(short_node).collect()
}

fn short_node(node: &Node) -> String {
    match node {
        Node::Text(text) | Node::Markup(text) => text.replace('\n', " "),
        Node::Code(code) => format!("code({code})"),
        Node::Math(text, Form::Inline) => format!("math({text})"),
        Node::Math(text, Form::Display) => format!("display({})", text.replace('\n', " ")),
        Node::Break => "br".into(),
        Node::Rule => "hr".into(),
        Node::Task(Tick::Done) => "box(done)".into(),
        Node::Task(Tick::Open) => "box(open)".into(),
        Node::CodeBlock { language, code } if language.is_empty() => {
            format!("pre({})", code.trim_end())
        }
        Node::CodeBlock { language, code } => format!("pre.{language}({})", code.trim_end()),
        Node::Link { children, .. } => format!("a({})", short(children)),
        Node::Image { alt, .. } => format!("img({alt})"),
        Node::Table { rows, .. } => {
            let row = |cells: &Vec<Vec<Node>>| {
                let cells: Vec<String> = cells.iter().map(|cell| short(cell)).collect();
                cells.join(",")
            };
            let rows: Vec<String> = rows.iter().map(row).collect();
            format!("table({})", rows.join("/"))
        }
        Node::Element(element, children) => {
            let name = match element {
                Element::Paragraph => "p".to_owned(),
                Element::Heading(level) => format!("h{level}"),
                Element::Quote => "quote".into(),
                Element::Bullets => "ul".into(),
                Element::Numbers(_) => "ol".into(),
                Element::Item => "li".into(),
                Element::Emphasis => "em".into(),
                Element::Strong => "strong".into(),
                Element::Strike => "s".into(),
                Element::Markup => "markup".into(),
            };
            // Space at the end of what is still coming is not seen.
            format!("{name}({})", short(children).trim_end())
        }
    }
}

#[test]
fn what_is_still_coming_is_never_shown_as_something_else() {
    let path = format!(
        "{}/tests/markdown/open-ends.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let list: Vec<Value> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for each in &list {
        let text = each["text"].as_str().unwrap();
        let mut page = Page::default();
        let mut seen: Vec<String> = Vec::new();
        for (end, char) in text.char_indices() {
            page.read(&text[..end + char.len_utf8()], Ending::Open);
            let now = short(&page.nodes());
            if seen.last() != Some(&now) {
                seen.push(now);
            }
        }
        page.read_all(text);
        seen.push(short(&page.nodes()));
        let words = |value: &Value| -> Vec<String> {
            let list = value.as_array().unwrap().iter();
            list.map(|word| word.as_str().unwrap().to_owned()).collect()
        };
        let missing: Vec<_> = words(&each["shown"])
            .into_iter()
            .filter(|want| !seen.contains(want))
            .collect();
        let last = seen.last().cloned().unwrap_or_default();
        // What belongs to the finished text is no flash.
        let bad: Vec<_> = words(&each["never"])
            .into_iter()
            .filter(|never| !last.contains(never.as_str()))
            .filter(|never| seen.iter().any(|shown| shown.contains(never.as_str())))
            .collect();
        if !missing.is_empty() || !bad.is_empty() {
            wrong.push(format!(
                "{text:?}\n  never shown: {missing:?}\n  shown: {bad:?}\n  seen: {seen:?}\n"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
