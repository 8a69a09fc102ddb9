//! What a run is made of, and what it needs of those around it.

use std::rc::Rc;

use futures::future::LocalBoxFuture;

use super::Terms;
use super::spending::Account;
use super::stopwatch::Stopwatch;
use super::transcript::Transcript;
use crate::kernel::approval::{ApprovalMode, Rule};
use crate::kernel::cancel::CancelToken;
use crate::kernel::clock::{Clock, Random};
use crate::kernel::event::{Question, Reply};
use crate::kernel::model::ModelClient;
use crate::kernel::redact::Redactor;
use crate::kernel::settings::LimitSettings;
use crate::kernel::shrink::Shrink;
use crate::kernel::tool::{Delegated, ToolRegistry};
use crate::kernel::trace::Purpose;
use crate::kernel::workspace::FileChange;

/// What a run is made of.
pub struct Parts {
    /// What has been said, and where it is kept.
    pub transcript: Transcript,
    /// Who answers.
    pub client: Rc<dyn ModelClient>,
    /// Gives someone who answers requests beside the conversation.
    pub side: Rc<dyn Fn(Purpose) -> Rc<dyn ModelClient>>,
    /// What can be done.
    pub tools: Rc<ToolRegistry>,
    /// When to stop.
    pub limits: LimitSettings,
    /// What the run was begun with.
    pub terms: Rc<Terms>,
    /// The user's wish to stop.
    pub cancel: CancelToken,
    /// Time.
    pub clock: Rc<dyn Clock>,
    /// Chance.
    pub random: Rc<dyn Random>,
    /// Those around.
    pub desk: Rc<dyn Desk>,
    /// For a sub-agent: the account and the watch of the run it works for.
    pub paid_by: Option<(Account, Rc<Stopwatch>)>,
    /// Makes images smaller.
    pub shrink: Shrink,
    /// What hides secrets.
    pub redactor: Rc<Redactor>,
    /// Builds it anew, after files have changed.
    pub look_for_secrets: LookForSecrets,
}

/// Builds what hides secrets anew, from the files as they are.
pub type LookForSecrets = Rc<dyn Fn() -> LocalBoxFuture<'static, Rc<Redactor>>>;

/// What a run needs of those around it.
pub trait Desk {
    /// Puts a question to the user, and waits for as long as it takes.
    fn ask(&self, session: &str, question: Question) -> LocalBoxFuture<'static, Reply>;

    /// What is asked about, and the rules; later ones count for more.
    fn permissions(&self, session: &str) -> (ApprovalMode, Vec<Rule>);

    /// Adds a rule: for the session, or for every session.
    fn add_rule<'a>(&'a self, session: &'a str, rule: Rule, scope: Scope)
    -> LocalBoxFuture<'a, ()>;

    /// Takes the messages that wait for the session's next round.
    fn take_queue(&self, session: &str) -> Vec<String>;

    /// The messages that were taken are saved.
    fn queue_taken(&self, session: &str);

    /// Puts them back: they could not be saved.
    fn give_back_queue(&self, session: &str, texts: Vec<String>);

    /// The pairs of names that differ only in form which these changes would make.
    fn twins(&self, changes: &[FileChange]) -> Vec<(String, String)>;

    /// Runs a sub-agent to its end.
    fn delegate(&self, order: Order) -> LocalBoxFuture<'static, Delegated>;
}

/// How far a rule reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// This session.
    Session,
    /// Every session.
    Everywhere,
}

/// What a sub-agent is to do.
pub struct Order {
    /// The session that has it done.
    pub session: String,
    /// The call that asks for it.
    pub call_id: String,
    /// The record of the message that the call stands in.
    pub seq: u64,
    /// The task.
    pub prompt: String,
    /// What it may use.
    pub tools: ToolRegistry,
    /// Who pays for it.
    pub account: Account,
    /// Whose time it takes.
    pub watch: Rc<Stopwatch>,
    /// When it must end.
    pub limits: LimitSettings,
    /// What the run it works for was begun with.
    pub terms: Rc<Terms>,
    /// Cancels it together with its parent.
    pub cancel: CancelToken,
}
