//! The network: requests by the worker's own `fetch`, bodies as raw bytes.

use futures::future::LocalBoxFuture;
use futures::stream::{self, LocalBoxStream};
use futures::{FutureExt, StreamExt};
use gloo_net::http::{Request, Response};
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, ReadableStreamDefaultReader, ReferrerPolicy, RequestCredentials};

use super::words_of;
use crate::kernel::model::{HttpRequest, HttpResponse, Transport, TransportError};

/// Sends requests by `fetch`.
pub struct FetchTransport;

impl Transport for FetchTransport {
    fn post(
        &self,
        request: HttpRequest,
    ) -> LocalBoxFuture<'static, Result<HttpResponse, TransportError>> {
        async move {
            let abort = AbortOnDrop::new()?;
            let response = send(request, &abort).await?;
            let status = response.status();
            let retry_after = response.headers().get("retry-after");
            let body = match response.body() {
                Some(body) => read(body.get_reader().unchecked_into(), abort),
                None => stream::empty().boxed_local(),
            };
            Ok(HttpResponse {
                status,
                retry_after,
                body,
            })
        }
        .boxed_local()
    }
}

async fn send(request: HttpRequest, abort: &AbortOnDrop) -> Result<Response, TransportError> {
    // No cache mode is set: nothing caches a POST, and Chromium lets `no-store` ask for
    // permission (the CORS preflight) anew before each request.
    let mut builder = Request::post(&request.url)
        .abort_signal(Some(&abort.0.signal()))
        .credentials(RequestCredentials::Omit)
        .referrer_policy(ReferrerPolicy::NoReferrer);
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    // Bytes and not text: one copy, whatever the length of the history.
    let length: usize = request.body.iter().map(|part| part.len()).sum();
    let body = Uint8Array::new_with_length(length as u32);
    let mut at = 0;
    for part in &request.body {
        let end = at + part.len() as u32;
        body.subarray(at, end).copy_from(part.as_bytes());
        at = end;
    }
    let request = builder
        .body(body)
        .map_err(|error| TransportError(error.to_string()))?;
    request
        .send()
        .await
        .map_err(|error| TransportError(error.to_string()))
}

fn read(
    reader: ReadableStreamDefaultReader,
    abort: AbortOnDrop,
) -> LocalBoxStream<'static, Result<Vec<u8>, TransportError>> {
    let state = Some((reader, abort));
    let pieces = stream::unfold(state, |state| async move {
        let (reader, abort) = state?;
        match next_piece(&reader).await {
            Ok(Some(bytes)) => Some((Ok(bytes), Some((reader, abort)))),
            Ok(None) => {
                abort.disarm();
                None
            }
            Err(error) => Some((Err(error), None)),
        }
    });
    pieces.boxed_local()
}

async fn next_piece(
    reader: &ReadableStreamDefaultReader,
) -> Result<Option<Vec<u8>>, TransportError> {
    let failed = |thrown: JsValue| TransportError(words_of(&thrown));
    let piece = JsFuture::from(reader.read()).await.map_err(failed)?;
    if Reflect::get(&piece, &"done".into())
        .map_err(failed)?
        .is_truthy()
    {
        return Ok(None);
    }
    let value = Reflect::get(&piece, &"value".into()).map_err(failed)?;
    Ok(Some(Uint8Array::new(&value).to_vec()))
}

/// Aborts the request when nobody reads it any more.
struct AbortOnDrop(AbortController);

impl AbortOnDrop {
    fn new() -> Result<Self, TransportError> {
        AbortController::new()
            .map(Self)
            .map_err(|thrown| TransportError(words_of(&thrown)))
    }

    /// The request has ended by itself.
    fn disarm(self) {
        std::mem::forget(self);
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
