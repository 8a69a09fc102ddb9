//! What is told of runs as they happen.

use super::{Inner, files};
use crate::kernel::agent::transcript::Observer;
use crate::kernel::event::AgentEvent;
use crate::kernel::session::Session;
use crate::kernel::workspace::Committed;
use crate::protocol::{Author, Event};

impl Observer for Inner {
    fn agent(&self, session: &str, event: AgentEvent) {
        (self.outlet)(Event::Agent {
            session: session.to_owned(),
            event,
        });
    }

    fn session(&self, session: &Session) {
        let mut session = session.clone();
        self.mark(&mut session);
        if let Some(choice) = self.wishes.borrow().get(&session.id) {
            session.choice = Some(choice.clone());
        }
        self.sessions
            .borrow_mut()
            .insert(session.id.clone(), session.clone());
        (self.outlet)(Event::SessionChanged(session));
    }

    fn mark(&self, session: &mut Session) {
        if let Some(known) = self.sessions.borrow().get(&session.id) {
            session.marks = known.marks;
            if known.marks.named {
                session.title.clone_from(&known.title);
            }
        }
    }

    fn files(&self, committed: &Committed) {
        if self.is_shown() {
            (self.outlet)(files::changed(&self.workspace, committed, Author::Agent));
        }
    }
}
