//! What texts come to, in a short notation: `p(…)` is a paragraph, `**…**` strong
//! text, `<a href>…</a>` a link and so on.

use super::*;

fn shown(nodes: &[Node]) -> String {
    nodes.iter().map(node).collect()
}

fn node(node: &Node) -> String {
    match node {
        Node::Text(text) => text.clone(),
        Node::Code(code) => format!("`{code}`"),
        Node::Break => "<br>".into(),
        Node::Rule => "<hr>".into(),
        Node::Task(Tick::Done) => "[x]".into(),
        Node::Task(Tick::Open) => "[ ]".into(),
        Node::CodeBlock { language, code } => format!("code({language}:{code})"),
        Node::Link { href, children } => format!("<a {href}>{}</a>", shown(children)),
        Node::Table { columns, rows } => {
            let row = |cells: &Vec<Vec<Node>>| {
                cells
                    .iter()
                    .map(|cell| shown(cell))
                    .collect::<Vec<_>>()
                    .join("|")
            };
            let rows: Vec<String> = rows.iter().map(row).collect();
            format!("table{columns:?}({})", rows.join("/"))
        }
        Node::Element(element, children) => {
            let inside = shown(children);
            match element {
                Element::Paragraph => format!("p({inside})"),
                Element::Heading(level) => format!("h{level}({inside})"),
                Element::Quote => format!("q({inside})"),
                Element::Bullets => format!("ul({inside})"),
                Element::Numbers(first) => format!("ol{first}({inside})"),
                Element::Item => format!("li({inside})"),
                Element::Emphasis => format!("*{inside}*"),
                Element::Strong => format!("**{inside}**"),
                Element::Strike => format!("~~{inside}~~"),
            }
        }
    }
}

fn check(source: &str, expected: &str) {
    assert_eq!(shown(&parse(source)), expected, "{source}");
}

#[test]
fn blocks() {
    check("One\ntwo\n\nthree", "p(One\ntwo)p(three)");
    check("# One #\n###### Six\n#no", "h1(One)h6(Six)p(#no)");
    check("One\n===\nTwo\n---", "h1(One)h2(Two)");
    check("a\n\n---\n* * *\nb", "p(a)<hr><hr>p(b)");
    check(
        "```rust x\nfn\n\n  f\n```\nafter",
        "code(rust:fn\n\n  f\n)p(after)",
    );
    check("~~~\n```\n~~~", "code(:```\n)");
    check("```\nopen\n", "code(:open\n)");
    check(
        "text\n\n    code\n      more\n\nend",
        "p(text)code(:code\n  more\n)p(end)",
    );
    check("> a\n> b\nc\n\nd", "q(p(a\nb\nc))p(d)");
    check("> > a\n>\n> b", "q(q(p(a))p(b))");
    check("Text:\n```\nx\n```", "p(Text:)code(:x\n)");
}

#[test]
fn lists() {
    check("- a\n- b", "ul(li(a)li(b))");
    check("* a\n\n* b", "ul(li(p(a))li(p(b)))");
    check("3. a\n4. b\n\ntext", "ol3(li(a)li(b))p(text)");
    check(
        "- a\n  - b\n    - c\n- d",
        "ul(li(aul(li(bul(li(c)))))li(d))",
    );
    check("1. a\n  - b\n2. c", "ol1(li(aul(li(b)))li(c))");
    check("1. a\n\n   more\n2. b", "ol1(li(p(a)p(more))li(p(b)))");
    check(
        "- a\n\n  ```\n  x\n  ```\n- b",
        "ul(li(p(a)code(:x\n))li(p(b)))",
    );
    check("- a\nlazy\n- b", "ul(li(a\nlazy)li(b))");
    check(
        "- [x] done\n- [ ] open\n- [y] no",
        "ul(li([x]done)li([ ]open)li([y] no))",
    );
    check("- a\n+ b", "ul(li(a))ul(li(b))");
    check("Text:\n- a\n- b", "p(Text:)ul(li(a)li(b))");
    check("It was\n1984. Or not", "p(It was\n1984. Or not)");
    check("-not a list\n1.neither", "p(-not a list\n1.neither)");
    check("- # h\n-\n- b", "ul(li(h1(h))li()li(b))");
}

#[test]
fn tables() {
    check(
        "| a | b |\n|---|--:|\n| 1 | `2` |",
        "table[Start, End](a|b/1|`2`)",
    );
    check(
        "a | b\n:-: | -\nx \\| y | z | more\n\nend",
        "table[Center, Start](a|b/x | y|z)p(end)",
    );
    check("Text:\n| a |\n|---|\n| b |", "p(Text:)table[Start](a/b)");
    check("| a |\n| b |", "p(| a |\n| b |)");
}

