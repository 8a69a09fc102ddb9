//! What stands in a line.

use super::*;

fn check(source: &str, expected: Vec<Node>) {
    assert_eq!(parse(source), [paragraph(expected)], "{source}");
}

fn emphasis(shown: &str) -> Node {
    element(Element::Emphasis, vec![text(shown)])
}

fn strong(shown: &str) -> Node {
    element(Element::Strong, vec![text(shown)])
}

fn code(shown: &str) -> Node {
    Node::Code(shown.into())
}

fn titled(address: &str, title: &str, shown: &str) -> Node {
    Node::Link {
        target: Target::new(address, Some(title)),
        children: vec![text(shown)],
    }
}

fn image(address: &str, alt: &str) -> Node {
    Node::Image {
        target: Target::new(address, None),
        alt: alt.into(),
    }
}

#[test]
fn only_safe_addresses_are_followed() {
    for bad in [
        "javascript:alert(1)",
        "data:text/html,x",
        "JavaScript://x",
        "/x",
        "//x.example",
        "x.html",
        "blob:https://x",
        "https:x",
        "http:\\\\x",
        "java\nscript:x",
        " javascript:x",
    ] {
        assert_eq!(Target::new(bad, None).safe(), None, "{bad}");
    }
    for good in ["https://x.example/y", "HTTP://x", "mailto:a@x.example"] {
        assert_eq!(Target::new(good, None).safe(), Some(good));
    }
    let long = format!("https://x.example/{}", "a".repeat(5_000));
    assert_eq!(Target::new(&long, None).safe(), None);
}

#[test]
fn characters_that_turn_the_order_are_marked() {
    check(
        "a\u{202e}b `c\u{2066}d`",
        vec![text("a\u{fffd}b "), code("c\u{fffd}d")],
    );
    check("\u{200f}שלום “a” …", vec![text("\u{200f}שלום “a” …")]);
}

#[test]
fn names_stand_for_addresses() {
    assert_eq!(
        parse("[a][B  c], [b\nC] and [d]\n\n[b c]: https://x.example\n[b c]: https://y.example"),
        [paragraph(vec![
            link("https://x.example", "a"),
            text(", "),
            link("https://x.example", "b\nC"),
            text(" and [d]"),
        ])]
    );
}

#[test]
fn runs_of_signs_follow_the_rules() {
    check("*a* _b_ **c** __d__", {
        let space = || text(" ");
        let (a, b, c, d) = (emphasis("a"), emphasis("b"), strong("c"), strong("d"));
        vec![a, space(), b, space(), c, space(), d]
    });
    check(
        "***a*** b",
        vec![element(Element::Emphasis, vec![strong("a")]), text(" b")],
    );
    check(
        "*a **b** c*",
        vec![element(
            Element::Emphasis,
            vec![text("a "), strong("b"), text(" c")],
        )],
    );
    check("a*b*c", vec![text("a"), emphasis("b"), text("c")]);
    check("*foo**bar*", vec![emphasis("foo**bar")]);
    check("**a*", vec![text("*"), emphasis("a")]);
    check("*a**", vec![emphasis("a"), text("*")]);
    check("*a _b* c_", vec![emphasis("a _b"), text(" c_")]);
    for plain in [
        "snake_case_word",
        "a * b * c",
        "2 ** 3 ** 4",
        "**open",
        "\"*\"",
        "__a",
        "пристаням_стремятся_",
    ] {
        check(plain, vec![text(plain)]);
    }
    check(r"\*a\* \\ \x", vec![text(r"*a* \ \x")]);
}

#[test]
fn emphasis_stands_beside_wide_signs() {
    check("**重点。**后", vec![strong("重点。"), text("后")]);
    check(
        "前**“重点”**后",
        vec![text("前"), strong("“重点”"), text("后")],
    );
    check("前**(a)**后", vec![text("前"), strong("(a)"), text("后")]);
    check("*强调*,后", vec![emphasis("强调"), text(",后")]);
    check("“_em_”", vec![text("“"), emphasis("em"), text("”")]);
    check("前 ** 后 **", vec![text("前 ** 后 **")]);
}

#[test]
fn tildes_strike_out_words() {
    let strike = element(Element::Strike, vec![text("a")]);
    check("~~a~~ b", vec![strike.clone(), text(" b")]);
    check("~a~ b", vec![strike, text(" b")]);
    check("3~5, 10~20", vec![text("3~5, 10~20")]);
    check("~5 to ~10", vec![text("~5 to ~10")]);
    check("a ~~~b~~~ c~~", vec![text("a ~~~b~~~ c~~")]);
}

