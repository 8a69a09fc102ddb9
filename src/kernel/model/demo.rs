//! The demo model: offline and scripted, but with everything else real. It
//! reads the transcript as a model would and drives the same loop and tools.

mod script;

use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, LocalBoxStream};

use super::{ModelClient, ModelEvent, ModelRequest, Turn};
use crate::kernel::clock::{Clock, Random, unique_id};
use crate::kernel::session::ToolCall;
use crate::kernel::trace::Purpose;

/// Pause between two pieces of text: quick, but seen to stream.
const PAUSE: Duration = Duration::from_millis(24);
/// Pause before the first piece, as if thinking.
const FIRST_PAUSE: Duration = Duration::from_millis(160);

/// Files the demo's workspace begins with: path and content.
pub const SEED: [(&str, &str); 2] = [
    ("meeting.md", include_str!("demo/meeting.md")),
    ("notes/agenda.md", include_str!("demo/agenda.md")),
];

/// The scripted model.
pub struct DemoClient {
    clock: Rc<dyn Clock>,
    random: Rc<dyn Random>,
}

impl DemoClient {
    /// A demo model that pauses by `clock`.
    pub fn new(clock: Rc<dyn Clock>, random: Rc<dyn Random>) -> Self {
        Self { clock, random }
    }
}

impl ModelClient for DemoClient {
    fn stream(&self, request: ModelRequest<'_>) -> LocalBoxStream<'static, ModelEvent> {
        let step = match request.purpose {
            Purpose::Round => script::next_step(request.records, !request.tools.is_empty()),
            // It has done what it was scripted to do.
            Purpose::Critique => script::Step::text("PASS"),
            Purpose::Title => script::Step::text("Demo"),
            Purpose::Summary => {
                script::Step::text("The demo looked at files and wrote down what it found.")
            }
        };
        let call = step.call.map(|(name, arguments)| ToolCall {
            id: format!("demo_{}", unique_id(&*self.clock, &*self.random)),
            name: name.to_owned(),
            arguments: arguments.to_string(),
            extra: serde_json::Map::new(),
        });
        let mut events: Vec<ModelEvent> = pieces(&step.text).map(ModelEvent::Text).collect();
        if let Some(call) = &call {
            events.push(ModelEvent::Call {
                index: 0,
                name: call.name.clone(),
                bytes: call.arguments.len(),
            });
        }
        events.push(ModelEvent::Finished(Turn {
            text: step.text,
            calls: call.into_iter().collect(),
            ..Turn::default()
        }));
        let clock = Rc::clone(&self.clock);
        let paced = stream::iter(events.into_iter().enumerate()).then(move |(n, event)| {
            let pause = clock.sleep(if n == 0 { FIRST_PAUSE } else { PAUSE });
            async move {
                pause.await;
                event
            }
        });
        paced.boxed_local()
    }

    fn host(&self) -> String {
        String::new()
    }

    fn model(&self) -> String {
        String::new()
    }
}

/// Text in the pieces a model would send: a word each, or a few letters where
/// words are not parted by spaces.
fn pieces(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split_inclusive([' ', '\n', '，', '。', '、'])
        .map(str::to_owned)
}
