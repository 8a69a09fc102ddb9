//! What each event of the kernel does to the signals.

use std::hint::black_box;
use std::time::Duration;

use leptos::prelude::*;

use super::asking::keep_way;
use super::trace::View;
use super::{Controller, KernelState, SHOWN_SESSION, Sending, Toast};
use crate::kernel::event::AgentEvent;
use crate::kernel::session::{Entry, Session, SessionId};
use crate::kernel::settings::Refused;
use crate::protocol::{Command, Event, Notice, SessionEvent, Snapshot, Storage};
use crate::ui::state::file_tree;
use crate::ui::state::way::WayOfWork;
use crate::ui::storage::keep_work;
use crate::ui::{LinkEvent, dom};

/// How long a message stays that needs no answer.
const TOAST_TIME: Duration = Duration::from_secs(6);
/// How long one stays that has a button.
const LONG_TOAST_TIME: Duration = Duration::from_secs(20);

impl Controller {
    /// Takes in what comes from the kernel's side.
    pub fn hear(self, event: LinkEvent) {
        match event {
            LinkEvent::Kernel(event) => {
                if matches!(self.kernel.try_get_untracked(), Some(KernelState::Silent)) {
                    self.kernel.set(KernelState::Up);
                }
                self.take(event);
            }
            LinkEvent::Died { reason } => {
                dom::set_root("data-ready", None);
                self.kernel.set(KernelState::Died(reason));
                self.break_off_runs();
            }
            LinkEvent::Silent => self.kernel.set(KernelState::Silent),
            LinkEvent::Loaded => {
                self.loaded.set(true);
                self.toasts
                    .update(|toasts| toasts.retain(|toast| toast.notice != Notice::NotLoaded));
            }
            LinkEvent::NotLoaded => self.toast(Notice::NotLoaded),
        }
    }

    fn take(self, event: Event) {
        match event {
            // The link's own affairs.
            Event::Pong | Event::KeySealed(_) => {}
            Event::Ready(snapshot) => self.start(*snapshot),
            Event::SettingsChanged(settings) => {
                self.settings.set(Some(settings));
                self.save_next();
            }
            Event::SpaceOpened(snapshot) => self.space_opened(*snapshot),
            Event::SpacesChanged(spaces) => self.spaces.all.set(spaces),
            Event::Waiting(all) => self.spaces.waiting.set(all),
            Event::SpaceCounted(counts) => self.space_counted(counts),
            Event::VaultAnswered { settings, problem } => self.vault_answered(settings, problem),
            Event::ModelsListed { id, list } => self.endpoints.listed(id, list),
            Event::Refused(problems) => {
                self.endpoints.break_off();
                self.refused.update(|all| all.extend(problems));
                self.save_next();
            }
            Event::CheckUp(checkup) => self.checked(*checkup),
            Event::CheckUpStopped => self.check_up_stopped(),
            Event::SessionChanged(session) => self.put_session(session),
            Event::SessionStarted(id) => self.begin_session(id),
            Event::SessionOpened {
                id,
                records,
                undone,
                forks,
            } => {
                self.model(&id).load(&records, undone);
                let is_asked = self.listing.again.with_untracked(Option::is_some);
                if is_asked || !forks.is_empty() {
                    self.forked(&id, forks);
                }
            }
            Event::Agent { session, event } => self.agent(&session, &event),
            Event::Queued { session, texts } => self.queued(&session, texts),
            Event::TraceOpened { session, rounds } => self.show_trace(&session, rounds),
            Event::FilesChanged { rows, removed, by } => {
                if self.files.edits.with_untracked(|edits| !edits.is_empty()) {
                    self.follow_edits(&rows, &removed);
                }
                if self.linked.view.with_untracked(Option::is_some) {
                    self.link_grew(&rows, &removed);
                }
                if let Some(path) = self.files.merge(rows, removed, by) {
                    self.command(Command::OpenFile(path));
                }
                self.changes_grew();
            }
            event @ (Event::Checkpoints(_)
            | Event::ChangesListed(_)
            | Event::ChangeShown { .. }
            | Event::LookedBack(_)) => self.take_changes(event),
            Event::FileOpened { path, view } => self.files.show(&path, view),
            Event::FileBytes { path, bytes } => dom::save_as(file_tree::name(&path), &bytes),
            Event::PictureRead { picture, bytes } => self.picture_read(&picture, bytes.as_deref()),
            Event::Transfer(progress) => self.files.transfer.now.set(progress),
            Event::ExportPiece { bytes } => self.files.transfer.add(&bytes),
            Event::Exported { name, bytes } => self.files.transfer.save(&name, &bytes),
            Event::ExportGivenUp => self.files.transfer.forget(),
            Event::Linked(view) => self.linked(view.map(|view| *view)),
            Event::Weighed(weighed) => self.weighed(*weighed),
            Event::SessionsRemoved(ids) => self.sessions_removed(&ids),
            // Called by the table, so that it is not made a part of this: see scripts/later.txt.
            Event::Sessions(event) => {
                black_box::<fn(Self, SessionEvent)>(Self::sessions_told)(self, event);
            }
            Event::TreeChanged { change, outcome } => self.tree_changed(change, outcome),
            Event::FileToEdit {
                path,
                version,
                bytes,
            } => self.file_to_edit(&path, version, &bytes),
            Event::FileSaved { path, outcome } => self.file_saved(&path, outcome),
            Event::Notice(notice) => self.notice(notice),
            Event::Stage { scene, order } => self.stage(scene, order),
        }
    }

