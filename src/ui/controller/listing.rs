//! What is done about sessions as a whole, and at their tasks, as signals.

use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::{Controller, Pane};
use crate::kernel::session::branches::Fork;
use crate::kernel::session::portable::{LARGEST, NotTaken};
use crate::kernel::session::{Session, SessionId};
use crate::protocol::{Command, Found, Hit, Notice, Outlook, SessionCommand, SessionEvent};
use crate::ui::dom;
use crate::ui::readable::{Form, file_name, readable};
use crate::ui::signal::RwSignal;

/// How often it is looked whether what was found is drawn, and how many times.
const PACE: Duration = Duration::from_millis(50);
const TRIES: u32 = 60;

/// A task that the user is about to have worked on again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Again {
    /// Its session.
    pub session: SessionId,
    /// Its record.
    pub task: u64,
    /// Whether in other words.
    pub edits: bool,
}

/// The signals.
#[derive(Debug, Clone, Copy)]
pub struct ListingModel {
    /// Where the menu is open, pixels from the window's left and upper edge, and of which.
    pub menu: RwSignal<Option<(i32, i32, SessionId)>>,
    /// The one that is being renamed.
    pub renaming: RwSignal<Option<SessionId>>,
    /// What is looked for; empty: nothing.
    pub words: RwSignal<String>,
    /// What was found; `None`: it is still being looked for.
    pub found: RwSignal<Option<Rc<Found>>>,
    /// What is about to be worked on again.
    pub again: RwSignal<Option<Again>>,
    /// What of the files could be put back with it.
    pub outlook: RwSignal<Option<Outlook>>,
    /// Which is being handed out, and in which form.
    pub reading_out: RwSignal<Option<(SessionId, Form)>>,
    /// Which of the places where the conversation parts gets the focus back.
    refocus: RwSignal<Option<(SessionId, usize)>>,
}

impl ListingModel {
    /// Nothing is done.
    pub fn new() -> Self {
        Self {
            menu: RwSignal::new(None),
            renaming: RwSignal::new(None),
            words: RwSignal::new(String::new()),
            found: RwSignal::new(None),
            again: RwSignal::new(None),
            outlook: RwSignal::new(None),
            reading_out: RwSignal::new(None),
            refocus: RwSignal::new(None),
        }
    }
}

impl Controller {
    /// Sends a command about sessions.
    pub fn session_command(self, command: SessionCommand) {
        self.command(Command::Sessions(command));
    }

    /// Looks for words in all sessions.
    pub fn search_sessions(self, words: String) {
        let listing = self.listing;
        if listing.words.with_untracked(|known| *known == words) {
            return;
        }
        listing.found.set(None);
        listing.words.set(words.clone());
        // The kernel ends the search before, also where nothing is looked for any more.
        self.session_command(SessionCommand::Search { words, from: 0 });
    }

    /// Looks for more.
    pub fn search_on(self) {
        let found = self.listing.found.get_untracked();
        if let Some((words, Some(from))) = found.map(|found| (found.words.clone(), found.next)) {
            self.session_command(SessionCommand::Search { words, from });
        }
    }

    /// Shows what was found where it was said.
    pub fn open_hit(self, hit: &Hit) {
        self.open_session(hit.id.clone());
        self.pane.set(Pane::Chat);
        if let Some(seq) = hit.seq {
            reveal(format!(".conversation [data-seq=\"{seq}\"]"), TRIES);
        }
    }

    /// Asks whether to have a task worked on again.
    pub fn ask_again(self, again: Again) {
        let (session, seq) = (again.session.clone(), again.task);
        self.listing.outlook.set(None);
        self.listing.again.set(Some(again));
        self.command(Command::LookBack { session, seq });
    }

    /// Has it worked on again. What was asked stays until that has begun.
    pub fn work_again(self, text: Option<String>, files: bool) {
        if let Some(Again { session, task, .. }) = self.listing.again.get_untracked() {
            self.session_command(SessionCommand::Fork {
                session,
                task,
                text,
                files,
            });
        }
    }

