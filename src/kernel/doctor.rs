//! The doctor: finds out why an endpoint does not work, by a few small requests, and names
//! one cause with the step to take.
//!
//! [`probes`] sends the requests and notes what was seen as [`Facts`]; [`diagnosis`] makes
//! causes of them and asks nobody. The interface finds the words.

mod diagnosis;
mod names;
mod probes;
pub mod servers;

use super::event::{Failure, FailureKind};
use super::model::Leave;
use super::settings::{Endpoint, Problem};
use crate::plain::Plain;

pub use self::diagnosis::diagnose;
pub use self::names::alike;
pub use self::probes::{Instruments, examine};

/// What is looked at, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum Probe {
    /// Is anybody there? A bare request that needs no leave of the host.
    Reach,
    /// Which models are there?
    Models,
    /// Does the model answer, with one token?
    Answer,
    /// Does the answer come piece by piece?
    Stream,
    /// Does the model call a tool?
    Tools,
    /// Are tokens counted? Read from the answers before.
    Usage,
}

impl Probe {
    /// All there are, in order.
    pub const ALL: [Probe; 6] = [
        Probe::Reach,
        Probe::Models,
        Probe::Answer,
        Probe::Stream,
        Probe::Tools,
        Probe::Usage,
    ];
}

/// What a probe saw.
#[derive(Debug, Clone, Default, PartialEq, Eq, Plain)]
pub enum Seen {
    /// It was not needed, or made no sense.
    #[default]
    Skipped,
    /// The browser gave no answer, and does not say why.
    Nothing,
    /// Nothing came in the time there was.
    Late,
    /// Somebody answered; what, is not to be seen.
    Somebody,
    /// A page for people.
    WebPage,
    /// Something else than was asked for.
    Strange,
    /// The host refused, in its own words.
    Refused(Failure),
    /// A list of so many models.
    Models(u32),
    /// An answer of the model.
    Answered,
    /// An answer piece by piece.
    Streamed,
    /// An answer in one piece, where pieces were asked for.
    Whole,
    /// A call of the tool.
    Called,
    /// An answer without one.
    NotCalled,
    /// A count of tokens.
    Counted,
    /// None.
    NotCounted,
}

/// What a probe's line says at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// As it should be.
    Fine,
    /// Not so.
    Problem,
    /// Not looked at, or of no weight.
    Skipped,
}

impl Seen {
    /// Whether the page was given something to read.
    fn is_readable(&self) -> bool {
        !matches!(
            self,
            Seen::Skipped | Seen::Nothing | Seen::Late | Seen::Somebody
        )
    }

    /// Why the host refused, if it did.
    fn refusal(&self) -> Option<&Failure> {
        match self {
            Seen::Refused(failure) => Some(failure),
            _ => None,
        }
    }

    /// What it is worth to `probe`.
    pub fn verdict(&self, probe: Probe) -> Verdict {
        match self {
            Seen::Skipped => Verdict::Skipped,
            // Many hosts have no list, and none is needed.
            Seen::Refused(failure)
                if probe == Probe::Models && failure.kind == FailureKind::NotFound =>
            {
                Verdict::Skipped
            }
            Seen::Somebody
            | Seen::Models(_)
            | Seen::Answered
            | Seen::Streamed
            | Seen::Called
            | Seen::Counted => Verdict::Fine,
            _ => Verdict::Problem,
        }
    }
}

/// Why an endpoint does not work, or not wholly.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Cause {
    /// It works.
    Fine,
    /// The address can't be one.
    BadAddress(Problem),
    /// `http://` to another machine, which browsers block.
    MixedContent,
    /// The key has characters that no header can carry.
    BadKeyText,
    /// The key is kept on this device, and locked.
    KeyLocked,
    /// The address lacks its `/v1`, or has something else in its place; this one works.
    WrongPath(String),
    /// The address is that of a page for people.
    WebPage,
    /// There is no chat endpoint at the address.
    NoSuchAddress,
    /// The host is up, but lets no web page in.
    NoCors,
    /// The host lets web pages in, but not with these headers.
    Preflight(Vec<String>),
    /// Nobody is there, or something on the way blocks.
    Unreachable,
    /// The host takes the request and does not answer.
    Silent,
    /// The browser asks, or was told not to let, the page reach this machine and its network.
    LocalNetwork,
    /// A key is needed.
    NoKey,
    /// The key is not accepted.
    BadKey,
    /// The key is known, but may not do this.
    KeyMayNot,
    /// The account has no credit left.
    NoCredit,
    /// There is no such model; these are like it.
    UnknownModel(Vec<String>),
    /// The host takes no more requests for now; milliseconds to wait, where it says.
    RateLimited(Option<u64>),
    /// The host fails, with this status.
    ServerError(u16),
    /// The host refuses the request for another reason.
    Refused,
    /// What answers is no chat endpoint.
    NotAnAnswer,
    /// Answers do not come piece by piece.
    NoStreaming,
    /// The model can't call tools.
    NoTools,
    /// The model was offered a tool and did not call it.
    ToolIgnored,
    /// The host counts no tokens.
    NoUsage,
    /// The page was opened from a file: it has no address that a host could let in.
    NoOrigin,
}

