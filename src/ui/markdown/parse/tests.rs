//! What the parser makes of texts.

use super::grown::Grown;
use super::*;

/// A top-level block of a text.
#[derive(Debug, Clone, PartialEq)]
struct Block {
    start: usize,
    source: String,
    definitions: Vec<definition::Definition>,
}

/// The blocks of `text`, read on from what was known where that goes on with it.
fn blocks(known: &mut Grown, text: &str) -> Vec<Block> {
    if !known.take(text) {
        *known = Grown::default();
        assert!(known.take(text));
    }
    known.split(text.len());
    let all = known.blocks().iter().enumerate();
    all.map(|(at, block)| Block {
        start: block.start,
        source: known.source(at).to_owned(),
        definitions: block.definitions.clone(),
    })
    .collect()
}

fn blocks_anew(text: &str) -> Vec<Block> {
    blocks(&mut Grown::default(), text)
}

fn text(text: &str) -> Node {
    Node::Text(text.into())
}

fn paragraph(children: Vec<Node>) -> Node {
    Node::Element(Element::Paragraph, children)
}

#[test]
fn markup_is_text_and_links_are_safe() {
    let check = |source: &str, expected: Vec<Node>| assert_eq!(parse(source), expected, "{source}");
    check(
        "a <b onclick=x>b</b>",
        vec![paragraph(vec![
            text("a "),
            Node::Markup("<b onclick=x>".into()),
            text("b"),
            Node::Markup("</b>".into()),
        ])],
    );
    check(
        "<script>alert(1)</script>",
        vec![Node::Element(
            Element::Markup,
            vec![text("<script>alert(1)</script>")],
        )],
    );
    check(
        "one<br/>two",
        vec![paragraph(vec![text("one"), Node::Break, text("two")])],
    );
    check(
        "[a](https://x.example/y)",
        vec![paragraph(vec![link("https://x.example/y", "a")])],
    );
    check(
        "<mailto:a@x.example>",
        vec![paragraph(vec![link(
            "mailto:a@x.example",
            "mailto:a@x.example",
        )])],
    );
    check(
        "![a](https://x.example/p.png)",
        vec![paragraph(vec![Node::Image {
            target: Target::new("https://x.example/p.png", None),
            alt: "a".into(),
        }])],
    );
}

#[test]
fn code_tables_and_tasks() {
    assert_eq!(
        parse("```rust ignore\nfn x() {}\n```"),
        [Node::CodeBlock {
            language: "rust".into(),
            code: "fn x() {}\n".into(),
        }]
    );
    assert_eq!(
        parse("| a | b |\n|---|--:|\n| 1 | `2` |"),
        [Node::Table {
            columns: vec![Column::Start, Column::End],
            rows: vec![
                vec![vec![text("a")], vec![text("b")]],
                vec![vec![text("1")], vec![Node::Code("2".into())]],
            ],
        }]
    );
    let item = |children| Node::Element(Element::Item, children);
    assert_eq!(
        parse("3. [x] done\n4. [ ] open"),
        [Node::Element(
            Element::Numbers(3),
            vec![
                item(vec![Node::Task(Tick::Done), text("done")]),
                item(vec![Node::Task(Tick::Open), text("open")]),
            ],
        )]
    );
}

#[test]
fn nesting_has_an_end() {
    let deep = format!("{} deep", ">".repeat(10_000));
    let mut nodes = parse(&deep);
    let mut depth = 0;
    while let Some(Node::Element(_, children)) = nodes.pop() {
        nodes = children;
        depth += 1;
    }
    assert!((1..=MAX_DEPTH).contains(&depth), "{depth}");
}

const LONG: &str = "# Title\n\nOne\ntwo.\n\n- a\n\n  more of a\n- b\n\n```\ncode\n\nmore\n```\n| a |\n|---|\n| b |\n\n    indented\n\nlast";

#[test]
fn growing_text_comes_to_the_same_blocks() {
    let whole = blocks_anew(LONG);
    let sources: Vec<&str> = whole.iter().map(|block| &*block.source).collect();
    assert_eq!(
        sources,
        [
            "# Title",
            "One\ntwo.",
            "- a\n\n  more of a\n- b",
            "```\ncode\n\nmore\n```",
            "| a |\n|---|\n| b |",
            "    indented",
            "last"
        ]
    );
    let mut known = Grown::default();
    for end in 1..=LONG.len() {
        let now = blocks(&mut known, &LONG[..end]);
        assert_eq!(now, blocks_anew(&LONG[..end]));
    }
    assert_eq!(blocks(&mut known, LONG), whole);
}

#[test]
fn finished_blocks_are_not_drawn_again() {
    let mut reader = Reader::default();
    let mut changed = |text: &str| -> Vec<usize> {
        let changes = reader.read(text, Ending::Open, usize::MAX);
        changes.changed.iter().map(|change| change.at).collect()
    };
    assert_eq!(changed("One.\n\nTwo"), [0, 1]);
    assert_eq!(changed("One.\n\nTwo and more.\n\nThree"), [1, 2]);
    assert_eq!(changed("One.\n\nTwo and more.\n\nThree"), [0; 0]);
}

#[test]
fn another_text_begins_anew() {
    let mut known = Grown::default();
    blocks(&mut known, "One.\n\nTwo");
    assert_eq!(blocks(&mut known, "Other"), blocks_anew("Other"));
    assert_eq!(blocks(&mut known, ""), []);
}

mod hostile;
mod inlines;
mod structure;

fn element(element: Element, children: Vec<Node>) -> Node {
    Node::Element(element, children)
}

fn link(href: &str, shown: &str) -> Node {
    Node::Link {
        target: Target::new(href, None),
        children: vec![text(shown)],
    }
}

fn code_block(language: &str, code: &str) -> Node {
    Node::CodeBlock {
        language: language.into(),
        code: code.into(),
    }
}
