//! Examinations of endpoints: one at a time, of what stands in a form.

use std::rc::Rc;

use super::Kernel;
use crate::kernel::cancel::CancelToken;
use crate::kernel::doctor::{Cause, Checkup, Instruments, Origin, Patient, examine};
use crate::kernel::settings::{self, Endpoint, Problem, ProfileDraft, ProfileId};
use crate::protocol::{Event, Field, VaultState};

impl Kernel {
    /// Examines what stands in the form; one that still goes on is given up.
    pub(super) async fn check_up(&self, id: Option<ProfileId>, draft: ProfileDraft, origin: &str) {
        let cancel = CancelToken::default();
        let before = self.0.checkup.replace(Some(cancel.clone()));
        if let Some(before) = before {
            before.cancel();
        }
        let options = draft.options.as_ref();
        let problems = options.map_or_else(Vec::new, |options| options.problems());
        if !problems.is_empty() {
            let at_field = |(field, problem)| (Field::Option(field), problem);
            return self.tell(Event::Refused(problems.into_iter().map(at_field).collect()));
        }
        let told = |checkup: &Checkup| self.tell(Event::CheckUp(Box::new(checkup.clone())));
        let patient = match self.patient(id, draft, Origin::of(origin)) {
            Ok(patient) => patient,
            Err(cause) => {
                return told(&Checkup {
                    causes: vec![cause],
                    ..Checkup::default()
                });
            }
        };
        let instruments = Instruments {
            transport: Rc::clone(&self.0.platform.transport),
            clock: Rc::clone(&self.0.platform.clock),
        };
        let ended = cancel.guard(examine(patient, instruments, &told)).await;
        // Whoever began another one knows that this one is given up.
        if ended.is_err() && self.0.checkup.borrow().is_none() {
            self.tell(Event::CheckUpStopped);
        }
    }

    pub(super) fn stop_check_up(&self) {
        if let Some(cancel) = self.0.checkup.take() {
            cancel.cancel();
        }
    }

    /// Whom the form means; or what is wrong with it before anybody is asked.
    fn patient(
        &self,
        id: Option<ProfileId>,
        draft: ProfileDraft,
        origin: Origin,
    ) -> Result<Patient, Cause> {
        let (base_url, model) = draft.parse();
        let base_url = base_url.map_err(|problem| match problem {
            Problem::InsecureHost => Cause::MixedContent,
            problem => Cause::BadAddress(problem),
        })?;
        let saved = id.and_then(|id| self.0.settings.borrow().profile(&id).cloned());
        let key = match (&draft.key, &saved) {
            (Some(key), _) => settings::parse_key(key).map_err(|_| Cause::BadKeyText)?,
            // A key is for one host.
            (None, Some(profile)) if profile.base_url.host() == base_url.host() => {
                let key = self.0.keys.get(profile);
                let is_locked = self.vault_state() == VaultState::Locked;
                if key.is_empty() && profile.uses_key && is_locked {
                    return Err(Cause::KeyLocked);
                }
                key
            }
            _ => String::new(),
        };
        let of_saved = saved.map(|profile| profile.options);
        Ok(Patient {
            endpoint: Endpoint {
                base_url,
                // Without one, the list of models is all there is to look at.
                model: model.unwrap_or_default(),
                options: draft.options.or(of_saved).unwrap_or_default(),
                told: Vec::new(),
            },
            key,
            origin,
        })
    }
}
