//! Endpoints: kept, changed, removed; who answers.

use std::rc::Rc;

use super::Kernel;
use crate::kernel::agent::transcript::Observer;
use crate::kernel::clock::unique_id;
use crate::kernel::model::openai::Learned;
use crate::kernel::session::{Session, SessionId};
use crate::kernel::settings::{self, ModelChoice, Problem, Profile, ProfileDraft, ProfileId};
use crate::kernel::store::Batch;
use crate::protocol::{Event, Field, VaultState};

impl Kernel {
    pub(super) async fn save_profile(&self, id: Option<ProfileId>, draft: ProfileDraft) {
        let (base_url, model) = draft.parse();
        let key = draft.key.as_deref().map(settings::parse_key).transpose();
        let options = draft.options.as_ref();
        let options = options.map_or_else(Vec::new, |options| options.problems());
        let (base_url, key, model) = match (base_url, key, model) {
            (Ok(base_url), Ok(key), Ok(model)) if options.is_empty() => (base_url, key, model),
            (base_url, key, model) => {
                let fields = [
                    base_url.err().map(|problem| (Field::BaseUrl, problem)),
                    key.err().map(|problem| (Field::Key, problem)),
                    model.err().map(|problem| (Field::Model, problem)),
                ];
                let options = options
                    .into_iter()
                    .map(|(field, problem)| (Field::Option(field), problem));
                let problems: Vec<(Field, Problem)> =
                    fields.into_iter().flatten().chain(options).collect();
                return self.tell(Event::Refused(problems));
            }
        };
        let platform = &self.0.platform;
        let known = id.and_then(|id| self.0.settings.borrow().profile(&id).cloned());
        let mut profile = known.unwrap_or_else(|| {
            let id = unique_id(&*platform.clock, &*platform.random);
            Profile::new(id, base_url.clone(), model.clone())
        });
        // A key is for one host: it does not go to another because a field was left empty.
        let is_other_host = profile.base_url.host() != base_url.host();
        // The page can't know of a locked key, and so not mean to take it away.
        let is_locked = self.vault_state() == VaultState::Locked && profile.uses_key;
        let key = key.filter(|key| !key.is_empty() || !is_locked);
        let host = base_url.host();
        profile.uses_key = match key {
            Some(key) => {
                let uses_key = !key.is_empty();
                self.0.keys.set(&profile.id, host, key);
                uses_key
            }
            None if is_other_host => {
                self.0.keys.set(&profile.id, host, String::new());
                false
            }
            None => profile.uses_key,
        };
        draft.name.trim().clone_into(&mut profile.name);
        let options = draft.options.unwrap_or_else(|| profile.options.clone());
        // What was refused of other settings, or elsewhere, may be taken now.
        if base_url != profile.base_url || options != profile.options {
            profile.lessons.clear();
            self.0.learned.borrow_mut().remove(&profile.id);
        }
        (profile.base_url, profile.model, profile.options) = (base_url, model, options);
        self.keep_changed_keys().await;
        self.change_settings(|settings| {
            settings.choice = Some(profile.choice());
            match settings
                .profiles
                .iter_mut()
                .find(|old| old.id == profile.id)
            {
                Some(old) => *old = profile,
                None => settings.profiles.push(profile),
            }
        })
        .await;
    }

    pub(super) async fn remove_profile(&self, id: &str) {
        self.0.keys.set(id, "", String::new());
        self.0.learned.borrow_mut().remove(id);
        self.keep_changed_keys().await;
        self.change_settings(|settings| {
            settings.profiles.retain(|profile| profile.id != id);
            // Whoever is left answers; with nobody left, the user is asked anew.
            let still = settings.choice_for(None);
            settings.choice = still.or(settings.profiles.first().map(Profile::choice));
        })
        .await;
    }

    pub(super) async fn choose(&self, session: Option<SessionId>, choice: ModelChoice) {
        let is_there = self.0.settings.borrow().choice_for(Some(&choice)) == Some(choice.clone());
        if !is_there {
            return;
        }
        let chosen = session.and_then(|id| self.0.sessions.borrow().get(&id).cloned());
        if let Some(mut session) = chosen {
            session.choice = Some(choice.clone());
            let is_running = self.0.running.borrow().contains_key(&session.id);
            if is_running {
                // The run keeps its own copy of the session, and saves that.
                let mut wishes = self.0.wishes.borrow_mut();
                wishes.insert(session.id.clone(), choice.clone());
            }
            self.keep_session(session).await;
        }
        self.change_settings(|settings| settings.choice = Some(choice))
            .await;
    }

    /// Saves the session as it now is, and tells of it.
    async fn keep_session(&self, session: Session) {
        let saved = self.store().apply(Batch::of(vec![session.put()]).strict());
        match saved.await {
            Ok(()) => Observer::session(&*self.0, &session),
            Err(error) => self.not_saved(&error),
        }
    }

    /// Meets the wish for another model that came while the session's run was open.
    pub(super) async fn meet_wish(&self, id: &str) {
        let wish = self.0.wishes.borrow_mut().remove(id);
        let session = self.0.sessions.borrow().get(id).cloned();
        if let (Some(choice), Some(mut session)) = (wish, session) {
            session.choice = Some(choice);
            self.keep_session(session).await;
        }
    }

    /// What was found out about the host of a profile.
    pub(super) fn learned(&self, id: &str) -> Rc<Learned> {
        let mut learned = self.0.learned.borrow_mut();
        if !learned.contains_key(id) {
            let settings = self.0.settings.borrow();
            let lessons = settings.profile(id).map(|profile| profile.lessons.clone());
            learned.insert(
                id.to_owned(),
                Rc::new(Learned::new(lessons.unwrap_or_default())),
            );
        }
        Rc::clone(learned.or_default(id))
    }

    /// Lets a host be asked again as if nothing were known of it.
    pub(super) async fn forget_lessons(&self, id: &str) {
        self.0.learned.borrow_mut().remove(id);
        self.change_settings(|settings| {
            let mut profiles = settings.profiles.iter_mut();
            if let Some(profile) = profiles.find(|profile| profile.id == id) {
                profile.lessons.clear();
            }
        })
        .await;
    }

    /// Keeps what a run found out about hosts: the address that works, where the one given
    /// did not, and what is refused.
    pub(super) async fn keep_what_was_learned(&self) {
        let found_out = |profile: &Profile| {
            let learned = self.0.learned.borrow();
            let learned = learned.get(&profile.id)?;
            let base_url = learned.corrected();
            let found_out = Profile {
                base_url: base_url.unwrap_or_else(|| profile.base_url.clone()),
                lessons: learned.lessons(),
                ..profile.clone()
            };
            (found_out != *profile).then_some(found_out)
        };
        let found_out: Vec<Profile> = {
            let settings = self.0.settings.borrow();
            settings.profiles.iter().filter_map(found_out).collect()
        };
        if found_out.is_empty() {
            return;
        }
        self.change_settings(|settings| {
            for newer in found_out {
                let mut profiles = settings.profiles.iter_mut();
                if let Some(profile) = profiles.find(|profile| profile.id == newer.id) {
                    *profile = newer;
                }
            }
        })
        .await;
    }
}
