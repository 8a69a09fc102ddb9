//! The requests of an examination, one after the other, each with its time.

mod asking;

use std::rc::Rc;
use std::time::Duration;

use self::asking::Task;
use super::servers::is_near;
use super::{Checkup, Facts, Look, Origin, Patient, Probe, Seen, diagnose};
use crate::kernel::clock::Clock;
use crate::kernel::event::FailureKind;
use crate::kernel::model::{HttpRequest, Leave, Method, Transport, models};
use crate::kernel::settings::BaseUrl;

/// How long a host may take to show that it is there.
const REACH_TIME: Duration = Duration::from_secs(10);
/// The same while the browser may ask the user first.
const ASKING_TIME: Duration = Duration::from_secs(60);
/// How long the list of models may take.
const LIST_TIME: Duration = Duration::from_secs(15);

/// What an examination works with.
#[derive(Clone)]
pub struct Instruments {
    /// The network.
    pub transport: Rc<dyn Transport>,
    /// Time.
    pub clock: Rc<dyn Clock>,
}

/// Examines `patient` by about six small requests; `tell` hears how it stands, at last with
/// the causes. Dropping the future aborts what is under way.
pub async fn examine(patient: Patient, instruments: Instruments, tell: &dyn Fn(&Checkup)) {
    let mut examiner = Examiner::new(patient, instruments);
    let is_guarded = examiner.facts.origin == Origin::Secure && examiner.facts.is_near;
    if is_guarded {
        examiner.checkup.may_ask = examiner.leave().await == Leave::Open;
    }
    for probe in Probe::ALL {
        examiner.checkup.now = Some(probe);
        tell(&examiner.checkup);
        let begun = examiner.instruments.clock.now_ms();
        let seen = examiner.look(probe).await;
        let took_ms = examiner.instruments.clock.now_ms() - begun;
        examiner.facts.seen[probe as usize] = seen.clone();
        examiner.checkup.seen.push(Look {
            probe,
            seen,
            took_ms,
        });
    }
    if is_guarded {
        examiner.facts.leave = examiner.leave().await;
    }
    examiner.checkup.now = None;
    examiner.checkup.causes = diagnose(&examiner.facts);
    tell(&examiner.checkup);
}

struct Examiner {
    patient: Patient,
    instruments: Instruments,
    /// The address that is asked, which may be corrected on the way.
    base_url: BaseUrl,
    /// Another address that has a list of models, where this one has none, and what came.
    other: Option<(BaseUrl, Seen, Vec<String>)>,
    facts: Facts,
    checkup: Checkup,
    /// Which of [`CAPS`] the host takes.
    cap: usize,
    /// Whether it takes the wish for a count.
    takes_options: bool,
    /// Whether it counted in any answer.
    counted: bool,
}

impl Examiner {
    fn new(patient: Patient, instruments: Instruments) -> Self {
        let endpoint = &patient.endpoint;
        let options = &endpoint.options;
        let key_header = match options.key_header.as_str() {
            _ if patient.key.is_empty() => None,
            "" => Some("Authorization".to_owned()),
            name => Some(name.to_owned()),
        };
        let own = options.headers.iter().map(|(name, _)| name.clone());
        let facts = Facts {
            origin: patient.origin,
            is_near: is_near(endpoint.base_url.host()),
            leave: Leave::Unknown,
            seen: Default::default(),
            bare: Seen::Skipped,
            plain: Seen::Skipped,
            headers: (key_header, own.collect()),
            corrected: None,
            model: endpoint.model.clone(),
            names: Vec::new(),
        };
        let checkup = Checkup {
            address: endpoint.base_url.without_values(),
            model: endpoint.model.clone(),
            ..Checkup::default()
        };
        Self {
            base_url: endpoint.base_url.clone(),
            patient,
            instruments,
            other: None,
            facts,
            checkup,
            cap: 0,
            takes_options: true,
            counted: false,
        }
    }

    async fn leave(&self) -> Leave {
        let transport = &self.instruments.transport;
        transport.leave(self.base_url.host()).await
    }

    async fn look(&mut self, probe: Probe) -> Seen {
        match probe {
            Probe::Reach => self.knock().await,
            Probe::Models => self.models().await,
            Probe::Answer => self.answer().await,
            Probe::Stream => self.stream().await,
            Probe::Tools => self.tools().await,
            Probe::Usage => match self.is_answering() {
                false => Seen::Skipped,
                true if self.counted => Seen::Counted,
                true => Seen::NotCounted,
            },
        }
    }

    async fn knock(&self) -> Seen {
        let limit = match self.checkup.may_ask {
            true => ASKING_TIME,
            false => REACH_TIME,
        };
        let request = self.request(Method::Knock, "/models", Vec::new());
        match self.exchange(request, limit).await {
            Ok(_) => Seen::Somebody,
            Err(seen) => seen,
        }
    }

