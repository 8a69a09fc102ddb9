//! Endpoints as the page knows them: their lists of models, the form that is open,
//! and a link that fills it.

use std::rc::Rc;

use leptos::prelude::untrack;

use super::Controller;
use crate::kernel::event::Failure;
use crate::kernel::settings::{ModelChoice, Profile, ProfileDraft, ProfileId};
use crate::protocol::{Command, ListedModel, ModelList};
use crate::ui::signal::RwSignal;
use crate::ui::state::setup_link::SetupLink;

/// How many models are remembered that were chosen before.
const RECENT: usize = 5;

/// An endpoint's models.
#[derive(Clone)]
pub enum Models {
    /// They are on their way.
    Loading,
    /// These.
    Listed(Rc<Vec<ListedModel>>),
    /// There is no list.
    Failed(Failure),
}

/// The form that is open in the settings.
#[derive(Clone, PartialEq)]
pub struct Editing {
    /// The endpoint; `None`: a new one.
    pub id: Option<ProfileId>,
    /// From where.
    pub from: From,
}

/// Where a form was opened, and where its end leads back to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// The list in the settings.
    Settings,
    /// The page.
    Page,
}

/// The signals.
#[derive(Clone, Copy)]
pub struct EndpointsModel {
    /// The form that is open.
    pub editing: RwSignal<Option<Editing>>,
    /// What the link says that the page was opened with, until it is used.
    pub linked: RwSignal<Option<SetupLink>>,
    lists: RwSignal<Vec<(Option<ProfileId>, Models)>>,
}

impl EndpointsModel {
    /// Nothing is known.
    pub fn new() -> Self {
        Self {
            editing: RwSignal::new(None),
            linked: RwSignal::new(None),
            lists: RwSignal::new(Vec::new()),
        }
    }

    /// The models of an endpoint, or of the new one in the form; `None`: nobody has asked.
    pub fn models(self, id: &Option<ProfileId>) -> Option<Models> {
        self.lists.with(|lists| {
            let list = lists.iter().find(|(of, _)| of == id);
            list.map(|(_, models)| models.clone())
        })
    }

    /// Forgets them: they are those of another address.
    pub fn forget(self, id: &Option<ProfileId>) {
        self.lists.update(|lists| lists.retain(|(of, _)| of != id));
    }

    fn put(self, id: Option<ProfileId>, models: Models) {
        self.lists.update(|lists| {
            lists.retain(|(of, _)| *of != id);
            lists.push((id, models));
        });
    }

    pub(super) fn listed(self, id: Option<ProfileId>, list: ModelList) {
        let models = match list {
            ModelList::Models(models) => Models::Listed(Rc::new(models)),
            ModelList::Failed(failure) => Models::Failed(failure),
        };
        self.put(id, models);
    }

    /// Nothing comes of what is on its way.
    pub(super) fn break_off(self) {
        let is_here = |models: &Models| !matches!(models, Models::Loading);
        self.lists
            .update(|lists| lists.retain(|(_, models)| is_here(models)));
    }
}

impl Controller {
    /// Asks an endpoint for its models, as it is kept or as it stands in the form.
    pub fn list_models(self, id: Option<ProfileId>, draft: Option<ProfileDraft>) {
        self.refused.set(Vec::new());
        self.endpoints.put(id.clone(), Models::Loading);
        self.command(Command::ListModels { id, draft });
    }

    /// Asks unless it is known, or on its way.
    pub fn list_models_once(
        self,
        id: Option<ProfileId>,
        draft: impl FnOnce() -> Option<ProfileDraft>,
    ) {
        let known = untrack(|| self.endpoints.models(&id));
        if matches!(known, None | Some(Models::Failed(_))) {
            self.list_models(id, draft());
        }
    }

    /// Models of an endpoint that were asked of late; first the profile's own.
    pub fn recent_models(self, profile: &Profile) -> Vec<String> {
        let mut recent = vec![profile.model.clone()];
        let current = self.choice();
        self.sessions.with(|sessions| {
            let choices = sessions
                .iter()
                .filter_map(|session| session.choice.as_ref());
            for choice in current.iter().chain(choices) {
                if let ModelChoice::Profile { id, model } = choice
                    && *id == profile.id
                    && !recent.contains(model)
                    && recent.len() < RECENT
                {
                    recent.push(model.clone());
                }
            }
        });
        recent
    }

    /// Chooses who answers in the session that is shown, and in new ones.
    pub fn choose(self, choice: ModelChoice) {
        if choice == ModelChoice::Demo {
            // It has files of its own.
            self.command(Command::UseDemo);
        }
        let session = self.current.get_untracked();
        self.command(Command::Choose { session, choice });
    }

    /// Opens the form of an endpoint, without old errors.
    pub fn edit_endpoint(self, id: Option<ProfileId>, from: From) {
        if from == From::Page {
            self.open_settings();
        }
        self.refused.set(Vec::new());
        self.checkup.set(None);
        self.endpoints.editing.set(Some(Editing { id, from }));
    }

    /// Opens the form of the endpoint that answers, or the settings where none does.
    pub fn mend_endpoint(self) {
        match untrack(|| self.with_profile(|profile, _| profile.id.clone())) {
            Some(id) => self.edit_endpoint(Some(id), From::Page),
            None => self.open_settings(),
        }
    }

    /// Leaves the form.
    pub fn leave_endpoint(self) {
        self.leave_doctor();
        let editing = self.endpoints.editing.try_update(Option::take).flatten();
        self.endpoints.linked.set(None);
        if editing.is_none_or(|editing| editing.from == From::Page) {
            self.settings_open.set(false);
        }
    }

    /// Puts what a link says into a form: into that of the first start, which looks for it
    /// itself, or into that of a new endpoint.
    pub fn open_link(self) {
        let is_there = self.endpoints.linked.with_untracked(Option::is_some);
        let is_set_up = self.settings.with_untracked(|settings| {
            settings
                .as_ref()
                .is_some_and(|settings| settings.kept.choice.is_some())
        });
        if is_there && is_set_up {
            self.edit_endpoint(None, From::Page);
        }
    }
}
