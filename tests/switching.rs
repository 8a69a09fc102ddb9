//! A session goes from host to host and back, in every direction: each gets what it
//! demands, and nothing that another one gave for itself.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value as Json, json};
use support::endpoint::{Reply, delta, finish};
use support::{World, draft, task};
use tabloop::kernel::event::StopReason;
use tabloop::kernel::settings::ModelChoice;
use tabloop::protocol::Command;

/// A host that refuses what the real one refuses.
struct Host {
    name: &'static str,
    /// What it says against a request.
    against: fn(&Json) -> Option<(u16, &'static str)>,
    /// Its `n`th call.
    call: fn(usize) -> Json,
}

const HOSTS: [Host; 6] = [
    Host {
        name: "strict-openai",
        against: against_openai,
        call: |n| json!({ "tool_calls": [call(&format!("call_{n:024}"))] }),
    },
    Host {
        name: "deepseek",
        against: against_deepseek,
        call: |n| json!({ "reasoning_content": "deepseek thinks", "tool_calls": [call(&format!("call_00_{n}"))] }),
    },
    Host {
        name: "kimi",
        against: against_kimi,
        call: |n| {
            let id = format!("functions.list_dir_of_the_whole_long_workspace:{n}");
            json!({ "reasoning_content": "kimi thinks", "tool_calls": [call(&id)] })
        },
    },
    Host {
        name: "mistral",
        against: against_mistral,
        call: |n| json!({ "tool_calls": [call(&format!("mist{n:05}"))] }),
    },
    Host {
        name: "gemini",
        against: against_gemini,
        call: |n| {
            let mut call = call(&format!("function-call-{n}"));
            call["extra_content"] = json!({ "google": { "thought_signature": "gemini signs" } });
            json!({ "tool_calls": [call] })
        },
    },
    Host {
        name: "cerebras",
        against: against_cerebras,
        call: |n| json!({ "reasoning": "cerebras thinks", "tool_calls": [call(&format!("c{n}"))] }),
    },
];

fn call(id: &str) -> Json {
    json!({ "index": 0, "id": id, "type": "function", "function": { "name": "list_dir", "arguments": "{}" } })
}

fn messages(body: &Json) -> impl Iterator<Item = &Json> {
    body["messages"].as_array().unwrap().iter()
}

fn answers(body: &Json) -> impl Iterator<Item = &Json> {
    messages(body).filter(|message| message["role"] == "assistant")
}

fn ids(body: &Json) -> impl Iterator<Item = &str> {
    let calls = answers(body).filter_map(|message| message["tool_calls"].as_array());
    calls.flatten().filter_map(|call| call["id"].as_str())
}

fn knows_only(body: &Json, fields: &[&str]) -> bool {
    messages(body)
        .flat_map(|message| message.as_object().unwrap().keys())
        .all(|name| fields.contains(&name.as_str()))
}

fn against_openai(body: &Json) -> Option<(u16, &'static str)> {
    if ids(body).any(|id| id.len() > 40) {
        return Some((
            400,
            "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 52 instead.",
        ));
    }
    let usual = ["role", "content", "tool_calls", "tool_call_id"];
    (!knows_only(body, &usual)).then_some((
        400,
        "Unrecognized request argument supplied: messages[2].reasoning_content",
    ))
}

fn against_deepseek(body: &Json) -> Option<(u16, &'static str)> {
    let is_bare = answers(body).any(|message| !message["reasoning_content"].is_string());
    is_bare.then_some((
        400,
        "The reasoning_content in the thinking mode must be passed back to the API.",
    ))
}

fn against_kimi(body: &Json) -> Option<(u16, &'static str)> {
    let is_bare = |message: &Json| {
        message.get("tool_calls").is_some() && !message["reasoning_content"].is_string()
    };
    answers(body).any(is_bare).then_some((
        400,
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
    ))
}

fn against_mistral(body: &Json) -> Option<(u16, &'static str)> {
    if body.get("stream_options").is_some() {
        return Some((422, "body.stream_options: Extra inputs are not permitted"));
    }
    let is_safe = |id: &str| id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric());
    if !ids(body).all(is_safe) {
        return Some((
            400,
            "Tool call id was x but must be a-z, A-Z, 0-9, with a length of 9.",
        ));
    }
    let roles: Vec<&Json> = messages(body).map(|message| &message["role"]).collect();
    let is_wrong = |pair: &[&Json]| pair[0] == "tool" && pair[1] == "user";
    if roles.windows(2).any(is_wrong) {
        return Some((400, "Unexpected role 'user' after role 'tool'"));
    }
    None
}

