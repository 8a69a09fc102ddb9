//! What is held back and what is shown.

use super::*;

fn offered() -> Rc<Offered> {
    let names = ["read_file", "now"].map(str::to_owned);
    Rc::new(Offered::named(names))
}

/// What is shown while it streams, and the rest, whatever the pieces.
fn check(text: &str, shown: &str, rest: &Rest) {
    let chars: Vec<char> = text.chars().collect();
    for size in 1..=chars.len() {
        let mut calls = TextCalls::new(offered());
        let mut seen = String::new();
        for piece in chars.chunks(size) {
            let piece: String = piece.iter().collect();
            calls.push(&piece, &mut |text| seen.push_str(text));
        }
        let got = calls.finish(true);
        let all = format!("{seen}{}", got.text);
        assert_eq!(all, format!("{shown}{}", rest.text), "{text} by {size}");
        assert_eq!(
            (&got.calls, got.unread),
            (&rest.calls, rest.unread),
            "{text} by {size}"
        );
    }
}

fn text_alone(text: &str) {
    check(text, text, &Rest::default());
}

#[test]
fn what_is_no_call_is_text() {
    text_alone("3 < 5, <table> and <tool_call is no tag>");
    text_alone("<tool_call> is how some models begin a call.");
    text_alone("In code: `<tool_call>{\"name\":\"now\"}</tool_call>`");
    text_alone("```xml\n<tool_call>{\"name\":\"now\"}</tool_call>\n```\n");
    text_alone("<function=rm_rf></function>");
    text_alone("<tool_call>{\"name\":\"rm_rf\",\"arguments\":{}}</tool_call>");
    text_alone("<tool_call>{\"name\":\"now\",\"argu");
    text_alone("a <");
}

#[test]
fn a_call_is_read_and_the_text_before_it_kept() {
    let call = Read {
        name: "now".into(),
        arguments: Map::new(),
    };
    let rest = Rest {
        calls: vec![call],
        ..Rest::default()
    };
    check(
        "Let me look.\n<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>\n",
        "Let me look.\n",
        &rest,
    );
}

#[test]
fn tokens_are_never_shown() {
    let rest = Rest {
        unread: true,
        ..Rest::default()
    };
    check(
        "Hm. <|tool_calls_section_begin|><|tool_call_begin|>x",
        "Hm. ",
        &rest,
    );
    check("Hm. <｜DSML｜function_calls>\n<｜DSML｜inv", "Hm. ", &rest);
    assert_eq!(
        without_tokens("{\"a\":\"<b>\"}<|tool_call_end|><|tool_calls_section_end|>"),
        "{\"a\":\"<b>\"}"
    );
}

#[test]
fn beside_real_calls_markup_is_text() {
    let mut calls = TextCalls::new(offered());
    let text = "<tool_call>{\"name\":\"now\"}</tool_call>";
    calls.push(text, &mut |text| assert!(text.is_empty(), "held back"));
    let rest = calls.finish(false);
    assert_eq!((rest.text.as_str(), rest.calls.len()), (text, 0));
}
