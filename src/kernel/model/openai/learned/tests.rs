//! What is learnt from the words of public servers.

mod images;

use super::*;
use crate::kernel::model::errors;

/// A request that carries everything.
fn sent() -> Sent {
    let fields = [
        "temperature",
        "top_p",
        "max_tokens",
        "reasoning_effort",
        "parallel_tool_calls",
        "seed",
        "stream_options",
    ];
    let messages = r#"{"role":"assistant","content":null,"reasoning_content":"x","tool_calls":[]},{"role":"tool"}"#;
    Sent {
        fields: fields.map(str::to_owned).to_vec(),
        has_tools: true,
        may_lose_tools: true,
        messages: Rc::new(messages.to_owned()),
        refused: Vec::new(),
        picture: None,
    }
}

fn learn(sent: &Sent, status: u16, body: &str) -> Option<Refused> {
    sent.refused_by(&errors::from_body(status, body, "h"))
}

fn check(status: u16, body: &str, expected: Option<Refused>) {
    assert_eq!(learn(&sent(), status, body), expected, "{body}");
    // What was tried already is not learnt again.
    if let Some(refused) = expected {
        let known = Sent {
            refused: vec![refused.clone()],
            ..sent()
        };
        assert_ne!(learn(&known, status, body), Some(refused), "{body}");
    }
}

fn field(name: &str) -> Option<Refused> {
    Some(Refused::Field(name.into()))
}

#[test]
fn fields_are_found_in_every_shape_of_an_error() {
    for (status, body, name) in [
        (
            422,
            r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"],"msg":"Extra inputs are not permitted","input":true}]},"type":"invalid_request_error","param":null,"code":null}"#,
            "stream_options",
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"stream_options\": Cannot find field.","status":"INVALID_ARGUMENT"}}]"#,
            "stream_options",
        ),
        (
            400,
            r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}"#,
            "temperature",
        ),
        (
            400,
            r#"{"error":{"message":"Unrecognized request argument supplied: reasoning_effort","type":"invalid_request_error","param":null,"code":null}}"#,
            "reasoning_effort",
        ),
        (
            400,
            r#"{"error":{"message":"\"tiny\" does not support thinking","type":"api_error","param":null,"code":null}}"#,
            "reasoning_effort",
        ),
        (
            400,
            r#"{"error":{"message":"property 'parallel_tool_calls' is unsupported"}}"#,
            "parallel_tool_calls",
        ),
        (
            400,
            r#"{"error":{"message":"Unrecognized request argument supplied: seed"}}"#,
            "seed",
        ),
        (
            400,
            r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Unsupported parameter: 'top_p'\"}}"}}}"#,
            "top_p",
        ),
        (400, "unknown field `stream_options`", "stream_options"),
        (
            422,
            r#"{"detail":[{"loc":["body","top_p"],"msg":"extra fields not permitted"}]}"#,
            "top_p",
        ),
        (
            400,
            r#"{"error":{"message":"Unknown parameter 'seed'. Known are temperature, top_p."}}"#,
            "seed",
        ),
    ] {
        check(status, body, field(name));
    }
}

#[test]
fn forms_are_found() {
    use Refused::*;
    for (status, body, refused) in [
        (
            400,
            r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}"#,
            MaxTokens,
        ),
        (
            400,
            r#"{"error":{"message":"invalid message content type: \u003cnil\u003e","type":"invalid_request_error","param":null,"code":null}}"#,
            NullText,
        ),
        (
            422,
            r#"{"detail":[{"loc":["body","messages",2,"content"],"msg":"Input should be a valid string"}]}"#,
            NullText,
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n","status":"INVALID_ARGUMENT"}}]"#,
            NamelessResults,
        ),
        (
            400,
            r#"{"message":"body.messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported","type":"invalid_request_error","param":"messages","code":"wrong_api_format"}"#,
            Thoughts,
        ),
        (
            400,
            r#"{"error":{"message":"The reasoning_content in the thinking mode must be passed back to the API.","type":"invalid_request_error"}}"#,
            NoThoughts,
        ),
        (
            400,
            r#"{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2","type":"invalid_request_error"}}"#,
            NoThoughts,
        ),
        (
            500,
            r#"{"error":{"code":500,"message":"Conversation roles must alternate user/assistant/user/assistant/...","type":"server_error"}}"#,
            Neighbours,
        ),
        (
            400,
            r#"{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","code":"3230"}"#,
            UserAfterResult,
        ),
        (
            400,
            r#"{"object":"error","message":"Tool call id was functions.read_file:0 but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_request_error","code":"3280"}"#,
            Ids,
        ),
        (
            400,
            r#"{"error":{"message":"Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 53 instead.","code":"string_above_max_length"}}"#,
            Ids,
        ),
        (
            400,
            r#"{"error":{"message":"messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"}}"#,
            Ids,
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters': Cannot find field."}}]"#,
            Schemas,
        ),
        (
            400,
            r#"{"error":{"message":"registry.example/library/tiny:1b does not support tools"}}"#,
            Tools,
        ),
        (
            404,
            r#"{"error":{"message":"No endpoints found that support tool use. To learn more, visit the docs","code":404}}"#,
            Tools,
        ),
        (
            500,
            r#"{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}"#,
            Tools,
        ),
        (
            400,
            r#"{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}"#,
            Tools,
        ),
        (
            400,
            r#"{"error":{"message":"Unsupported parameter: 'tools'","param":"tools"}}"#,
            Tools,
        ),
        (
            400,
            r#"{"error":{"message":"This model does not support streaming."}}"#,
            Streaming,
        ),
        (
            400,
            r#"{"error":{"message":"Unsupported value: 'stream' does not support true with this model.","param":"stream"}}"#,
            Streaming,
        ),
        (
            400,
            r#"{"error":{"message":"This model only support stream mode, please enable the stream parameter to access the model. "}}"#,
            Whole,
        ),
    ] {
        check(status, body, Some(refused));
    }
}