    /// All is new: after the start, after a restart, after taking over from another tab.
    fn start(self, snapshot: Snapshot) {
        let wanted = match self.current.get_untracked() {
            Some(id) => Some(id),
            None => dom::kept_in_tab(SHOWN_SESSION),
        };
        let is_first = self.settings.with_untracked(Option::is_none);
        let (agents, sessions): (Vec<Session>, Vec<Session>) = snapshot
            .sessions
            .into_iter()
            .partition(|session| session.parent.is_some());
        let exists = |id: &SessionId| sessions.iter().any(|session| session.id == *id);
        let newest = || sessions.first().map(|session| session.id.clone());
        let shown = match wanted.filter(exists) {
            Some(id) => Some(id),
            None if is_first => newest(),
            None => None,
        };
        self.give_back();
        if self.stage.clear() {
            self.trace.view.set(View::Files);
        }
        self.models.update_value(|models| models.clear());
        self.spaces.all.set(snapshot.spaces);
        self.spaces.waiting.set(Vec::new());
        self.sessions.set(sessions);
        self.agents.set(agents);
        self.files.set(snapshot.files);
        self.access.set(snapshot.access);
        self.storage.set(snapshot.storage);
        self.settings.set(Some(snapshot.settings));
        self.saving.set_value(None);
        self.keys.restart();
        self.endpoints.break_off();
        self.show(shown);
        if let Some(open) = self.files.opened.get_untracked() {
            self.command(Command::OpenFile(open.path));
        }
        if self.files.edits.with_untracked(|edits| !edits.is_empty()) {
            self.check_edits();
        }
        self.kernel.set(KernelState::Up);
        // Ready is what can be used: after the views have been drawn.
        leptos::task::spawn_local(async move {
            leptos::task::tick().await;
            self.open_link();
            if matches!(self.kernel.try_get_untracked(), Some(KernelState::Up)) {
                dom::set_root("data-ready", Some("true"));
                if let Some(link) = self.link() {
                    link.fetch_rest();
                }
            }
        });
    }

    fn put_session(self, session: Session) {
        if !self.is_of_space(&session) {
            return;
        }
        if session.parent.is_some() {
            self.put_agent(session);
            return;
        }
        self.sessions.update(|sessions| {
            sessions.retain(|other| other.id != session.id);
            let is_newer =
                |other: &Session| (other.updated_ms, &other.id) > (session.updated_ms, &session.id);
            let at = sessions.partition_point(is_newer);
            sessions.insert(at, session);
        });
    }

    fn begin_session(self, id: SessionId) {
        self.model(&id).begin();
        let is_wanted = self.current.with_untracked(Option::is_none);
        if is_wanted {
            keep_way(Some(&id), self.way.get_untracked());
            keep_way(None, WayOfWork::default());
        }
        self.sending.update(|sending| {
            if let Some(Sending { session, .. }) = sending {
                session.get_or_insert_with(|| id.clone());
            }
        });
        if is_wanted {
            self.show(Some(id));
        }
    }

