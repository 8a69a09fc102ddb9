//! The way to the host: address, headers, and what is made of its status.

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::{Either, select};
use futures::stream;

use super::Wiring;
use crate::kernel::event::{Failure, FailureKind};
use crate::kernel::model::{HttpRequest, HttpResponse, Method, errors};
use crate::kernel::settings::{BaseUrl, RequestOptions};

/// Most bytes of an error's body that are read.
const MAX_ERROR_BODY: usize = 64 << 10;
/// Most bytes of white space in front of an answer.
const MAX_BLANK: usize = 64 << 10;
/// How many times longer a host may be silent that sends its answer whole.
const WHOLE_PATIENCE: u32 = 5;

/// A header that Anthropic wants of web pages.
const FROM_BROWSER: &str = "anthropic-dangerous-direct-browser-access";

impl Wiring {
    /// What `work` gives, or nothing if the host is silent for too long.
    pub(super) async fn in_time<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.within(self.patience(), work).await
    }

    pub(super) async fn within<T>(
        &self,
        limit: Duration,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        match select(pin!(work), self.clock.sleep(limit)).await {
            Either::Left((value, _)) => Some(value),
            Either::Right(_) => None,
        }
    }

    pub(super) fn patience(&self) -> Duration {
        match self.is_whole() {
            true => self.idle * WHOLE_PATIENCE,
            false => self.idle,
        }
    }

    pub(super) fn silent(&self) -> Failure {
        Failure {
            host: self.endpoint.base_url.host().to_owned(),
            ..Failure::new(FailureKind::Idle, "")
        }
    }

    /// Sends the request until an answer begins that is one of a chat endpoint.
    pub(super) async fn open(&self, body: Vec<Rc<String>>) -> Result<HttpResponse, Failure> {
        let given = &self.endpoint.base_url;
        let mut base_url = self.learned.corrected().unwrap_or_else(|| given.clone());
        let mut first = None;
        loop {
            let answer = self.post(&base_url, &body).await;
            let kind = answer.as_ref().err().map(|failure| failure.kind);
            let is_wrong_address =
                matches!(kind, Some(FailureKind::NotFound | FailureKind::BadEndpoint));
            // Who refuses a part of the request is a chat endpoint too.
            let is_right_address = matches!(
                kind,
                None | Some(
                    FailureKind::BadRequest
                        | FailureKind::UnsupportedParameter
                        | FailureKind::ToolsUnsupported
                )
            );
            if is_right_address && base_url != *given {
                self.learned.correct(base_url);
                return answer;
            }
            match base_url.with_v1() {
                Some(next) if is_wrong_address && first.is_none() => {
                    first = Some(answer);
                    base_url = next;
                }
                _ if is_right_address => return answer,
                _ => return first.unwrap_or(answer),
            }
        }
    }

    async fn post(&self, base_url: &BaseUrl, body: &[Rc<String>]) -> Result<HttpResponse, Failure> {
        let host = base_url.host();
        let request = HttpRequest {
            method: Method::Post,
            url: base_url.join("/chat/completions"),
            headers: headers(&self.endpoint.options, host, &self.key),
            body: body.to_vec(),
        };
        let Some(response) = self.in_time(self.transport.send(request)).await else {
            return Err(self.silent());
        };
        let response = response.map_err(|error| Failure {
            host: host.to_owned(),
            ..Failure::new(FailureKind::Network, error.0)
        })?;
        if errors::is_redirect(response.status) {
            return Err(errors::redirected(host));
        }
        if response.status >= 400 {
            let (status, retry_after) = (response.status, response.retry_after.clone());
            let words = self.in_time(read_some(response)).await.unwrap_or_default();
            let mut failure = errors::from_body(status, &words, host);
            if let Some(wait_ms) = retry_after.as_deref().and_then(errors::wait_of_header) {
                failure.retry_after_ms = Some(wait_ms);
            }
            return Err(failure);
        }
        match self.in_time(refuse_web_page(response, host)).await {
            Some(checked) => checked,
            None => Err(self.silent()),
        }
    }
}

/// The headers of a chat request. Few on purpose: any other can fail the browser's preflight.
pub fn headers(options: &RequestOptions, host: &str, key: &str) -> Vec<(String, String)> {
    let mut headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    match options.key_header.as_str() {
        _ if key.is_empty() => {}
        "" => headers.push(("Authorization".to_owned(), format!("Bearer {key}"))),
        name => headers.push((name.to_owned(), key.to_owned())),
    }
    // Anthropic answers web pages only when they say so.
    if host == "api.anthropic.com" {
        headers.push((FROM_BROWSER.to_owned(), "true".to_owned()));
    }
    for (name, value) in &options.headers {
        if !headers
            .iter()
            .any(|(sent, _)| sent.eq_ignore_ascii_case(name))
        {
            headers.push((name.clone(), value.clone()));
        }
    }
    headers
}

async fn read_some(mut response: HttpResponse) -> String {
    let mut body = Vec::new();
    while let Some(Ok(bytes)) = response.body.next().await {
        body.extend(bytes);
        if body.len() > MAX_ERROR_BODY {
            break;
        }
    }
    String::from_utf8_lossy(&body).into_owned()
}

/// Looks at the first bytes, and gives an answer that still begins with them.
async fn refuse_web_page(mut response: HttpResponse, host: &str) -> Result<HttpResponse, Failure> {
    let mut seen = Vec::new();
    let mut blank = 0;
    while let Some(piece) = response.body.next().await {
        let is_blank = |bytes: &Vec<u8>| bytes.iter().all(u8::is_ascii_whitespace);
        let decided = !piece.as_ref().is_ok_and(is_blank);
        blank += piece.as_ref().map_or(0, Vec::len);
        if !decided && blank > MAX_BLANK {
            return Err(errors::not_chat(host, String::new()));
        }
        seen.push(piece);
        if decided {
            break;
        }
    }
    let start = seen
        .iter()
        .flatten()
        .flatten()
        .find(|byte| !byte.is_ascii_whitespace());
    if start == Some(&b'<') {
        return Err(errors::web_page(host));
    }
    let body = stream::iter(seen).chain(response.body).boxed_local();
    Ok(HttpResponse { body, ..response })
}
