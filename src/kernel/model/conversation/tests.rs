//! What is sent of a transcript.

use serde_json::Map;

use super::message::{echo, sendable_name, tool_call};
use super::*;
use crate::kernel::session::{Mode, Outcome, Reasoning, ToolCall, ToolResult};

fn record(seq: usize, entry: Entry) -> Record {
    Record {
        seq: seq as u64,
        at_ms: 0,
        entry,
    }
}

fn user(text: &str) -> Entry {
    Entry::User {
        text: text.into(),
        mode: Mode::Act,
        rounds: None,
    }
}

fn calls(ids: &[&str]) -> Entry {
    let call = |id: &&str| ToolCall {
        id: (*id).into(),
        name: "f".into(),
        arguments: "{}".into(),
        extra: json!({"x": 1}).as_object().cloned().unwrap_or_default(),
    };
    Entry::Assistant(AssistantMessage {
        calls: ids.iter().map(call).collect(),
        host: "h".into(),
        model: "m".into(),
        reasoning: Some(Box::new(Reasoning {
            field: "reasoning".into(),
            text: "t".into(),
            ..Reasoning::default()
        })),
        ..AssistantMessage::default()
    })
}

fn result(id: &str) -> Entry {
    Entry::ToolResult(ToolResult {
        round: 1,
        call_id: id.into(),
        name: "f".into(),
        outcome: Outcome::Ok,
        text: "r".into(),
        ..ToolResult::default()
    })
}

fn sent(host: &str, entries: Vec<Entry>) -> Vec<Json> {
    let records: Vec<Record> = entries
        .into_iter()
        .enumerate()
        .map(|(n, entry)| record(n, entry))
        .collect();
    let mut conversation = Conversation::new((host, "m"), "s");
    serde_json::from_str(&format!(
        "[{}]",
        conversation.messages(&records, &Rc::default())
    ))
    .unwrap()
}

fn shape(messages: &[Json]) -> Vec<String> {
    let word = |message: &Json| match message["tool_call_id"].as_str() {
        Some(id) if message["content"] == NO_RESULT => format!("lost {id}"),
        Some(id) => format!("result {id}"),
        None => message["role"].as_str().unwrap_or_default().to_owned(),
    };
    messages.iter().map(word).collect()
}

#[test]
fn lost_results_are_filled_in_and_lone_ones_left_out() {
    let messages = sent(
        "h",
        vec![
            user("a"),
            calls(&["1", "2", "3"]),
            result("2"),
            result("9"),
            user("b"),
        ],
    );
    assert_eq!(
        shape(&messages),
        [
            "system",
            "user",
            "assistant",
            "lost 1",
            "result 2",
            "lost 3",
            "user"
        ]
    );
    let messages = sent("h", vec![user("a"), result("1"), calls(&["1"])]);
    assert_eq!(shape(&messages), ["system", "user", "assistant", "lost 1"]);
}

#[test]
fn empty_and_partial_messages_are_not_sent() {
    let empty = Entry::Assistant(AssistantMessage {
        text: " \n".into(),
        ..AssistantMessage::default()
    });
    let partial = Entry::Partial {
        round: 1,
        text: "x".into(),
        reasoning: String::new(),
    };
    assert_eq!(
        shape(&sent("h", vec![user("a"), empty, partial, user("b")])),
        ["system", "user", "user"]
    );
}

#[test]
fn thoughts_and_foreign_fields_go_back_to_their_own_host_and_model_alone() {
    let of = |host, model| {
        let records = [user("a"), calls(&["1"])].into_iter().enumerate();
        let records: Vec<Record> = records.map(|(n, entry)| record(n, entry)).collect();
        let mut conversation = Conversation::new((host, model), "s");
        let messages = format!("[{}]", conversation.messages(&records, &Rc::default()));
        let messages: Vec<Json> = serde_json::from_str(&messages).unwrap();
        let message = &messages[2];
        (
            message["reasoning"].clone(),
            message["tool_calls"][0]["x"].clone(),
        )
    };
    assert_eq!(of("h", "m"), (json!("t"), json!(1)));
    assert_eq!(of("o", "m"), (Json::Null, Json::Null));
    assert_eq!(of("h", "n"), (Json::Null, Json::Null));
}

