//! The network: requests by the worker's own `fetch`, bodies as raw bytes.

use std::rc::Rc;

use futures::future::LocalBoxFuture;
use futures::stream::{self, LocalBoxStream};
use futures::{FutureExt, StreamExt};
use gloo_net::http::{Request, Response};
use js_sys::{Function, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, ReadableStreamDefaultReader, ReferrerPolicy, RequestCache, RequestCredentials,
    RequestInit, RequestMode, RequestRedirect, ResponseType, WorkerGlobalScope,
};

use super::words_of;
use crate::kernel::model::{HttpRequest, HttpResponse, Leave, Method, Transport, TransportError};
use crate::kernel::settings::is_loopback;

/// Stands for all statuses that send on to another address: browsers do not tell which.
const REDIRECTED: u16 = 307;

/// Sends requests by `fetch`. Where a host sends on to, nobody follows: browsers take a key
/// along that is in a header of its own, and the conversation too.
pub struct FetchTransport;

impl Transport for FetchTransport {
    fn send(
        &self,
        request: HttpRequest,
    ) -> LocalBoxFuture<'static, Result<HttpResponse, TransportError>> {
        async move {
            let abort = AbortOnDrop::new()?;
            let response = send(request, &abort).await.map_err(failed)?;
            let status = match response.type_() {
                ResponseType::Opaqueredirect => REDIRECTED,
                _ => response.status(),
            };
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

    fn leave(&self, host: &str) -> LocalBoxFuture<'static, Leave> {
        // Newer browsers tell this machine from its network, older ones have one name for both.
        let name = match is_loopback(host) {
            true => "loopback-network",
            false => "local-network",
        };
        async move {
            match leave(name).await {
                Ok(leave) => leave,
                Err(_) => leave("local-network-access").await.unwrap_or_default(),
            }
        }
        .boxed_local()
    }
}

/// Asks the browser for the state of a permission of Local Network Access
/// (<https://wicg.github.io/local-network-access/>); one that has none throws.
async fn leave(name: &str) -> Result<Leave, JsValue> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into())?;
    let permissions = Reflect::get(&navigator, &"permissions".into())?;
    let query: Function = Reflect::get(&permissions, &"query".into())?.dyn_into()?;
    let which = Object::new();
    Reflect::set(&which, &"name".into(), &name.into())?;
    let asked: Promise = query.call1(&permissions, &which)?.dyn_into()?;
    let status = JsFuture::from(asked).await?;
    let state = Reflect::get(&status, &"state".into())?.as_string();
    Ok(match state.as_deref() {
        Some("granted") => Leave::Given,
        Some("prompt") => Leave::Open,
        Some("denied") => Leave::Denied,
        _ => Leave::Unknown,
    })
}

pub(super) fn failed(thrown: JsValue) -> TransportError {
    TransportError(words_of(&thrown))
}

/// The names and values of a query. The builder is given them one by one: an address with
/// a query of its own gets an `&` from it.
fn query(text: &str) -> Vec<(String, String)> {
    let plain = |text: &str| match js_sys::decode_uri_component(text) {
        Ok(plain) => plain.into(),
        Err(_) => text.to_owned(),
    };
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs
        .map(|(name, value)| (plain(name), plain(value)))
        .collect()
}

async fn send(request: HttpRequest, abort: &AbortOnDrop) -> Result<Response, JsValue> {
    let (address, pairs) = request.url.split_once('?').unwrap_or((&request.url, ""));
    let pairs = query(pairs);
    let builder = match request.method {
        // No cache mode is set: nothing caches a POST, and Chromium lets `no-store` ask for
        // permission (the CORS preflight) anew before each request.
        Method::Post => Request::post(address).redirect(RequestRedirect::Manual),
        Method::Get => Request::get(address)
            .cache(RequestCache::NoStore)
            .redirect(RequestRedirect::Manual),
        Method::Knock => Request::get(address)
            .cache(RequestCache::NoStore)
            .mode(RequestMode::NoCors),
    };
    let mut builder = builder
        .query(pairs.iter().map(|(name, value)| (name.as_str(), value)))
        .abort_signal(Some(&abort.0.signal()))
        .credentials(RequestCredentials::Omit)
        .referrer_policy(ReferrerPolicy::NoReferrer);
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let built = match request.method {
        Method::Post => builder.body(joined(&request.body)),
        Method::Get | Method::Knock => builder.build(),
    };
    let built = built.map_err(|error| JsValue::from(error.to_string()))?;
    let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
    let sent = scope.fetch_with_request(&with_space(built.into(), &request.url)?);
    let response: web_sys::Response = JsFuture::from(sent).await?.dyn_into()?;
    Ok(response.into())
}

/// Says beforehand that this machine is meant, so that a browser that asks the user for leave
/// does so. Others ignore the word, or refuse it where they had another one for it.
pub(super) fn with_space(
    request: web_sys::Request,
    url: &str,
) -> Result<web_sys::Request, JsValue> {
    let host = url.split('/').nth(2).unwrap_or_default();
    if !is_loopback(host) {
        return Ok(request);
    }
    let init = RequestInit::new();
    // A request that is made of another begins with the browser's own policy.
    init.set_referrer_policy(ReferrerPolicy::NoReferrer);
    Reflect::set(&init, &"targetAddressSpace".into(), &"loopback".into())?;
    Ok(web_sys::Request::new_with_request_and_init(&request, &init).unwrap_or(request))
}

/// Bytes and not text: one copy, whatever the length of the history.
fn joined(parts: &[Rc<String>]) -> Uint8Array {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let body = Uint8Array::new_with_length(length as u32);
    let mut at = 0;
    for part in parts {
        let end = at + part.len() as u32;
        body.subarray(at, end).copy_from(part.as_bytes());
        at = end;
    }
    body
}

pub(super) fn read(
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
pub(super) struct AbortOnDrop(pub(super) AbortController);

impl AbortOnDrop {
    pub(super) fn new() -> Result<Self, TransportError> {
        AbortController::new().map(Self).map_err(failed)
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