fn against_gemini(body: &Json) -> Option<(u16, &'static str)> {
    let is_bare = |message: &Json| message["role"] == "tool" && !message["name"].is_string();
    if messages(body).any(is_bare) {
        return Some((
            400,
            "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.",
        ));
    }
    let calls = answers(body).filter_map(|message| message["tool_calls"].as_array());
    let mut own = calls.flatten().filter(|call| {
        let id = call["id"].as_str().unwrap_or_default();
        id.starts_with("function-call-")
    });
    own.any(|call| call["extra_content"].is_null()).then_some((
        400,
        "Function call is missing a thought_signature in functionCall parts.",
    ))
}

fn against_cerebras(body: &Json) -> Option<(u16, &'static str)> {
    let usual = ["role", "content", "tool_calls", "tool_call_id", "reasoning"];
    (!knows_only(body, &usual)).then_some((
        400,
        "property 'messages.2.assistant.reasoning_content' is unsupported",
    ))
}

/// Answers as the host whose name is the model's, and notes down what it refused.
fn answer(body: &Json, refused: &RefCell<Vec<String>>) -> Reply {
    let name = body["model"].as_str().unwrap();
    let host = HOSTS.iter().find(|host| host.name == name).unwrap();
    let raw = body.to_string();
    for other in HOSTS.iter().filter(|other| other.name != name) {
        for gift in ["thinks", "signs"] {
            let gift = format!("{} {gift}", other.name);
            assert!(!raw.contains(&gift), "{name} was sent: {gift}");
        }
    }
    if let Some((status, message)) = (host.against)(body) {
        refused.borrow_mut().push(format!("{name}: {message}"));
        let error = json!({ "error": { "message": message } });
        return Reply::error(status, &error.to_string());
    }
    let last = messages(body).last().unwrap();
    if last["role"] == "tool" {
        return Reply::text("Nothing is there.");
    }
    let n = ids(body).count();
    Reply::stream(&[delta((host.call)(n)), finish("tool_calls")])
}

#[test]
fn a_session_goes_from_any_host_to_any_other_and_back() {
    let world = World::new(vec![Reply::text("Hi")]);
    let refused: Rc<RefCell<Vec<String>>> = Rc::default();
    let noted = Rc::clone(&refused);
    world.endpoint.answer_by(move |body| answer(body, &noted));
    for host in &HOSTS {
        let address = format!("https://{}.example/v1", host.name);
        world.save(None, draft(&address, "sk-1", host.name));
    }
    let profiles = world.settings().kept.profiles;
    let choices: Vec<ModelChoice> = profiles[1..]
        .iter()
        .map(|profile| profile.choice())
        .collect();
    for (a, first) in choices.iter().enumerate() {
        for (b, second) in choices.iter().enumerate().filter(|(b, _)| *b != a) {
            let way = format!("{} and {}", HOSTS[a].name, HOSTS[b].name);
            world.handle(Command::Choose {
                session: None,
                choice: first.clone(),
            });
            let session = world.send(&way);
            for choice in [second, first, second] {
                world.handle(Command::Choose {
                    session: Some(session.clone()),
                    choice: choice.clone(),
                });
                world.handle(task(Some(session.clone()), "And now?"));
            }
            let reasons = world.reasons(&session);
            assert_eq!(
                reasons,
                vec![StopReason::Completed; 4],
                "{way}: {refused:?}"
            );
        }
    }
    // Each host refused a thing once, and was never sent it again.
    let mut told = refused.borrow().clone();
    let all = told.len();
    told.sort();
    told.dedup();
    assert_eq!(told.len(), all, "{refused:?}");
}
