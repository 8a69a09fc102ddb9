//! Texts that are meant to break the parser, and texts cut anywhere.

use super::*;

const RICH: &str = "# 标题 🎉 #\n\n第一段 **重点。**后 *é*  \nb\\\nc `x` ``a`b``\n二\n===\n\n\
> 引用 *a\n> - 项 🙂\n>   1. [x] 完成\nlazy\n\n- a\n  - b\n\n    c\n- [ ] d\n\t- e\n\n\
3) x\n4) y\n\n```rust ignore\nfn 主() { \"🎉\" }\n\n```\n~~~\nb\n  ~~~\n前\n\
| 甲 | b\\|c |\n|:-:|--:|\n| `1\\|2` | 🙂 |\n尾\n\n    code\n\n    more\n\n---\n\
<div>\n**x**\n</div>\n\na <b x='1'>b</b><br/>[链接 [n]](https://例.example/a_(b) \"t\") \
![图](https://x.example/p.png) <https://x.example> 见https://x.example/路。后 &amp;&#x1F600;&foo; \
~~删~~ __s__ ***both*** _a*b_*\n***\n* * x\n+\n- \n\n  z\r\nend\r\n";

#[test]
fn any_beginning_of_a_text_is_parsed() {
    let mut known = Grown::default();
    for (end, _) in RICH.char_indices().chain([(RICH.len(), ' ')]) {
        let part = &RICH[..end];
        parse(part);
        assert_eq!(blocks(&mut known, part), blocks_anew(part), "{part}");
    }
}

#[test]
fn growing_by_more_than_a_character_comes_to_the_same() {
    let ends: Vec<usize> = RICH.char_indices().map(|(end, _)| end).collect();
    for step in [2, 3, 7, 40] {
        let mut known = Grown::default();
        for end in ends.iter().step_by(step) {
            let now = blocks(&mut known, &RICH[..*end]);
            assert_eq!(now, blocks_anew(&RICH[..*end]));
        }
    }
}

#[test]
fn blocks_on_their_own_are_what_they_are_in_the_text() {
    let alone: Vec<Node> = blocks_anew(RICH)
        .iter()
        .flat_map(|block| parse(&block.source))
        .collect();
    assert_eq!(alone, parse(RICH));
}

/// A deterministic mix of `parts`.
fn mix(parts: &[&str], seed: &mut u64) -> String {
    let mut out = String::new();
    for _ in 0..14 {
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        out.push_str(parts[(*seed >> 33) as usize % parts.len()]);
    }
    out
}

#[test]
fn mixed_signs_come_to_the_same_blocks_however_they_grow() {
    let lines = [
        "- ", "1. ", "\n", "\n\n", "\n  ", "\n    ", "a", "字", "> ", "# ", "```", "---", "===",
        "|", "|-|", "<div>", "<!--", "-->", "\t", "\\", "🙂", "* ",
    ];
    let signs = [
        "*", "**", "_", "~~", "[", "](", ")", "!", "`", "``", "\\", "<a ", ">", "http://x", "\"",
        "'", "&#1;", "&", " ", "\n", "字", "。", "🙂", "a",
    ];
    let mut seed = 1;
    for parts in [&lines[..], &signs[..]] {
        for _ in 0..1500 {
            let text = mix(parts, &mut seed);
            let mut known = Grown::default();
            for (end, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let now = blocks(&mut known, &text[..end]);
                assert_eq!(now, blocks_anew(&text[..end]), "{text:?}");
            }
            parse(&text);
        }
    }
}

fn depth(nodes: &[Node]) -> usize {
    let inner = |node: &Node| match node {
        Node::Element(_, children) | Node::Link { children, .. } => 1 + depth(children),
        Node::Table { rows, .. } => {
            let cells = rows.iter().flatten();
            1 + cells.map(|cell| depth(cell)).max().unwrap_or_default()
        }
        _ => 0,
    };
    nodes.iter().map(inner).max().unwrap_or_default()
}

const SIZE: usize = 100_000;

/// Each is repeated.
const PARTS: &[&str] = &[
    "[",
    "]",
    "*",
    "_",
    "~",
    "~~",
    ">",
    "`",
    "|",
    "<",
    "&",
    "!",
    "\\",
    "#",
    "-",
    "=",
    "\n",
    " ",
    "\t",
    "![",
    "[a](",
    "](",
    "[a](b \"",
    "[a](<b",
    "*a ",
    "**a *b ",
    "_a",
    "*a_",
    "a**b_c* ",
    "`` ` ",
    "\\`` ",
    "<a ",
    "<a b=\"",
    "<a b='<a c=\"",
    "<!--",
    "<?",
    "</",
    "&#",
    "&amp;",
    "http://",
    "https://x.example/(",
    "- ",
    "1. ",
    "> - ",
    "- > ",
    "-\n",
    "a\n",
    ">\n",
    "|\n",
    "|-|\n",
    "- a\n\n",
    "> a\n\n",
    "[a](http://x) ",
    "[[a](http://x)",
    "```\n",
    "~~~~\na\n",
    "<div>\n",
    "    a\n",
    "a  \n",
    "字。",
    "**字。**",
    "a|b\n-|-\n",
    "[a]: x\n",
    "[a]: x 'b\n",
    "[a]: <x",
    "[a][",
    "[a]",
    "www.a",
    "xwww.a",
    "xhttp://a",
    "a@a.",
    "a@",
    "<!--a",
    "<?a",
    "<![CDATA[",
    "<!a",
    "http://a)",
    "http://a&b;",
    "&a",
];