    fn agent(self, session: &str, event: &AgentEvent) {
        self.model(session).apply(event);
        match event {
            AgentEvent::Recorded(record) => match &record.entry {
                Entry::User { .. } => self.sent(session),
                Entry::Steer { text } => self.taken(session, text),
                Entry::Stopped(_) => {
                    self.ended(session);
                    self.trace_grew(session);
                    self.keep_work();
                }
                Entry::Assistant(_) => self.trace_grew(session),
                _ => {}
            },
            AgentEvent::EndedUnsaved(_) => self.ended(session),
            AgentEvent::Learned { host, lesson } => self.toast(Notice::Learned {
                host: host.clone(),
                lesson: lesson.clone(),
            }),
            _ => {}
        }
    }

    /// A run has left work behind that the browser shall not clear.
    fn keep_work(self) {
        if matches!(self.storage.get_untracked(), Storage::Browser) {
            keep_work();
            self.watch_room();
        }
    }

    /// The message that was on its way to `session` is there.
    fn sent(self, session: &str) {
        self.sending.update(|sending| {
            if sending
                .as_ref()
                .is_some_and(|sending| sending.session.as_deref() == Some(session))
            {
                *sending = None;
            }
        });
    }

    fn ended(self, session: &str) {
        let is_open = |other: &&mut Session| other.id == session && other.running;
        let is_marked = self
            .sessions
            .with_untracked(|all| all.iter().any(|other| other.id == session && other.running));
        if is_marked {
            self.sessions.update(|all| {
                all.iter_mut()
                    .filter(is_open)
                    .for_each(|session| session.running = false);
            });
        }
        if self
            .current
            .with_untracked(|current| current.as_deref() == Some(session))
        {
            self.changes_grew();
        }
    }

    /// Without a kernel nothing goes on.
    pub(super) fn break_off_runs(self) {
        self.check_up_stopped();
        self.files.transfer.end();
        self.give_back();
        let models = self.models.try_get_value().unwrap_or_default();
        models.iter().for_each(|(_, model)| model.break_off());
        for list in [self.sessions, self.agents] {
            list.update(|all| all.iter_mut().for_each(|session| session.running = false));
        }
    }

    fn notice(self, notice: Notice) {
        // What was gone back in says nothing of a message on its way.
        let of_files = matches!(
            notice,
            Notice::Imported(_)
                | Notice::NotExported(_)
                | Notice::WentBack(_)
                | Notice::Low(_)
                | Notice::SessionDeleted { .. }
                | Notice::SessionAtWork
                | Notice::SessionNotTaken(_)
        );
        if !of_files {
            self.give_back();
        }
        match &notice {
            // The field that is led to says it all.
            Notice::KeysLocked => return self.ask_passphrase(),
            Notice::ReadOnly => self.keys.restart(),
            Notice::Imported(report) => {
                self.attached(report);
                self.keep_work();
            }
            // What was shown is not as it was.
            Notice::NotUndone { .. } | Notice::WentBack(_) => self.changes_grew(),
            _ => {}
        }
        self.toast(notice);
    }

    pub(super) fn toast(self, notice: Notice) {
        let passes = match &notice {
            Notice::Imported(report) => report.is_plain(),
            Notice::WentBack(_)
            | Notice::Deleted { .. }
            | Notice::Moved { .. }
            | Notice::SessionDeleted { .. } => true,
            // That a model has no tools changes what can be asked of it.
            Notice::Learned { lesson, .. } => lesson.refused != Refused::Tools,
            _ => false,
        };
        // There is a way back on it.
        let stays = matches!(notice, Notice::WentBack(_));
        let time = match &notice {
            Notice::WentBack(_)
            | Notice::Deleted { .. }
            | Notice::Moved { .. }
            | Notice::SessionDeleted { .. } => LONG_TOAST_TIME,
            _ => TOAST_TIME,
        };
        let Some(id) = self.toasts.try_update(|toasts| {
            // Of steps back only the last one can be undone.
            let is_past = |other: &Notice| stays && matches!(other, Notice::WentBack(_));
            toasts.retain(|toast| toast.notice != notice && !is_past(&toast.notice));
            let id = toasts.iter().map(|toast| toast.id).max().unwrap_or(0) + 1;
            toasts.push(Toast { id, notice });
            id
        }) else {
            return;
        };
        if passes {
            set_timeout(move || self.dismiss(id), time);
        }
    }
}