    async fn models(&mut self) -> Seen {
        if *self.facts.of(Probe::Reach) == Seen::Late {
            return Seen::Skipped;
        }
        let (seen, names) = self.list(&self.base_url.clone()).await;
        self.facts.names = names;
        // The browser may have blocked the bare request alone, and nothing else.
        let is_closed = seen == Seen::Nothing && *self.facts.of(Probe::Reach) == Seen::Nothing;
        if is_list(&seen) || is_closed {
            return seen;
        }
        if seen == Seen::Nothing {
            let request = self.request(Method::Get, "/models", Vec::new());
            self.facts.bare = self.read_list(request).await.0;
        }
        for url in self.base_url.alternatives() {
            let (there, names) = self.list(&url).await;
            if is_list(&there) {
                self.other = Some((url, there, names));
                break;
            }
        }
        if self.patient.endpoint.model.is_empty() && self.take_other() {
            return self.facts.of(Probe::Models).clone();
        }
        seen
    }

    /// The list of models at `url`.
    async fn list(&self, url: &BaseUrl) -> (Seen, Vec<String>) {
        let Patient { endpoint, key, .. } = &self.patient;
        self.read_list(models::request(&endpoint.options, url, key))
            .await
    }

    async fn read_list(&self, request: HttpRequest) -> (Seen, Vec<String>) {
        let body = match self.exchange(request, LIST_TIME).await {
            Ok(body) => body,
            Err(seen) => return (seen, Vec::new()),
        };
        match models::read(&body) {
            Some(models) => {
                let names: Vec<String> = models.into_iter().map(|facts| facts.model).collect();
                (Seen::Models(names.len() as u32), names)
            }
            None => (Seen::Strange, Vec::new()),
        }
    }

    /// Goes over to the other address, if there is one.
    fn take_other(&mut self) -> bool {
        let Some((url, seen, names)) = self.other.take() else {
            return false;
        };
        self.facts.names = names;
        self.facts.seen[Probe::Models as usize] = seen.clone();
        if let Some(look) = self.checkup.seen.get_mut(Probe::Models as usize) {
            look.seen = seen;
        }
        self.correct(url);
        true
    }

    fn correct(&mut self, url: BaseUrl) {
        self.facts.corrected = Some(url.as_str().to_owned());
        self.base_url = url;
    }

    async fn answer(&mut self) -> Seen {
        let reached = self.facts.of(Probe::Reach);
        let nobody = matches!(reached, Seen::Nothing | Seen::Late)
            && !self.facts.of(Probe::Models).is_readable();
        if nobody || self.patient.endpoint.model.is_empty() {
            return Seen::Skipped;
        }
        let mut seen = self.ask(Task::Answer).await;
        if self.is_wrong_path(&seen) {
            if self.take_other() {
                seen = self.ask(Task::Answer).await;
            } else if let Some(url) = self.base_url.with_v1() {
                let given = std::mem::replace(&mut self.base_url, url.clone());
                let there = self.ask(Task::Answer).await;
                match self.is_wrong_path(&there) || there == Seen::Late {
                    true => self.base_url = given,
                    false => {
                        self.correct(url);
                        seen = there;
                    }
                }
            }
        }
        if seen == Seen::Nothing && !self.patient.endpoint.options.headers.is_empty() {
            let own = std::mem::take(&mut self.patient.endpoint.options.headers);
            self.facts.plain = self.ask(Task::Answer).await;
            self.patient.endpoint.options.headers = own;
        }
        seen
    }

    /// Whether the model may be elsewhere at the host.
    fn is_wrong_path(&self, seen: &Seen) -> bool {
        match seen {
            Seen::Nothing | Seen::WebPage | Seen::Strange => true,
            Seen::Refused(failure) => match failure.kind {
                FailureKind::NotFound => self.facts.names.is_empty(),
                // A host's words for an unknown address may name a model too.
                FailureKind::UnknownModel => self.facts.names.is_empty() && self.other.is_some(),
                _ => false,
            },
            _ => false,
        }
    }

    fn is_answering(&self) -> bool {
        *self.facts.of(Probe::Answer) == Seen::Answered
            || *self.facts.of(Probe::Stream) == Seen::Streamed
    }

    async fn stream(&mut self) -> Seen {
        let may_answer = match self.facts.of(Probe::Answer) {
            Seen::Answered => true,
            // Some models answer piece by piece only, and say so.
            Seen::Refused(failure) => failure.detail.contains("stream"),
            _ => false,
        };
        match may_answer {
            true => self.ask(Task::Stream).await,
            false => Seen::Skipped,
        }
    }

    async fn tools(&mut self) -> Seen {
        match self.is_answering() {
            true => self.ask(Task::Call).await,
            false => Seen::Skipped,
        }
    }
}

/// Whether this is where a list of models is, be it shown or not.
fn is_list(seen: &Seen) -> bool {
    match seen {
        Seen::Models(_) => true,
        Seen::Refused(failure) => !matches!(
            failure.kind,
            FailureKind::NotFound
                | FailureKind::UnknownModel
                | FailureKind::BadEndpoint
                | FailureKind::BadRequest
        ),
        _ => false,
    }
}
