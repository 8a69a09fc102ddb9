//! What a tool finds around it: the run it is part of, and the others it may turn to. And
//! the stand-in for both, for a tool that works by itself.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::{LocalBoxFuture, ready};

use super::Locker;
use crate::kernel::event::{About, Progress, Reply};
use crate::kernel::workspace::Version;

/// What a tool may ask of the run it is part of.
pub trait RunHandle {
    /// The steps that the user approved, if the run must keep to such a plan;
    /// empty before the first approval.
    fn approved_steps(&self) -> Option<Vec<String>>;

    /// The version of a file as the model last read or wrote it, if it did.
    fn known(&self, path: &str) -> Option<Version>;

    /// Whether the user's rules let the file be read without a question.
    fn may_read(&self, path: &str) -> bool;

    /// Whether the user's rules let a script change the file, without a question or with
    /// the one about the script.
    fn may_change(&self, path: &str) -> bool;

    /// Lets others have their turn: whoever works long calls it now and then.
    fn breathe(&self) -> LocalBoxFuture<'static, ()>;

    /// Waits for as long; dropping the future ends the wait.
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()>;

    /// Tells whoever watches how far a call is.
    fn progress(&self, call_id: &str, progress: Progress);

    /// Where tools keep things from one call to the next.
    fn locker(&self) -> &Locker;
}

/// Whom a tool may turn to, and wait for.
pub trait Others {
    /// Asks the user, and waits for as long as it takes.
    fn ask<'a>(
        &'a self,
        call_id: &'a str,
        tool: &'a str,
        about: About,
    ) -> LocalBoxFuture<'a, Reply>;

    /// The whole text of what was left out of the conversation under this id.
    fn recall<'a>(&'a self, id: &'a str) -> LocalBoxFuture<'a, Option<String>>;

    /// Has a sub-agent do a task. Gives its answer, or a sentence on why there is none.
    fn delegate<'a>(
        &'a self,
        call_id: &'a str,
        prompt: String,
        tools: Option<Vec<String>>,
    ) -> LocalBoxFuture<'a, Result<String, String>>;
}

/// A tool that works by itself: there is nobody to turn to, no rule and no end of time.
#[derive(Default)]
pub struct NoRun {
    known: BTreeMap<String, Version>,
    locker: Locker,
}

impl NoRun {
    /// In which the model knows these versions of files, by path.
    pub fn knowing(known: BTreeMap<String, Version>) -> Self {
        Self {
            known,
            locker: Locker::default(),
        }
    }
}

impl RunHandle for NoRun {
    fn approved_steps(&self) -> Option<Vec<String>> {
        None
    }

    fn known(&self, path: &str) -> Option<Version> {
        self.known.get(path).cloned()
    }

    fn may_read(&self, _: &str) -> bool {
        true
    }

    fn may_change(&self, _: &str) -> bool {
        true
    }

    fn breathe(&self) -> LocalBoxFuture<'static, ()> {
        Box::pin(ready(()))
    }

    fn sleep(&self, _: Duration) -> LocalBoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }

    fn progress(&self, _: &str, _: Progress) {}

    fn locker(&self) -> &Locker {
        &self.locker
    }
}

impl Others for NoRun {
    fn ask<'a>(&'a self, _: &'a str, _: &'a str, _: About) -> LocalBoxFuture<'a, Reply> {
        let word = String::new();
        Box::pin(ready(Reply::No { word }))
    }

    fn recall<'a>(&'a self, _: &'a str) -> LocalBoxFuture<'a, Option<String>> {
        Box::pin(ready(None))
    }

    fn delegate<'a>(
        &'a self,
        _: &'a str,
        _: String,
        _: Option<Vec<String>>,
    ) -> LocalBoxFuture<'a, Result<String, String>> {
        Box::pin(ready(Err(String::new())))
    }
}
