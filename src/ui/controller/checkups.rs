//! Examinations of an endpoint: begun from its form or from the end of a run that could
//! not reach it.

use std::rc::Rc;

use super::Controller;
use crate::kernel::doctor::Checkup;
use crate::kernel::settings::{ProfileDraft, ProfileId};
use crate::protocol::Command;
use crate::ui::dom;

impl Controller {
    /// Has an endpoint examined as it stands in the form.
    pub fn check_up(self, id: Option<ProfileId>, draft: ProfileDraft) {
        self.refused.set(Vec::new());
        self.command(Command::CheckUp {
            id,
            draft,
            origin: dom::origin(),
        });
    }

    /// Opens the settings and has the endpoint of the shown session examined.
    pub fn check_up_in_use(self) {
        let Some(in_use) = leptos::prelude::untrack(|| {
            self.with_profile(|profile, _| {
                let draft = ProfileDraft {
                    name: profile.name.clone(),
                    base_url: profile.base_url.as_str().to_owned(),
                    model: profile.model.clone(),
                    ..ProfileDraft::default()
                };
                (Some(profile.id.clone()), draft)
            })
        }) else {
            return self.open_settings();
        };
        self.mend_endpoint();
        self.check_up(in_use.0, in_use.1);
    }

    /// Takes in how an examination stands.
    pub(super) fn checked(self, checkup: Checkup) {
        self.checkup.set(Some(Rc::new(checkup)));
    }

    /// Nothing more comes of the examination that goes on.
    pub(super) fn check_up_stopped(self) {
        self.checkup.update(|checkup| {
            if let Some(checkup) = checkup {
                Rc::make_mut(checkup).now = None;
            }
        });
    }

    /// Lets go of the examination, be it over or not.
    pub fn leave_doctor(self) {
        self.command(Command::StopCheckUp);
        self.checkup.set(None);
    }
}