#[test]
fn structured_thoughts_go_back_beside_their_text() {
    let detail = json!({"type": "reasoning.text", "text": "t", "signature": "S"});
    let mut reasoning = Reasoning {
        field: "reasoning".into(),
        text: "t".into(),
        extra: json!({"reasoning_details": [detail]})
            .as_object()
            .cloned()
            .unwrap(),
    };
    let echoed = |reasoning: &Reasoning| {
        let mut fields = Map::new();
        echo(reasoning, &mut fields);
        Json::Object(fields)
    };
    assert_eq!(
        echoed(&reasoning),
        json!({"reasoning": "t", "reasoning_details": [detail]})
    );
    reasoning.field = "reasoning_details".into();
    assert_eq!(echoed(&reasoning), json!({"reasoning_details": [detail]}));
}

#[test]
fn long_ids_go_back_as_they_came_and_short_to_others() {
    let long = format!("call_{}", "x".repeat(60));
    let ids = |host| {
        let messages = sent(host, vec![user("a"), calls(&[&long]), result(&long)]);
        let id = messages[2]["tool_calls"][0]["id"].clone();
        assert_eq!(id, messages[3]["tool_call_id"]);
        id.as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(ids("h"), long);
    assert!(ids("o").len() <= 40 && ids("o") == ids("o"), "{}", ids("o"));
    let odd = sent("o", vec![user("a"), calls(&["functions.f:0"])]);
    assert_eq!(odd[2]["tool_calls"][0]["id"], "functions.f:0");
}

#[test]
fn names_and_arguments_that_hosts_refuse_are_made_sendable() {
    assert_eq!(sendable_name("read file"), "read_file");
    assert_eq!(sendable_name("9x"), "_9x");
    assert_eq!(sendable_name(""), "_");
    let call = ToolCall {
        arguments: "{\"a".into(),
        ..ToolCall::default()
    };
    let arguments = tool_call(&call, "1", true)["function"]["arguments"].clone();
    assert_eq!(arguments, json!("{\"invalid_json\":\"{\\\"a\"}"));
}

#[test]
fn what_was_sent_is_a_prefix_of_what_is_sent_next() {
    let entries = [user("a"), calls(&["1"]), result("1"), user("b")];
    let records: Vec<Record> = entries
        .into_iter()
        .enumerate()
        .map(|(n, entry)| record(n, entry))
        .collect();
    let mut conversation = Conversation::new(("h", "m"), "s");
    let mut before = String::new();
    for end in [1, 3, 4] {
        let now = conversation
            .messages(&records[..end], &Rc::default())
            .to_string();
        assert!(now.starts_with(&before), "{now} after {before}");
        before = now;
    }
}

/// As [`sent`], to a host that refuses some of the usual form.
fn sent_otherwise(host: &str, refused: &[Refused], entries: Vec<Entry>) -> Vec<Json> {
    let records: Vec<Record> = entries
        .into_iter()
        .enumerate()
        .map(|(n, entry)| record(n, entry))
        .collect();
    let mut conversation = Conversation::new((host, "m"), "s");
    conversation.messages(&records[..1], &Rc::default());
    let is_other = conversation.take_form(Form {
        host: host.into(),
        model: "m".into(),
        refused: refused.to_vec(),
        about_tools: "No tools.".into(),
    });
    assert!(is_other);
    assert_eq!(conversation.start_of_next(&records), 0, "it begins anew");
    serde_json::from_str(&format!(
        "[{}]",
        conversation.messages(&records, &Rc::default())
    ))
    .unwrap()
}

fn worked() -> Vec<Entry> {
    vec![
        user("a"),
        calls(&["1"]),
        result("1"),
        user("b"),
        user("\"c\""),
    ]
}

#[test]
fn roles_take_turns_where_they_must() {
    let messages = sent_otherwise(
        "h",
        &[Refused::Neighbours, Refused::UserAfterResult],
        worked(),
    );
    assert_eq!(
        shape(&messages),
        [
            "system",
            "user",
            "assistant",
            "result 1",
            "assistant",
            "user"
        ]
    );
    assert_eq!(messages[4]["content"], NOTED);
    assert_eq!(messages[5]["content"], "b\n\n\"c\"");
    assert_eq!(messages[0]["content"], "s\n\nNo tools.");
}

#[test]
fn single_messages_are_written_as_the_host_wants_them() {
    let of = |host: &str, refused: Refused| {
        let messages = sent_otherwise(host, &[refused], worked());
        (messages[2].clone(), messages[3].clone())
    };
    assert_eq!(of("h", Refused::NullText).0["content"], "");
    assert_eq!(of("h", Refused::NamelessResults).1["name"], "f");
    assert_eq!(of("h", Refused::Thoughts).0.get("reasoning"), None);
    let (filled, _) = of("o", Refused::NoThoughts);
    assert_eq!(filled["reasoning_content"], "");
    assert_eq!(filled.get("reasoning"), None);
    let (message, answer) = of("h", Refused::Ids);
    let id = message["tool_calls"][0]["id"].as_str().unwrap_or_default();
    assert!(id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()));
    assert_eq!(answer["tool_call_id"], id);
    // An id that is used again is another one as sent.
    let again = vec![user("a"), calls(&["1"]), result("1"), calls(&["1"])];
    let messages = sent_otherwise("h", &[Refused::Ids], again);
    assert_ne!(
        messages[2]["tool_calls"][0]["id"],
        messages[4]["tool_calls"][0]["id"]
    );
}

