//! What every request carries: the system prompt and the descriptions of all tools stay
//! small, since small models pay for them with their window.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::Value as Json;
use support::World;
use support::endpoint::Reply;
use tabloop::kernel::tokens;

/// Tokens that they may take together.
const MOST: u64 = 3_000;

#[test]
fn system_prompt_and_tools_fit_into_three_thousand_tokens() {
    let world = World::new(vec![Reply::text("Done.")]);
    world.send("Go");
    let sent = &world.endpoint.requests()[0];
    let body: Json = serde_json::from_str(&sent.raw).unwrap();
    let system = body["messages"][0]["content"].as_str().unwrap();
    let tools = body["tools"].to_string();
    assert!(tools.contains("\"apply_patch\"") && tools.contains("\"grep\""));
    let taken = tokens::estimate(system) + tokens::estimate(&tools);
    assert!(taken < MOST, "{taken} tokens");
}