#[test]
fn a_second_refusal_leads_to_the_next_form() {
    let known = |refused: Refused, fields: &[&str]| Sent {
        refused: vec![refused],
        fields: fields.iter().map(|name| (*name).to_owned()).collect(),
        ..sent()
    };
    let swapped = known(Refused::MaxTokens, &["max_completion_tokens"]);
    let body = r#"{"error":{"message":"Unsupported parameter: 'max_completion_tokens'"}}"#;
    assert_eq!(learn(&swapped, 400, body), field("max_completion_tokens"));
    let joined = known(Refused::Neighbours, &[]);
    let body = "Conversation roles must alternate user/assistant/user/assistant/...";
    assert_eq!(learn(&joined, 400, body), Some(Refused::UserAfterResult));
}

#[test]
fn nothing_is_learnt_from_what_no_other_form_can_mend() {
    for (status, body) in [
        (
            401,
            r#"{"error":{"message":"unsupported key; stream_options not supported"}}"#,
        ),
        (402, "stream_options not supported"),
        (403, "stream_options not supported"),
        (429, "stream_options not supported"),
        (503, "stream_options not supported"),
        (500, "oops"),
        (
            404,
            r#"{"error":{"message":"The model `x` does not exist"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"max_tokens is too large: 99999. This model has at most 8192","param":"max_tokens"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"Invalid 'temperature': decimal above maximum value.","param":"temperature"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 4096 tokens; stream_options unsupported"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"Your request was refused by our content policy."}}"#,
        ),
        (400, ""),
        (400, "<html>unsupported</html>"),
    ] {
        check(status, body, None);
    }
    // Work that needs tools does not go on without them.
    let at_work = Sent {
        may_lose_tools: false,
        ..sent()
    };
    assert_eq!(learn(&at_work, 400, "x does not support tools"), None);
    // What was not sent was not what is refused.
    let bare = Sent {
        fields: Vec::new(),
        has_tools: false,
        messages: Rc::default(),
        ..sent()
    };
    for body in [
        "System role not supported",
        "unknown parameter stream_options",
        "x does not support tools",
        "invalid message content type: <nil>",
        "property 'reasoning_content' is unsupported",
    ] {
        assert_eq!(learn(&bare, 400, body), None, "{body}");
    }
    let told = r#"{"error":{"message":"bedrock doesn't support tool calling without `tools=` param specified."}}"#;
    let with_calls = Sent {
        messages: Rc::new("\"tool_calls\":[]".into()),
        ..bare
    };
    assert_eq!(
        learn(&with_calls, 400, told),
        Some(Refused::CallsWithoutTools)
    );
}

/// Templates without a role for the system, and the hosts that run them.
#[test]
fn a_missing_role_for_the_system_is_found_in_the_words_of_templates_and_hosts() {
    let with_system = |messages: &str| Sent {
        messages: Rc::new(messages.to_owned()),
        ..sent()
    };
    let first = r#"{"role":"system","content":"s"},{"role":"user","content":"a"}"#;
    for (status, body) in [
        (
            400,
            r#"{"object":"error","message":"System role not supported","type":"BadRequestError","param":null,"code":400}"#,
        ),
        (
            500,
            r#"{"error":{"code":500,"message":"Jinja Exception: System role not supported\n at row 1, column 115:\n{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}","type":"server_error"}}"#,
        ),
        (
            422,
            r#"{"error":"Template error: invalid operation: System role not supported (in <string>:1)","error_type":"template_error"}"#,
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"Developer instruction is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}]"#,
        ),
        (
            400,
            r#"{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model.","type":"invalid_request_error","param":"messages[0].role","code":"unsupported_value"}}"#,
        ),
        (
            400,
            r#"{"object":"error","message":"Only user and assistant roles are supported!","type":"BadRequestError"}"#,
        ),
        (
            400,
            r#"{"message":"Conversation roles must alternate user/assistant/user/assistant/..."}"#,
        ),
    ] {
        let sent = with_system(first);
        assert_eq!(learn(&sent, status, body), Some(Refused::System), "{body}");
        let known = Sent {
            refused: vec![Refused::System],
            ..sent
        };
        assert_ne!(learn(&known, status, body), Some(Refused::System), "{body}");
    }
    // Where others may be out of turn, they are joined first.
    let neighbours = with_system(&format!(r#"{first},{{"role":"user","content":"b"}}"#));
    let body = "Conversation roles must alternate user/assistant/user/assistant/...";
    assert_eq!(learn(&neighbours, 400, body), Some(Refused::Neighbours));
    // A system that is down or short of memory is another one.
    for body in [
        r#"{"error":{"message":"The file system is not supported on this node"}}"#,
        r#"{"error":{"message":"Your operating system role is not permitted to call this"}}"#,
        r#"{"error":{"message":"system error, please contact support"}}"#,
    ] {
        assert_eq!(learn(&with_system(first), 400, body), None, "{body}");
    }
}