#[test]
fn what_was_learnt_last_about_thoughts_counts() {
    let of = |refused: &[Refused]| sent_otherwise("h", refused, worked())[2].clone();
    let dropped = of(&[Refused::NoThoughts, Refused::Thoughts]);
    assert_eq!(dropped.get("reasoning_content"), None);
    let filled = of(&[Refused::Thoughts, Refused::NoThoughts]);
    assert_eq!(
        (&filled["reasoning_content"], &filled["reasoning"]),
        (&json!(""), &json!("t"))
    );
}

#[test]
fn calls_and_results_are_told_in_words_to_a_model_without_tools() {
    let messages = sent_otherwise("h", &[Refused::Tools], worked());
    assert_eq!(shape(&messages), ["system", "user", "assistant", "user"]);
    assert_eq!(
        messages[2]["content"],
        "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>"
    );
    assert_eq!(
        messages[3]["content"],
        "<tool_response name=\"f\">\nr\n</tool_response>\n\nb\n\n\"c\""
    );
}

#[test]
fn the_system_prompt_stands_in_front_of_the_first_message_where_there_is_no_role_for_it() {
    let messages = sent_otherwise("h", &[Refused::System], worked());
    assert_eq!(
        shape(&messages),
        ["user", "assistant", "result 1", "user", "user"]
    );
    assert_eq!(messages[0]["content"], "s\n\nNo tools.\n\na");
    assert_eq!(messages[3]["content"], "b");
    // Also where the model speaks first, and where roles must take turns.
    let messages = sent_otherwise(
        "h",
        &[Refused::System, Refused::Neighbours],
        vec![calls(&["1"]), result("1"), user("b")],
    );
    assert_eq!(shape(&messages), ["user", "assistant", "result 1", "user"]);
    assert_eq!(messages[0]["content"], format!("s\n\nNo tools.\n\n{GO_ON}"));
}

#[test]
fn what_was_sent_without_a_system_role_is_a_prefix_of_what_is_sent_next() {
    let entries = [user("a"), calls(&["1"]), result("1"), user("b")];
    let records = entries.into_iter().enumerate();
    let records: Vec<Record> = records.map(|(n, entry)| record(n, entry)).collect();
    let mut conversation = Conversation::new(("h", "m"), "s");
    conversation.take_form(Form {
        refused: vec![Refused::System],
        ..Form::default()
    });
    let mut before = String::new();
    for end in [1, 3, 4] {
        let now = conversation.messages(&records[..end], &Rc::default());
        assert!(now.starts_with(&before), "{now} after {before}");
        before = now.to_string();
    }
    assert_eq!(before.matches("s\\n\\na").count(), 1, "{before}");
}