#[test]
fn hostile_texts_are_parsed_in_time() {
    for part in PARTS {
        let text = part.repeat(SIZE / part.len());
        assert!(depth(&parse(&text)) <= MAX_DEPTH, "{part}");
        blocks_anew(&text);
    }
}

#[test]
fn hostile_texts_still_coming_are_parsed_in_time() {
    for part in PARTS {
        let text = part.repeat(SIZE / part.len());
        Reader::default().read(&text, Ending::Open, usize::MAX);
    }
}

#[test]
fn names_do_not_make_a_short_text_huge() {
    let long = format!("https://x.example/{}", "a".repeat(3_000));
    let text = format!("{}\n\n[a]: {long}", "[a] ".repeat(5_000));
    let nodes = parse(&text);
    let Node::Element(_, children) = &nodes[0] else {
        panic!("no paragraph");
    };
    let links = children
        .iter()
        .filter(|child| matches!(child, Node::Link { .. }));
    assert_eq!(links.count(), 100_000 / long.len());
}

#[test]
fn many_names_are_looked_up_in_time() {
    let mut text = String::new();
    for n in 0..10_000 {
        text.push_str(&format!("[{n}] "));
    }
    text.push_str("\n\n");
    for n in 0..10_000 {
        text.push_str(&format!("[{n}]: https://x.example/{n}\n"));
    }
    parse(&text);
}

#[test]
fn what_is_too_much_is_left_out_until_it_is_asked_for() {
    let text = format!("|a|\n|-|\n{}\n\nend", "|b|\n".repeat(5_000));
    let mut reader = Reader::default();
    let changes = reader.read(&text, Ending::Whole, usize::MAX);
    let Drawing::Anew(nodes) = &changes.changed[0].drawing else {
        panic!("nothing drawn");
    };
    let [Node::Table { rows, .. }] = &nodes[..] else {
        panic!("no table");
    };
    assert_eq!(rows.len(), 1_000);
    assert_eq!(changes.changed[0].left_out, 4 * 4_001);
    let again = reader.read(&text, Ending::Whole, usize::MAX);
    assert!(again.changed.is_empty());
    let Some(all) = reader.show_all(0) else {
        panic!("not all");
    };
    assert_eq!(all.left_out, 0);
    let Drawing::Anew(nodes) = all.drawing else {
        panic!("nothing drawn");
    };
    assert!(matches!(&nodes[..], [Node::Table { rows, .. }] if rows.len() == 5_001));
}

#[test]
fn hostile_texts_of_two_parts_are_parsed_in_time() {
    let half = SIZE / 2;
    let mut ticks = String::new();
    for length in 1..440 {
        ticks.push_str(&"`".repeat(length));
        ticks.push(' ');
    }
    let mut list = String::new();
    for level in 0..440 {
        list.push_str(&" ".repeat(2 * (level % 220)));
        list.push_str("- a\n");
    }
    for text in [
        "[".repeat(half) + &"]".repeat(half),
        "[".repeat(half) + &"[a](http://x)".repeat(half / 13),
        "![".repeat(half / 2) + &"](http://x)".repeat(half / 11),
        "*a ".repeat(half / 3) + &" b*".repeat(half / 3),
        "**".repeat(half / 2) + "a" + &"**".repeat(half / 2),
        "<".to_owned() + &"a".repeat(SIZE),
        format!(
            "{}\n{}\n{}",
            "|a".repeat(half),
            "|-".repeat(half),
            "|b".repeat(half)
        ),
        format!(
            "{}\n{}\n{}",
            "|a".repeat(100),
            "|-".repeat(100),
            "a\n".repeat(half)
        ),
        "> ".repeat(20) + &"a\n> ".repeat(half / 3),
        "- a\n".to_owned() + &"  b\n".repeat(half / 4),
        list,
        ticks,
    ] {
        assert!(depth(&parse(&text)) <= MAX_DEPTH);
        blocks_anew(&text);
    }
}

#[test]
fn a_short_text_becomes_no_huge_table() {
    let text = format!(
        "{}\n{}\n{}",
        "|a".repeat(100),
        "|-".repeat(100),
        "a\n".repeat(900)
    );
    let nodes = parse(&text);
    let [Node::Table { rows, .. }] = &nodes[..] else {
        panic!("no table");
    };
    assert_eq!(rows.len(), 901);
    assert_eq!(rows[1].len(), 100);
    assert_eq!(rows[900].len(), 1);
}
