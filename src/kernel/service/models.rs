//! What endpoints tell of their models: asked for, kept in memory, told.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use super::Kernel;
use super::by_id::ById;
use super::profiles::{Problems, check};
use crate::kernel::event::{Failure, FailureKind};
use crate::kernel::model::models::Question;
use crate::kernel::settings::{BaseUrl, Endpoint, ModelFacts, Profile, ProfileDraft, ProfileId};
use crate::protocol::{Event, ListedModel, ModelList};

/// The lists in memory. That of an endpoint which is not kept yet stands under no name.
#[derive(Default)]
pub(super) struct Lists(RefCell<ById<List>>);

/// What an endpoint told.
#[derive(Default)]
struct List {
    /// How often it was asked: only the answer to the last time counts.
    asked: u32,
    /// Where.
    base_url: Option<BaseUrl>,
    models: Vec<ModelFacts>,
}

impl Lists {
    /// Begins to ask; gives the number by which the answer is taken.
    fn begin(&self, id: &str) -> u32 {
        let mut lists = self.0.borrow_mut();
        let list = lists.or_default(id);
        list.asked += 1;
        list.asked
    }

    /// Keeps what came; tells whether anybody still waits for it.
    fn end(&self, id: &str, asked: u32, at: BaseUrl, models: Vec<ModelFacts>) -> bool {
        let mut lists = self.0.borrow_mut();
        let Some(list) = lists.get_mut(id).filter(|list| list.asked == asked) else {
            return false;
        };
        list.base_url = Some(at);
        list.models = models;
        true
    }

    /// What was told of `model` at the profile's address, in its own list or in that of
    /// the form it was made in.
    pub fn told(&self, profile: &Profile, model: &str) -> Option<ModelFacts> {
        let lists = self.0.borrow();
        [profile.id.as_str(), ""].iter().find_map(|id| {
            let list = lists.get(id)?;
            let is_here = list.base_url.as_ref() == Some(&profile.base_url);
            let mut models = list.models.iter().filter(|_| is_here);
            models.find(|facts| facts.model == model).cloned()
        })
    }

    /// Forgets what a profile's endpoint told.
    pub fn forget(&self, id: &str) {
        self.0.borrow_mut().remove(id);
    }
}

impl Kernel {
    /// Asks an endpoint for its models.
    pub(super) async fn list_models(&self, id: Option<ProfileId>, draft: Option<ProfileDraft>) {
        let (endpoint, key) = match self.to_be_asked(id.as_deref(), draft) {
            Ok(Some(asked)) => asked,
            Ok(None) => return,
            Err(problems) => return self.tell(Event::Refused(problems)),
        };
        let name = id.clone().unwrap_or_default();
        let asked = self.0.lists.begin(&name);
        let base_url = endpoint.base_url.clone();
        let listed = match key {
            Some(key) => {
                let idle = self.0.settings.borrow().limits.idle_seconds;
                let question = Question {
                    endpoint,
                    key,
                    transport: Rc::clone(&self.0.platform.transport),
                    clock: Rc::clone(&self.0.platform.clock),
                    limit: Duration::from_secs(idle.into()),
                };
                question.ask().await
            }
            None => Err(Failure {
                host: base_url.host().to_owned(),
                ..Failure::new(FailureKind::Unauthorized, "")
            }),
        };
        let (models, list) = match listed {
            Ok(models) => {
                let listed = models.iter().map(|facts| ListedModel {
                    name: facts.model.clone(),
                    window: facts.window,
                });
                let list = ModelList::Models(listed.collect());
                (models, list)
            }
            Err(failure) => (Vec::new(), ModelList::Failed(failure)),
        };
        if self.0.lists.end(&name, asked, base_url, models) {
            self.tell(Event::ModelsListed { id, list });
        }
    }

    /// Whom to ask and with which key; no key where one is needed and was forgotten.
    /// Nobody if the profile is gone.
    fn to_be_asked(
        &self,
        id: Option<&str>,
        draft: Option<ProfileDraft>,
    ) -> Result<Option<(Endpoint, Option<String>)>, Problems> {
        let profile = id.and_then(|id| self.0.settings.borrow().profile(id).cloned());
        let as_kept = |profile: &Profile| ProfileDraft {
            base_url: profile.base_url.as_str().to_owned(),
            ..ProfileDraft::default()
        };
        let Some(mut draft) = draft.or(profile.as_ref().map(as_kept)) else {
            return Ok(None);
        };
        // Which model it will be is not known yet.
        draft.model = "any".to_owned();
        let (base_url, typed, _) = check(&draft)?;
        // A key is for one host.
        let of_host = profile
            .as_ref()
            .filter(|profile| profile.base_url.host() == base_url.host());
        let key = typed.or_else(|| {
            let profile = of_host?;
            let key = self.0.keys.get(profile);
            (!profile.uses_key || !key.is_empty()).then_some(key)
        });
        let is_forgotten = key.is_none() && of_host.is_some();
        let endpoint = Endpoint {
            base_url,
            model: String::new(),
            options: draft
                .options
                .or(profile.map(|profile| profile.options))
                .unwrap_or_default(),
            told: Vec::new(),
        };
        let key = (!is_forgotten).then(|| key.unwrap_or_default());
        Ok(Some((endpoint, key)))
    }
}