#[test]
fn code_in_a_line() {
    check("`a*b*`", vec![code("a*b*")]);
    check("`` a`b `` c", vec![code("a`b"), text(" c")]);
    check(
        "` ` `  ` ` a `",
        vec![code(" "), text(" "), code("  "), text(" "), code("a")],
    );
    check("`a\nb`", vec![code("a b")]);
    check("``a` *b*", vec![text("``a` "), emphasis("b")]);
    check(r"\`a` b`", vec![text("`a"), code(" b")]);
    check(r"`a\` b", vec![code(r"a\"), text(" b")]);
    check(
        "*a `*` b*",
        vec![element(
            Element::Emphasis,
            vec![text("a "), code("*"), text(" b")],
        )],
    );
}

#[test]
fn links_in_brackets() {
    check(
        "[a [b] c](https://x.example \"t\")",
        vec![titled("https://x.example", "t", "a [b] c")],
    );
    check(
        "[a](https://x.example/b_(c)) d",
        vec![link("https://x.example/b_(c)", "a"), text(" d")],
    );
    check(
        "[a](<https://x.example/b c> 't')",
        vec![titled("https://x.example/b c", "t", "a")],
    );
    check(
        "[a](\n https://x.example\n (t) )",
        vec![titled("https://x.example", "t", "a")],
    );
    check(
        r"[a](https://x.example/\)?b&amp;c)",
        vec![link("https://x.example/)?b&c", "a")],
    );
    check(r"\[a](https)", vec![text("[a](https)")]);
    check(
        "[HTTP](HTTPS://x.example)",
        vec![link("HTTPS://x.example", "HTTP")],
    );
    for plain in [
        "[a]", "[a][b]", "[a](b c)", "[a](b", "[^1]", "[a] (b)", "](b)",
    ] {
        check(plain, vec![text(plain)]);
    }
    let shown = vec![strong("a"), text(" "), code("b")];
    let target = Target::new("https://x.example", None);
    check(
        "[**a** `b`](https://x.example)",
        vec![Node::Link {
            target,
            children: shown,
        }],
    );
    check(
        "*[a*](https://x.example)",
        vec![text("*"), link("https://x.example", "a*")],
    );
}

#[test]
fn there_is_no_link_in_a_link() {
    check(
        "[https://a.example](https://b.example)",
        vec![link("https://b.example", "https://a.example")],
    );
    check(
        "[a [b](https://b.example) c](https://c.example)",
        vec![
            text("[a "),
            link("https://b.example", "b"),
            text(" c]("),
            link("https://c.example", "https://c.example"),
            text(")"),
        ],
    );
    check(
        "[![a](https://a.example)](https://b.example)",
        vec![Node::Link {
            target: Target::new("https://b.example", None),
            children: vec![Node::Image {
                target: Target::new("https://a.example", None).within_link(),
                alt: "a".into(),
            }],
        }],
    );
    check("![a *b*](p.png)", vec![image("p.png", "a b")]);
}

#[test]
fn addresses_on_their_own() {
    let x = || link("https://x.example/a", "https://x.example/a");
    check(
        "see https://x.example/a.",
        vec![text("see "), x(), text(".")],
    );
    check("(https://x.example/a)", vec![text("("), x(), text(")")]);
    check(
        "见https://x.example/a。后",
        vec![text("见"), x(), text("。后")],
    );
    check(
        "**https://x.example/a**后",
        vec![element(Element::Strong, vec![x()]), text("后")],
    );
    check("\"https://x.example/a\"", vec![text("\""), x(), text("\"")]);
    check("https://x.example/a, b", vec![x(), text(", b")]);
    let wiki = "http://x.example/a_b_(c)?d=*";
    check(
        wiki,
        vec![
            link(&wiki[..wiki.len() - 1], &wiki[..wiki.len() - 1]),
            text("*"),
        ],
    );
    check("<https://x.example/a>b", vec![x(), text("b")]);
    check(
        "<a@x.example>",
        vec![link("mailto:a@x.example", "a@x.example")],
    );
    check(
        "www.x.example",
        vec![link("http://www.x.example", "www.x.example")],
    );
    check("见www.x.example。", {
        let www = link("http://www.x.example", "www.x.example");
        vec![text("见"), www, text("。")]
    });
    check("to a.b+c@x.example.", {
        let mail = link("mailto:a.b+c@x.example", "a.b+c@x.example");
        vec![text("to "), mail, text(".")]
    });
    check("`https://x.example/a`", vec![code("https://x.example/a")]);
    for plain in [
        "https://",
        "http:/x",
        "xhttps://x",
        "https://.",
        "a@b",
        "@x.example",
        "a.www.x.example",
        "a < b > c",
        "<a b@c>",
    ] {
        check(plain, vec![text(plain)]);
    }
}

#[test]
fn entities_and_breaks() {
    check(
        "&lt;b&gt; &amp;amp; &quot;&apos;",
        vec![text("<b> &amp; \"'")],
    );
    check(
        "&nbsp;&copy;&hellip;&mdash;&ndash;",
        vec![text("\u{a0}©…—–")],
    );
    check(
        "&#65;&#x42;&#X1f600; &#0; &#xD800;",
        vec![text("AB😀 \u{fffd} \u{fffd}")],
    );
    for plain in [
        "&foo; AT&T",
        "&#;",
        "&#x;",
        "&#12345678;",
        "&#xfffffff;",
        "&amp",
        "&#6a;",
    ] {
        check(plain, vec![text(plain)]);
    }
    check("&#42;a&#42;", vec![text("*a*")]);
    check(
        "a  \nb\\\nc \nd",
        vec![text("a"), Node::Break, text("b"), Node::Break, text("c\nd")],
    );
    check(
        "a<br>b<BR />c",
        vec![text("a"), Node::Break, text("b"), Node::Break, text("c")],
    );
    check("a\\", vec![text("a\\")]);
    check(
        "<a href='*b*'>*c*</a>",
        vec![
            Node::Markup("<a href='*b*'>".into()),
            emphasis("c"),
            Node::Markup("</a>".into()),
        ],
    );
}

#[test]
fn what_is_too_deep_is_drawn_without_it() {
    let deep = "*a **b ".repeat(20) + &"** *".repeat(20);
    assert!(parse(&deep).len() == 1);
}