#[test]
fn stress() {
    check(
        "*a* _b_ **c** __d__ ***e*** ~~f~~",
        "p(*a* *b* **c** **d** ***e*** ~~f~~)",
    );
    check("**a *b* c** *d **e** f*", "p(**a *b* c** *d **e** f*)");
    check(
        "snake_case_name 2*3*4 a * b",
        "p(snake_case_name 2*3*4 a * b)",
    );
    check("**open and *half", "p(**open and *half)");
    check("~one~ ~~~ \\*no\\* \\a", "p(~one~ ~~~ *no* \\a)");
    check(
        "**重点：**正文和**“引文”**。",
        "p(**重点：**正文和**“引文”**。)",
    );
    check("*“quoted”* **a**b", "p(*“quoted”* **a**b)");
}

#[test]
fn code_breaks_and_entities() {
    check("`a` ``b ` c`` ` open", "p(`a` `b ` c` ` open)");
    check("`` ` `` `<b>*x*`", "p(``` `<b>*x*`)");
    check(
        "one  \ntwo\\\nthree<br/>four",
        "p(one<br>two<br>three<br>four)",
    );
    check("&lt;b&gt; &amp;&nbsp;&copy;", "p(<b> &\u{a0}&copy;)");
}

#[test]
fn markup_is_text_and_links_are_safe() {
    check("a <b onclick=x>b</b>", "p(a <b onclick=x>b</b>)");
    check("<script>alert(1)</script>", "p(<script>alert(1)</script>)");
    check(
        "[a](https://x.example/y \"title\")",
        "p(<a https://x.example/y>a</a>)",
    );
    check(
        "[**a** `b`](<https://x.example/y_(z)>)",
        "p(<a https://x.example/y_(z)>**a** `b`</a>)",
    );
    check(
        "<mailto:a@x.example> <https://x.example>",
        "p(<a mailto:a@x.example>mailto:a@x.example</a> <a https://x.example>https://x.example</a>)",
    );
    for bad in [
        "javascript:alert(1)",
        "data:text/html,x",
        "JavaScript://x",
        "/x",
        "x.html",
        "blob:https://x",
        "https:x",
        "",
    ] {
        check(&format!("[a]({bad})"), "p(a)");
    }
    check(
        "![a](https://x.example/p.png) ![](https://x.example)",
        "p(<a https://x.example/p.png>a</a> <a https://x.example>https://x.example</a>)",
    );
    check("![a](data:image/png;base64,AA)", "p(a)");
    check(
        "[a [b](https://b.example) c](https://a.example)",
        "p(a <a https://b.example>b</a> c)",
    );
    check("[a] (b) [c](d", "p([a] (b) [c](d)");
}

#[test]
fn addresses_in_the_text_are_links() {
    check(
        "See https://x.example/a_b?c=1. Then",
        "p(See <a https://x.example/a_b?c=1>https://x.example/a_b?c=1</a>. Then)",
    );
    check(
        "(https://x.example/y_(z)) **http://y.example**",
        "p((<a https://x.example/y_(z)>https://x.example/y_(z)</a>) **<a http://y.example>http://y.example</a>**)",
    );
    check(
        "见https://x.example/页面。",
        "p(见<a https://x.example/>https://x.example/</a>页面。)",
    );
    check(
        "xhttps://no.example https://",
        "p(xhttps://no.example https://)",
    );
    check(
        "[https://x.example](https://x.example)",
        "p(<a https://x.example>https://x.example</a>)",
    );
}

#[test]
fn hostile_texts_end_soon_and_stay_shallow() {
    fn depth(nodes: &[Node]) -> usize {
        let inside = nodes.iter().map(|node| match node {
            Node::Element(_, children) | Node::Link { children, .. } => 1 + depth(children),
            _ => 1,
        });
        inside.max().unwrap_or(0)
    }
    let many = |text: &str| text.repeat(20_000);
    for text in [
        many(">"),
        many("> "),
        many("- "),
        many("*"),
        format!("{}a{}", many("*"), many("*")),
        many("*a _b "),
        many("**a *b"),
        many("["),
        many("[a]("),
        many("![]("),
        many("`a``"),
        many("<a "),
        many("https://a "),
        many("|a"),
        many("| a\n|-\n"),
        many("- a\n  "),
        many("1. a\n"),
        many("\\"),
        many("&amp"),
    ] {
        let started = std::time::Instant::now();
        let nodes = parse(&text);
        assert!(depth(&nodes) < 60, "{}", &text[..8]);
        assert!(
            started.elapsed().as_secs() < 3,
            "{} took {:?}",
            &text[..8],
            started.elapsed()
        );
    }
}

#[test]
fn no_letter_is_lost() {
    let text = "# A *b*\n\n- c `d` [e](https://f.example)\n  > g\n\n| h | i |\n|---|---|\n| j | k |\n\n中文**粗体**";
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        let all = shown(&parse(&text[..end]));
        for letter in text[..end].chars().filter(char::is_ascii_lowercase) {
            assert!(all.contains(letter), "{letter} in {:?}", &text[..end]);
        }
    }
}
