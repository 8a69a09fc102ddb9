//! Endpoints: kept, changed, removed; who answers.

use std::rc::Rc;

use super::Kernel;
use crate::kernel::agent::transcript::Observer;
use crate::kernel::clock::unique_id;
use crate::kernel::model::openai::Learned;
use crate::kernel::session::{Session, SessionId};
use crate::kernel::settings::{
    self, BaseUrl, ModelChoice, Problem, Profile, ProfileDraft, ProfileId, RequestOptions,
};
use crate::kernel::store::Batch;
use crate::protocol::{Event, Field, VaultState};

/// What is wrong with a form.
pub(super) type Problems = Vec<(Field, Problem)>;

/// Reads what was typed: address, key (`None`: the one there is), model.
///
/// # Errors
/// All that is wrong, field by field.
pub(super) fn check(draft: &ProfileDraft) -> Result<(BaseUrl, Option<String>, String), Problems> {
    let (base_url, model) = draft.parse();
    let key = draft.key.as_deref().map(settings::parse_key).transpose();
    let mut problems = Problems::new();
    let mut add = |field, problem| problems.push((field, problem));
    let base_url = base_url.map_err(|problem| add(Field::BaseUrl, problem));
    let key = key.map_err(|problem| add(Field::Key, problem));
    let model = model.map_err(|problem| add(Field::Model, problem));
    for (field, problem) in draft.options.iter().flat_map(RequestOptions::problems) {
        add(Field::Option(field), problem);
    }
    match (base_url, key, model) {
        (Ok(base_url), Ok(key), Ok(model)) if problems.is_empty() => Ok((base_url, key, model)),
        _ => Err(problems),
    }
}

impl Kernel {
    pub(super) async fn save_profile(&self, id: Option<ProfileId>, draft: ProfileDraft) {
        let (base_url, key, model) = match check(&draft) {
            Ok(checked) => checked,
            Err(problems) => return self.tell(Event::Refused(problems)),
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
        let before = std::mem::replace(&mut profile.model, model);
        let options = draft.options.unwrap_or_else(|| profile.options.clone());
        // What was refused of other settings, or elsewhere, may be taken now.
        if base_url != profile.base_url || options != profile.options {
            profile.lessons.clear();
            self.0.learned.borrow_mut().remove(&profile.id);
        }
        (profile.base_url, profile.options) = (base_url, options);
        self.hear_of(&mut profile);
        self.keep_changed_keys().await;
        self.rename_model(&profile, &before).await;
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
        self.0.lists.forget(id);
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
        if let Some(session) = chosen {
            self.choose_in(session, choice.clone()).await;
        }
        let lists = &self.0.lists;
        self.change_settings(|settings| {
            if let ModelChoice::Profile { id, model } = &choice
                && let Some(profile) = settings.profiles.iter_mut().find(|of| of.id == *id)
                && let Some(told) = lists.told(profile, model)
            {
                profile.hear(model, Some(&told));
            }
            settings.choice = Some(choice);
        })
        .await;
    }

    /// Keeps what the endpoint's list told of the profile's model.
    fn hear_of(&self, profile: &mut Profile) {
        let model = profile.model.clone();
        if let Some(told) = self.0.lists.told(profile, &model) {
            profile.hear(&model, Some(&told));
        }
    }

    /// Sessions that asked the profile's model, which was `before`, ask what it now is.
    async fn rename_model(&self, profile: &Profile, before: &str) {
        let old = ModelChoice::Profile {
            id: profile.id.clone(),
            model: before.to_owned(),
        };
        if old == profile.choice() {
            return;
        }
        let sessions: Vec<Session> = {
            let sessions = self.0.sessions.borrow();
            let of_old = |session: &&Session| session.choice.as_ref() == Some(&old);
            sessions.values().filter(of_old).cloned().collect()
        };
        for session in sessions {
            self.choose_in(session, profile.choice()).await;
        }
    }

    async fn choose_in(&self, mut session: Session, choice: ModelChoice) {
        let is_running = self.0.running.borrow().contains_key(&session.id);
        if is_running {
            // The run keeps its own copy of the session, and saves that.
            let mut wishes = self.0.wishes.borrow_mut();
            wishes.insert(session.id.clone(), choice.clone());
        }
        session.choice = Some(choice);
        self.keep_session(session).await;
    }

    /// Saves the session as it now is, and tells of it.
    async fn keep_session(&self, session: Session) {
        let saved = self.store().apply(Batch::of(vec![session.put()]).strict());
        match saved.await {
            Ok(()) => Observer::session(&*self.0, &session),
            Err(error) => self.not_saved(error),
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
