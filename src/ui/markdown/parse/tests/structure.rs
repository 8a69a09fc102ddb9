//! What stands on lines of its own.

use super::*;

fn check(source: &str, expected: Vec<Node>) {
    assert_eq!(parse(source), expected, "{source}");
}

fn p(shown: &str) -> Node {
    paragraph(vec![text(shown)])
}

fn item(children: Vec<Node>) -> Node {
    element(Element::Item, children)
}

fn bullets(items: Vec<Vec<Node>>) -> Node {
    element(Element::Bullets, items.into_iter().map(item).collect())
}

#[test]
fn headings_and_rules() {
    let heading = |level, shown| element(Element::Heading(level), vec![text(shown)]);
    check(
        "# a\n###### b ##\n## c #d\n# e#",
        vec![
            heading(1, "a"),
            heading(6, "b"),
            heading(2, "c #d"),
            heading(1, "e#"),
        ],
    );
    check("#", vec![element(Element::Heading(1), vec![])]);
    check("#a\n####### b", vec![p("#a\n####### b")]);
    check("a\nb\n===\nc\n-", vec![heading(1, "a\nb"), heading(2, "c")]);
    check(
        "a\n***\n- - -\n_ _ _",
        vec![p("a"), Node::Rule, Node::Rule, Node::Rule],
    );
    check("--\n**", vec![p("--\n**")]);
}

#[test]
fn paragraphs_and_quotes() {
    check("a\n  b\n\n c", vec![p("a\nb"), p("c")]);
    check("a\r\nb\r\n\r\nc\r\n", vec![p("a\nb"), p("c")]);
    let quote = |children| element(Element::Quote, children);
    check("> a\nb\n\nc", vec![quote(vec![p("a\nb")]), p("c")]);
    check(
        ">a\n>> b\n>\n> c",
        vec![quote(vec![p("a"), quote(vec![p("b")]), p("c")])],
    );
    check(
        "> - a\n> - b\nc",
        vec![quote(vec![bullets(vec![
            vec![text("a")],
            vec![text("b\nc")],
        ])])],
    );
    check(
        "> ```\n> a\nb",
        vec![quote(vec![code_block("", "a\n")]), p("b")],
    );
    check("> a\n---", vec![quote(vec![p("a")]), Node::Rule]);
    check("", vec![]);
    check(" \n\t\n", vec![]);
}

#[test]
fn lists_are_tight_or_loose() {
    check(
        "- a\n- b",
        vec![bullets(vec![vec![text("a")], vec![text("b")]])],
    );
    check(
        "- a\n\n- b",
        vec![bullets(vec![vec![p("a")], vec![p("b")]])],
    );
    check(
        "- a\n  - b\n\n- c",
        vec![bullets(vec![
            vec![p("a"), bullets(vec![vec![text("b")]])],
            vec![p("c")],
        ])],
    );
    check(
        "- a\n  - b\n\n    c\n- d",
        vec![bullets(vec![
            vec![text("a"), bullets(vec![vec![p("b"), p("c")]])],
            vec![text("d")],
        ])],
    );
    check(
        "- a\n  ```\n  b\n\n  c\n  ```\n- d",
        vec![bullets(vec![
            vec![text("a"), code_block("", "b\n\nc\n")],
            vec![text("d")],
        ])],
    );
    check("- a\n\nb", vec![bullets(vec![vec![text("a")]]), p("b")]);
    check(
        "- a\n* b",
        vec![
            bullets(vec![vec![text("a")]]),
            bullets(vec![vec![text("b")]]),
        ],
    );
    check(
        "-\n- a\n-",
        vec![bullets(vec![vec![], vec![text("a")], vec![]])],
    );
    check("-\n\n  a", vec![bullets(vec![vec![]]), p("a")]);
    check("-\ta\n\n\tb", vec![bullets(vec![vec![p("a"), p("b")]])]);
    check("-     a", vec![bullets(vec![vec![code_block("", "a\n")]])]);
}

#[test]
fn lists_with_numbers() {
    let numbers = |first, items: Vec<Vec<Node>>| {
        element(
            Element::Numbers(first),
            items.into_iter().map(item).collect(),
        )
    };
    check(
        "1. a\n   - b\n2. c",
        vec![numbers(
            1,
            vec![
                vec![text("a"), bullets(vec![vec![text("b")]])],
                vec![text("c")],
            ],
        )],
    );
    check(
        "7) a\n9) b\n1. c",
        vec![
            numbers(7, vec![vec![text("a")], vec![text("b")]]),
            numbers(1, vec![vec![text("c")]]),
        ],
    );
    check("a\n1. b", vec![p("a"), numbers(1, vec![vec![text("b")]])]);
    check("born in\n1984. b", vec![p("born in\n1984. b")]);
    check("1234567890. a", vec![p("1234567890. a")]);
    check("1.5 a\n-b", vec![p("1.5 a\n-b")]);
}

#[test]
fn boxes_stand_at_the_start_of_items() {
    let done = || Node::Task(Tick::Done);
    check(
        "* [X] a\n* [x]b\n* [ ]",
        vec![bullets(vec![
            vec![done(), text("a")],
            vec![text("[x]b")],
            vec![text("[ ]")],
        ])],
    );
    check(
        "- [x] a\n\n  [x] b",
        vec![bullets(vec![vec![
            paragraph(vec![done(), text("a")]),
            p("[x] b"),
        ]])],
    );
    check("[x] a", vec![p("[x] a")]);
    check("- [é] a", vec![bullets(vec![vec![text("[é] a")]])]);
}

