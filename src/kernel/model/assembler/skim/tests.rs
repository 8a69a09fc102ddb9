//! Chunks that are read at a glance, and those that are not.

use super::*;

fn check(chunk: &str, expected: Option<(Kind, &str)>) {
    let skimmed = skim(chunk);
    let got = skimmed
        .as_ref()
        .map(|skimmed| (skimmed.kind, &*skimmed.text));
    assert_eq!(got, expected, "{chunk}");
    if let Some(skimmed) = skimmed {
        let written = &chunk[skimmed.place.clone()];
        assert_eq!(unescaped(written), Some(skimmed.text), "{chunk}");
    }
}

#[test]
fn chunks_of_text_alone_are_read() {
    let content = |text: &'static str| Some((Kind::Content, text));
    check(r#"{"choices":[{"delta":{"content":"Hi"}}]}"#, content("Hi"));
    check(
        r#"{"id":"x","created":17,"t":-0.5,"choices":[{"index":0,"logprobs":null,"delta":{"role":"assistant","content":"a\n\"b\" \ud83d\udc4d\u00e9"},"finish_reason":null}],"usage":null,"o":{"a":[1,true,{}]}}"#,
        content("a\n\"b\" 👍é"),
    );
    check(
        r#" { "choices" : [ { "delta" : { "content" : "Hi" , "reasoning" : "" } , "finish_reason" : "" } ] } "#
            .trim(),
        content("Hi"),
    );
    check(
        r#"{"choices":[{"delta":{"content":null,"reasoning_content":"hm"}}]}"#,
        Some((Kind::Thought("reasoning_content"), "hm")),
    );
    check(
        r#"{"choices":[{"delta":{"reasoning":null,"reasoning_content":"hm"}}]}"#,
        Some((Kind::Thought("reasoning_content"), "hm")),
    );
    check(
        r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#,
        Some((Kind::Content, "")),
    );
    check(r#"{"choices":[]}"#, Some((Kind::Content, "")));
}

#[test]
fn all_others_are_left_to_the_full_reader() {
    for chunk in [
        "",
        "{}",
        "[DONE]",
        r#"{"error":{"message":"x"}}"#,
        r#"{"choices":[{"delta":{"content":"Hi"}}]"#,
        r#"{"choices":[{"delta":{"content":"Hi"}}]}}"#,
        r#"{"choices":[{"delta":{"content":"Hi"}}],}"#,
        r#"{"choices":[{"delta":{"content":"Hi"}}],"n":01}"#,
        r#"{"choices":[{"delta":{"content":"Hi"}}],"n":1e999}"#,
        r#"{"choices":[{"delta":{"content":"Hi"}}],"s":"\ud83d"}"#,
        r#"{"choices":[{"delta":{"content":"Hi"}}],"s":"\x"}"#,
        r#"{"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}"#,
        r#"{"choices":[{"delta":{"content":"a","content":"b"}}]}"#,
        r#"{"choices":[{"delta":{"content":"a"},"delta":{"content":"b"}}]}"#,
        r#"{"choices":[{"delta":{"content":"a"}}],"choices":[]}"#,
        r#"{"choices":[{"delta":{"content":"\ud83d"}}]}"#,
        r#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"}]}}]}"#,
        r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
        r#"{"choices":[{"delta":{"content":"a"},"message":{"content":"a"}}]}"#,
        r#"{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1}}"#,
        r#"{"choices":[{"delta":{"content":"a","tool_calls":[{"index":0}]}}]}"#,
        r#"{"choices":[{"delta":{"content":"a","reasoning":"b"}}]}"#,
        r#"{"choices":[{"delta":{"reasoning":"a","reasoning_content":"b"}}]}"#,
        r#"{"choi\u0063es":[],"choices":[]}"#,
    ] {
        check(chunk, None);
    }
    let deep = format!(
        r#"{{"choices":[],"x":{}{}}}"#,
        "[".repeat(100),
        "]".repeat(100)
    );
    check(&deep, None);
}
