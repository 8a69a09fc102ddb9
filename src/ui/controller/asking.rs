//! What user and run say to each other while it is open: questions and answers,
//! messages that wait for the next round, sub-agents.

use std::sync::Arc;

use leptos::prelude::*;

use super::Controller;
use super::keys::Then;
use super::session::SessionModel;
use crate::kernel::event::{Question, Reply};
use crate::kernel::session::{Parent, Session, SessionId};
use crate::protocol::Command;
use crate::ui::dom;
use crate::ui::state::way::WayOfWork;

/// Waiting messages that were asked back, and are not here yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Taken {
    session: SessionId,
    texts: Vec<String>,
}

impl Controller {
    /// The questions of the shown session's run and of its sub-agents, each with
    /// the model of the session that asks.
    pub fn questions(self) -> Vec<(SessionModel, Arc<Question>)> {
        match self.shown.get() {
            Some(shown) => self.questions_of(shown),
            None => Vec::new(),
        }
    }

    /// Whether the run of this session, or a sub-agent of it, waits for an answer.
    pub fn asks(self, session: &str) -> bool {
        !self.questions_of(self.model(session)).is_empty()
    }

    fn questions_of(self, session: SessionModel) -> Vec<(SessionModel, Arc<Question>)> {
        let mut askers = vec![session];
        let mut at = 0;
        while let Some(asker) = askers.get(at) {
            let children = self.agents.with(|agents| {
                let of_this = agents.iter().filter(|agent| is_child(agent, &asker.id));
                let ids: Vec<SessionId> = of_this.map(|agent| agent.id.clone()).collect();
                ids
            });
            askers.extend(children.iter().map(|id| self.model(id)));
            at += 1;
        }
        let mut all = Vec::new();
        for asker in askers {
            let questions = asker.questions.get();
            all.extend(questions.into_iter().map(|asked| (asker.clone(), asked)));
        }
        all
    }

    /// Goes on with the shown session's run.
    pub fn go_on(self) {
        if self.waits_for_keys(Then::GoOn) {
            return;
        }
        if let Some(id) = self.current.get_untracked() {
            self.command(Command::Continue(id));
        }
        // The button that was pressed goes away.
        dom::focus_composer();
    }

    /// Stops the shown session's run.
    pub fn stop(self) {
        if let Some(id) = self.current.get_untracked() {
            self.command(Command::Stop(id));
        }
        dom::focus_composer();
    }

    /// Answers a question of a session's run.
    pub fn answer(self, session: SessionId, call_id: String, reply: Reply) {
        self.command(Command::Answer {
            session,
            call_id,
            reply,
        });
    }

    /// The session of the sub-agent that works for a call, if there is one.
    pub fn agent_of(self, call: &Parent) -> Option<SessionId> {
        self.agents.with(|agents| {
            let mut agents = agents.iter();
            let agent = agents.find(|agent| agent.parent.as_ref() == Some(call));
            agent.map(|agent| agent.id.clone())
        })
    }

    /// A sub-agent's session is new or has changed.
    pub(super) fn put_agent(self, agent: Session) {
        let (id, is_open) = (agent.id.clone(), agent.running);
        let is_new = self.agents.try_update(|agents| {
            match agents.iter_mut().find(|other| other.id == agent.id) {
                Some(known) => {
                    *known = agent;
                    false
                }
                None => {
                    agents.push(agent);
                    true
                }
            }
        });
        // One at work is watched from the start: its line tells what it does.
        if is_new == Some(true) && is_open {
            self.loaded_model(&id);
        }
    }

    /// Gives the open run a word for its next round.
    pub(super) fn steer(self, text: String) {
        if let Some(session) = self.current.get_untracked() {
            self.command(Command::Steer { session, text });
        }
    }

    /// Takes the messages that wait back into the composer.
    pub fn take_back(self) {
        let Some(model) = self.shown.get_untracked() else {
            return;
        };
        let session = model.session();
        self.taking_back.set_value(Some(Taken {
            session: session.clone(),
            texts: model.queued.get_untracked(),
        }));
        self.command(Command::Unsteer(session));
        dom::focus_composer();
    }

    /// These messages wait now.
    pub(super) fn queued(self, session: &str, texts: Vec<String>) {
        let is_empty = texts.is_empty();
        self.model(session).queued.set(texts);
        let is_it = |taken: &Option<Taken>| taken.as_ref().is_some_and(|of| of.session == session);
        if is_empty && self.taking_back.with_value(is_it) {
            let taken = self.taking_back.try_update_value(Option::take).flatten();
            self.into_draft(session, &taken.map_or_else(Vec::new, |taken| taken.texts));
        }
    }

    /// The run has taken this message, also if it was asked back meanwhile.
    pub(super) fn taken(self, session: &str, text: &str) {
        let queued = self.model(session).queued;
        let waiting = queued.with_untracked(|texts| texts.iter().position(|other| other == text));
        if let Some(at) = waiting {
            queued.update(|texts| drop(texts.remove(at)));
        }
        self.taking_back.update_value(|taking| {
            if let Some(taken) = taking.as_mut().filter(|taken| taken.session == session)
                && let Some(at) = taken.texts.iter().position(|waiting| waiting == text)
            {
                taken.texts.remove(at);
            }
        });
    }

    /// Puts texts in front of a session's draft.
    fn into_draft(self, session: &str, texts: &[String]) {
        if texts.is_empty() {
            return;
        }
        let texts = texts.join("\n\n");
        let joined = |draft: &str| match draft.trim() {
            "" => texts.clone(),
            _ => format!("{texts}\n\n{draft}"),
        };
        let is_shown = |current: &Option<SessionId>| current.as_deref() == Some(session);
        if self.current.with_untracked(is_shown) {
            self.draft.update(|draft| *draft = joined(draft));
        } else {
            let draft = self.kept_draft(Some(session));
            self.keep_draft(Some(session.to_owned()), joined(&draft));
        }
    }

    /// Works on the shown session's next tasks this way.
    pub fn choose_way(self, way: WayOfWork) {
        self.way.set(way);
        self.current
            .with_untracked(|current| keep_way(current.as_deref(), way));
    }
}

/// How the tab says that a session's next task is worked on; `None`: the session
/// that is begun next.
pub(super) fn kept_way(session: Option<&str>) -> WayOfWork {
    WayOfWork::of(&dom::kept_in_tab(&way_key(session)).unwrap_or_default())
}

/// Has the tab keep it.
pub(super) fn keep_way(session: Option<&str>, way: WayOfWork) {
    dom::keep_in_tab(&way_key(session), way.kept().as_deref());
}

fn way_key(session: Option<&str>) -> String {
    format!("tabloop.way.{}", session.unwrap_or_default())
}

fn is_child(agent: &Session, of: &str) -> bool {
    agent
        .parent
        .as_ref()
        .is_some_and(|parent| parent.session == of)
}