#[test]
fn code_on_lines_of_its_own() {
    check("```", vec![code_block("", "")]);
    check(
        "```py title=x\na\n\n  b",
        vec![code_block("py", "a\n\n  b\n")],
    );
    check(
        "~~~ a`b\n```\n~~~~ \nc",
        vec![code_block("a`b", "```\n"), p("c")],
    );
    check("````\n```\n````", vec![code_block("", "```\n")]);
    check("  ```\n   a\n b\n  ```", vec![code_block("", " a\nb\n")]);
    check("```a`b", vec![p("```a`b")]);
    check("```c\\+\\+&amp;\n```", vec![code_block("c++&", "")]);
    check(
        "a\n```\nb\n```\nc",
        vec![p("a"), code_block("", "b\n"), p("c")],
    );
    check(
        "    a\n\n      b\n\nc",
        vec![code_block("", "a\n\n  b\n"), p("c")],
    );
    check("\ta\n  \tb", vec![code_block("", "a\nb\n")]);
    check("a\n    b", vec![p("a\nb")]);
}

#[test]
fn tables_have_heads_and_columns() {
    let cell = |shown| vec![text(shown)];
    let table = |columns, rows| Node::Table { columns, rows };
    let (start, left) = (Column::Start, Column::Left);
    let (center, end) = (Column::Center, Column::End);
    check(
        "x\na | b | c\n:-- | :-: | --:\n1 | 2\n1 | 2 | 3 | 4\n\nd",
        vec![
            p("x"),
            table(
                vec![left, center, end],
                vec![
                    vec![cell("a"), cell("b"), cell("c")],
                    vec![cell("1"), cell("2"), vec![]],
                    vec![cell("1"), cell("2"), cell("3")],
                ],
            ),
            p("d"),
        ],
    );
    check(
        "|a|\n|-|\n|`b\\|c` \\| d|\n> e",
        vec![
            table(
                vec![start],
                vec![
                    vec![cell("a")],
                    vec![vec![Node::Code("b|c".into()), text(" | d")]],
                ],
            ),
            element(Element::Quote, vec![p("e")]),
        ],
    );
    check(
        "- |a|\n  |-|\n  |b|\n- c",
        vec![bullets(vec![
            vec![table(vec![start], vec![vec![cell("a")], vec![cell("b")]])],
            vec![text("c")],
        ])],
    );
    for plain in ["|a|b|\n|-|", "|a|\n|x|", "a\n|-|", "|a|\n|:|", "|-|\n\n|a|"] {
        let is_table = |node: &Node| matches!(node, Node::Table { .. });
        assert!(!parse(plain).iter().any(is_table), "{plain}");
    }
}

#[test]
fn markup_is_shown_as_it_is() {
    let markup = |shown| element(Element::Markup, vec![text(shown)]);
    check(
        "<details>\n*a*\n\n*b*\n</details>",
        vec![
            markup("<details>\n*a*"),
            paragraph(vec![
                element(Element::Emphasis, vec![text("b")]),
                text("\n</details>"),
            ]),
        ]
        .into_iter()
        .take(1)
        .chain(parse("*b*\n</details>"))
        .collect(),
    );
    check(
        "<!-- a\n\nb --> c\nd",
        vec![markup("<!-- a\n\nb --> c"), p("d")],
    );
    check(
        "<pre>\n\na</PRE>\nb",
        vec![markup("<pre>\n\na</PRE>"), p("b")],
    );
    check(
        "<?a\n?>\n<!X>\n<![CDATA[\n]]>",
        vec![markup("<?a\n?>"), markup("<!X>"), markup("<![CDATA[\n]]>")],
    );
    check("<x-y a=b>\nc", vec![markup("<x-y a=b>\nc")]);
    let tag = |tag: &str| Node::Markup(tag.into());
    check(
        "a\n<x>\nb",
        vec![paragraph(vec![text("a\n"), tag("<x>"), text("\nb")])],
    );
    check("a\n<div>\nb", vec![p("a"), markup("<div>\nb")]);
    check(
        "<x> a\n<1>",
        vec![paragraph(vec![tag("<x>"), text(" a\n<1>")])],
    );
}

#[test]
fn signs_of_lists_that_are_too_deep_are_text() {
    let nodes = parse(&("- ".repeat(40) + "a"));
    assert_eq!(nodes.len(), 1);
    let shown = format!("{nodes:?}");
    assert!(shown.contains("- - a"), "{shown}");
}

#[test]
fn a_line_can_change_the_block_before() {
    let check = |source: &str, expected: &[&str]| {
        let found = blocks_anew(source);
        let sources = found.iter().map(|block| block.source.trim_ascii_end());
        let found: Vec<&str> = sources.collect();
        assert_eq!(found, expected, "{source}");
    };
    check("x\n\na\n|b|", &["x", "a\n|b|"]);
    check("x\n\na\n|b|\n|-|", &["x", "a", "|b|\n|-|"]);
    check("x\n\na\n|b|\n|-|x", &["x", "a\n|b|\n|-|x"]);
    check("a\n#", &["a", "#"]);
    check("a\n#b", &["a\n#b"]);
    check("- a\n\n--", &["- a", "--"]);
    check("- a\n\n- b", &["- a\n\n- b"]);
    check("```\na\n\n\n", &["```\na"]);
    check("\n\n  a", &["  a"]);
}