    /// Goes to another of the ways from the fork `at`.
    pub fn switch_branch(self, session: SessionId, branch: u64, at: usize) {
        self.listing.refocus.set(Some((session.clone(), at)));
        self.session_command(SessionCommand::Switch { session, branch });
    }

    /// What the kernel told of files is of a task that may be worked on again.
    #[inline(never)]
    pub(super) fn looked_again(self, outlook: &Outlook) {
        let is_asked = self.listing.again.with_untracked(|again| {
            let again = again.as_ref();
            again.is_some_and(|again| again.session == outlook.session && again.task == outlook.seq)
        });
        if is_asked {
            self.listing.outlook.set(Some(outlook.clone()));
        }
    }

    /// A session was shown anew: whatever was asked about it is done.
    #[inline(never)]
    pub(super) fn forked(self, session: &str, forks: Vec<Fork>) {
        let is_of_it = |again: &Option<Again>| {
            let again = again.as_ref();
            again.is_some_and(|again| again.session == session)
        };
        if self.listing.again.with_untracked(is_of_it) {
            self.listing.again.set(None);
            dom::focus_composer();
        }
        self.model(session).forks.set(forks);
        if let Some((_, at)) = self
            .listing
            .refocus
            .get_untracked()
            .filter(|of| of.0 == session)
        {
            self.listing.refocus.set(None);
            dom::focus_later(format!("[data-fork=\"{at}\"] button:enabled"));
        }
    }

    /// Takes in what the kernel tells of sessions.
    #[inline(never)]
    pub(super) fn sessions_told(self, event: SessionEvent) {
        match event {
            SessionEvent::Found(page) => self.found(page),
            SessionEvent::Begun { id, draft } => {
                self.open_session(id);
                if !draft.is_empty() {
                    self.draft.set(draft);
                }
                dom::focus_composer();
            }
            SessionEvent::ReadOut { id, title, records } => {
                let wanted = self.listing.reading_out.get_untracked();
                let form = wanted.filter(|(of, _)| *of == id).map(|(_, form)| form);
                if let Some(form) = form {
                    let title = match title.as_str() {
                        "" => self.words().session_untitled,
                        title => title,
                    };
                    let text = readable(form, title, &records, self.words());
                    dom::save_as(&file_name(form, title), text.as_bytes());
                }
            }
        }
    }

    /// Hands out a conversation to be read.
    pub fn read_out(self, id: SessionId, form: Form) {
        self.listing.reading_out.set(Some((id.clone(), form)));
        self.session_command(SessionCommand::ReadOut(id));
    }

    /// Takes in a session from a file of the device.
    pub fn take_in(self, file: web_sys::File) {
        if file.size() > LARGEST as f64 {
            return self.toast(Notice::SessionNotTaken(NotTaken::TooLong));
        }
        leptos::task::spawn_local(async move {
            // One that went away meanwhile can't be read.
            if let Ok(buffer) = JsFuture::from(file.array_buffer()).await {
                let bytes = js_sys::Uint8Array::new(&buffer).to_vec();
                self.session_command(SessionCommand::TakeIn(bytes));
            }
        });
    }

    fn found(self, mut page: Found) {
        let listing = self.listing;
        if listing.words.with_untracked(|words| *words != page.words) {
            return;
        }
        let known = listing.found.get_untracked();
        if let Some(known) = known.filter(|known| known.next == Some(page.from)) {
            page.hits.splice(..0, known.hits.iter().cloned());
        }
        listing.found.set(Some(Rc::new(page)));
    }

    /// A part of a session that is in the list.
    pub fn of_session<T>(self, id: &str, part: impl Fn(&Session) -> T) -> Option<T> {
        self.sessions
            .with(|all| all.iter().find(|session| session.id == id).map(part))
    }
}

/// Brings what `selector` finds into view and gives it the focus, once it is there.
fn reveal(selector: String, tries: u32) {
    let look = move || {
        if !dom::reveal(&selector) && tries > 0 {
            reveal(selector, tries - 1);
        }
    };
    set_timeout(look, PACE);
}