/// How much a cause weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// None: it works.
    Fine,
    /// Work is possible, with less comfort.
    Less,
    /// Nothing goes.
    Stuck,
}

impl Cause {
    /// See [`Weight`].
    pub fn weight(&self) -> Weight {
        match self {
            Cause::Fine => Weight::Fine,
            Cause::NoStreaming | Cause::NoTools | Cause::ToolIgnored | Cause::NoUsage => {
                Weight::Less
            }
            _ => Weight::Stuck,
        }
    }

    /// The cause's name, as tests and reports see it.
    pub fn name(&self) -> &'static str {
        match self {
            Cause::Fine => "Fine",
            Cause::BadAddress(_) => "BadAddress",
            Cause::MixedContent => "MixedContent",
            Cause::BadKeyText => "BadKeyText",
            Cause::KeyLocked => "KeyLocked",
            Cause::WrongPath(_) => "WrongPath",
            Cause::WebPage => "WebPage",
            Cause::NoSuchAddress => "NoSuchAddress",
            Cause::NoCors => "NoCors",
            Cause::Preflight(_) => "Preflight",
            Cause::Unreachable => "Unreachable",
            Cause::Silent => "Silent",
            Cause::LocalNetwork => "LocalNetwork",
            Cause::NoKey => "NoKey",
            Cause::BadKey => "BadKey",
            Cause::KeyMayNot => "KeyMayNot",
            Cause::NoCredit => "NoCredit",
            Cause::UnknownModel(_) => "UnknownModel",
            Cause::RateLimited(_) => "RateLimited",
            Cause::ServerError(_) => "ServerError",
            Cause::Refused => "Refused",
            Cause::NotAnAnswer => "NotAnAnswer",
            Cause::NoStreaming => "NoStreaming",
            Cause::NoTools => "NoTools",
            Cause::ToolIgnored => "ToolIgnored",
            Cause::NoUsage => "NoUsage",
            Cause::NoOrigin => "NoOrigin",
        }
    }
}

/// An examination as it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Plain)]
pub struct Checkup {
    /// The address, without the values of its query.
    pub address: String,
    /// The model's name.
    pub model: String,
    /// What was seen so far, in order.
    pub seen: Vec<Look>,
    /// What is being looked at; `None`: it is over.
    pub now: Option<Probe>,
    /// The cause, and what else was found; none while it goes on, or if it was stopped.
    pub causes: Vec<Cause>,
    /// Whether the browser may ask the user for leave meanwhile.
    pub may_ask: bool,
}

/// One probe that is through.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Look {
    /// Which.
    pub probe: Probe,
    /// What it saw.
    pub seen: Seen,
    /// How long it took, milliseconds.
    pub took_ms: u64,
}

/// Whom to examine.
#[derive(Debug, Clone)]
pub struct Patient {
    /// Address, model and what else is sent.
    pub endpoint: Endpoint,
    /// May be empty.
    pub key: String,
    /// Where the page comes from.
    pub origin: Origin,
}

/// Where the page comes from, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// An `https` address: what it may reach, browsers limit further.
    Secure,
    /// Another address.
    Plain,
    /// None that a host could be told, as of a page that was opened from a file.
    None,
}

impl Origin {
    /// Reads it as the browser writes it.
    pub fn of(text: &str) -> Self {
        match text.split_once("://") {
            Some(("https", _)) => Self::Secure,
            Some(("http", _)) => Self::Plain,
            _ => Self::None,
        }
    }
}

/// All that is known when the requests are through.
#[derive(Debug, Clone)]
pub struct Facts {
    /// See [`Patient::origin`].
    pub origin: Origin,
    /// Whether the host is this machine or in its network.
    pub is_near: bool,
    /// See [`Leave`].
    pub leave: Leave,
    /// Of each of [`Probe::ALL`], at the address that works if one was found.
    pub seen: [Seen; 6],
    /// The list of models asked for without any header, where it did not come with them.
    pub bare: Seen,
    /// An answer asked for without the user's own headers, where it did not come with them.
    pub plain: Seen,
    /// The header that carries the key, and the user's own.
    pub headers: (Option<String>, Vec<String>),
    /// The address that works where the one given does not.
    pub corrected: Option<String>,
    /// The model asked for; may be empty.
    pub model: String,
    /// The models there are, if the host told.
    pub names: Vec<String>,
}

impl Facts {
    /// What `probe` saw.
    pub fn of(&self, probe: Probe) -> &Seen {
        &self.seen[probe as usize]
    }
}
