//! What a run is made of: what it goes by, who answers in it, what hides secrets.

use std::rc::Rc;
use std::time::Duration;

use super::Kernel;
use super::delegates::Use;
use super::desk::KernelDesk;
use crate::kernel::agent::transcript::Transcript;
use crate::kernel::agent::{Answers, Parts, Terms};
use crate::kernel::cancel::CancelToken;
use crate::kernel::model::ModelClient;
use crate::kernel::model::demo::DemoClient;
use crate::kernel::model::openai::{OpenAiClient, Wiring};
use crate::kernel::redact::Redactor;
use crate::kernel::session::Session;
use crate::kernel::trace::Purpose;
use crate::kernel::workspace::Node;

impl Kernel {
    /// What a run that begins now goes by; `None` if nobody is set who could answer, or
    /// a key is missing.
    pub(super) fn terms(&self, session: &Session) -> Option<Rc<Terms>> {
        let mut settings = self.settings();
        let choice = settings.choice_for(session.choice.as_ref())?;
        settings.limits = settings.limits_for(Some(&choice));
        let answers = match settings.chosen(&choice) {
            None => None,
            Some((profile, model)) => {
                let key = self.0.keys.get(profile);
                if profile.uses_key && key.is_empty() {
                    return None;
                }
                Some(Answers {
                    endpoint: profile.endpoint(model),
                    key,
                    learned: self.learned(&profile.id),
                })
            }
        };
        Some(Rc::new(Terms { settings, answers }))
    }

    /// Who answers in a run that goes by `terms`.
    pub(super) fn client(&self, terms: &Terms, used_for: Use) -> Rc<dyn ModelClient> {
        let platform = &self.0.platform;
        let (clock, random) = (Rc::clone(&platform.clock), Rc::clone(&platform.random));
        let limits = &terms.settings.limits;
        let Some(answers) = &terms.answers else {
            return Rc::new(DemoClient::new(clock, random));
        };
        let mut endpoint = answers.endpoint.clone();
        let second = &limits.second_model;
        if used_for != Use::Main && !second.is_empty() {
            endpoint.model.clone_from(second);
        }
        Rc::new(OpenAiClient::new(Wiring {
            endpoint,
            key: answers.key.clone(),
            transport: Rc::clone(&platform.transport),
            learned: Rc::clone(&answers.learned),
            clock,
            random,
            idle: Duration::from_secs(u64::from(limits.idle_seconds)),
        }))
    }

    /// What a run of the session is made of.
    pub(super) async fn parts(
        &self,
        transcript: Transcript,
        terms: Rc<Terms>,
        used_for: Use,
        cancel: CancelToken,
    ) -> Parts {
        let platform = &self.0.platform;
        let redactor = self.redactor(terms.key()).await;
        let side = {
            let (kernel, terms) = (self.clone(), Rc::clone(&terms));
            move |purpose| {
                let used_for = match purpose {
                    Purpose::Summary | Purpose::Title => Use::Summary,
                    _ => Use::Main,
                };
                kernel.client(&terms, used_for)
            }
        };
        let look_for_secrets = {
            let (kernel, terms) = (self.clone(), Rc::clone(&terms));
            move || {
                let (kernel, terms) = (kernel.clone(), Rc::clone(&terms));
                Box::pin(async move { kernel.redactor(terms.key()).await })
                    as futures::future::LocalBoxFuture<'static, Rc<Redactor>>
            }
        };
        Parts {
            transcript,
            client: self.client(&terms, used_for),
            side: Rc::new(side),
            tools: Rc::clone(&self.0.tools),
            limits: terms.settings.limits.clone(),
            terms,
            cancel,
            clock: Rc::clone(&platform.clock),
            random: Rc::clone(&platform.random),
            desk: Rc::new(KernelDesk(self.clone())),
            paid_by: None,
            shrink: platform.shrink,
            redactor,
            look_for_secrets: Rc::new(look_for_secrets),
        }
    }

    /// What must not leave: the key, now and in the run that asks, and the secrets in
    /// the workspace's `.env` files.
    pub(super) async fn redactor(&self, key_of_run: &str) -> Rc<Redactor> {
        let mut redactor = Redactor::new();
        for key in self.0.keys.all() {
            redactor.add_secret("API key", &key);
        }
        redactor.add_secret("API key", key_of_run);
        let workspace = &self.0.workspace;
        let is_file = |node: &Node| matches!(node, Node::File { size, .. } if *size < 1 << 20);
        let files: Vec<_> = workspace
            .nodes()
            .iter()
            .filter(|(path, node)| path.holds_secrets() && is_file(node))
            .map(|(path, _)| path.clone())
            .collect();
        for path in files {
            if let Ok((content, _)) = workspace.read(&path).await {
                redactor.add_env_file(&String::from_utf8_lossy(&content));
            }
        }
        Rc::new(redactor)
    }
}
