//! What a host was found to refuse. Kept with its profile, so that nothing is tried
//! twice; told to the user, who can have it forgotten.

use crate::plain::Plain;

/// Something that an endpoint refused for one of its models.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Lesson {
    /// The model that was asked.
    pub model: String,
    /// What was refused.
    pub refused: Refused,
}

/// What of a request can be refused, and how the host is asked from then on.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Refused {
    /// A field of the request, by its name. It is left out.
    Field(String),
    /// `max_tokens`. It is called `max_completion_tokens`.
    MaxTokens,
    /// Answers piece by piece. They come whole.
    Streaming,
    /// Answers as a whole. They come piece by piece.
    Whole,
    /// `null` as the text beside calls. It is empty.
    NullText,
    /// Results without the name of their tool. It stands beside them.
    NamelessResults,
    /// Thoughts that come back. They are left out.
    Thoughts,
    /// Messages of the model without a thought. An empty one is put in.
    NoThoughts,
    /// Two messages of one role in a row. They are joined.
    Neighbours,
    /// A message of the user right behind a result. A word of the model stands between.
    UserAfterResult,
    /// A message of the system. What it says stands in front of the user's first one.
    System,
    /// The ids of calls. They are nine letters and digits.
    Ids,
    /// Words in the descriptions of tools. Only the plainest are used.
    Schemas,
    /// Tools. They are described in words, or not offered at all.
    Tools,
    /// Calls in the history of a request that offers no tools. They are told in words.
    CallsWithoutTools,
    /// Images. They are left out, and a word says so.
    Pictures,
    /// The image of this version, which could not be read. It alone is left out.
    Picture(String),
}

impl Refused {
    /// What a host calls it, as far as there is a word for it.
    pub fn name(&self) -> &str {
        match self {
            Refused::Field(name) => name,
            Refused::MaxTokens => "max_tokens",
            Refused::Streaming => "stream: true",
            Refused::Whole => "stream: false",
            Refused::NullText => "content: null",
            Refused::NamelessResults => "tool messages without name",
            Refused::Thoughts => "reasoning in messages",
            Refused::NoThoughts => "messages without reasoning",
            Refused::Neighbours => "two messages of a role in a row",
            Refused::UserAfterResult => "user message after tool message",
            Refused::System => "system message",
            Refused::Ids => "tool call ids",
            Refused::Schemas => "tool schemas",
            Refused::Tools => "tools",
            Refused::CallsWithoutTools => "tool calls without tools",
            Refused::Pictures => "images",
            Refused::Picture(_) => "an image",
        }
    }
}
