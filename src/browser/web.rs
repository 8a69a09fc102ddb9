//! The web for `fetch_url`: requests without cookies, referrer or cache, each by the worker's
//! own `fetch`, which holds to the page's content policy.

use futures::future::LocalBoxFuture;
use futures::{FutureExt, StreamExt, stream};
use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Headers, ReferrerPolicy, Request, RequestCache, RequestCredentials, RequestInit, RequestMode,
    RequestRedirect, Response, ResponseType, TextDecoder, WorkerGlobalScope,
};

use super::fetch::{AbortOnDrop, read, with_space};
use super::words_of;
use crate::kernel::tool::fetch_url::{Web, WebRequest, WebResponse};

/// The web as this browser lets a page see it.
pub struct BrowserWeb;

impl Web for BrowserWeb {
    fn fetch(&self, request: WebRequest) -> LocalBoxFuture<'static, Result<WebResponse, String>> {
        asked(request)
            .map(|answer| answer.map_err(|thrown| words_of(&thrown)))
            .boxed_local()
    }

    fn answers(&self, url: String) -> LocalBoxFuture<'static, bool> {
        async move {
            let Ok(abort) = AbortOnDrop::new() else {
                return false;
            };
            let init = init("GET", &abort);
            init.set_mode(RequestMode::NoCors);
            send(&url, &init).await.is_ok()
        }
        .boxed_local()
    }

    fn is_offline(&self) -> bool {
        !scope().navigator().on_line()
    }

    fn decode(&self, encoding: &str, bytes: &[u8]) -> Option<String> {
        let decoder = TextDecoder::new_with_label(encoding).ok()?;
        decoder.decode_with_u8_array(bytes).ok()
    }
}

async fn asked(request: WebRequest) -> Result<WebResponse, JsValue> {
    let abort = AbortOnDrop::new().map_err(|error| JsValue::from(error.0))?;
    let init = init(request.method, &abort);
    init.set_redirect(match request.follows {
        true => RequestRedirect::Follow,
        false => RequestRedirect::Manual,
    });
    let headers = Headers::new()?;
    for (name, value) in &request.headers {
        headers.append(name, value)?;
    }
    init.set_headers(&headers);
    if let Some(body) = &request.body {
        init.set_body(&Uint8Array::from(body.as_bytes()));
    }
    let response = send(&request.url, &init).await?;
    let status = match response.type_() {
        ResponseType::Opaqueredirect => 0,
        _ => response.status(),
    };
    let body = match response.body() {
        Some(body) => read(body.get_reader().unchecked_into(), abort)
            .map(|piece| piece.map_err(|error| error.0))
            .boxed_local(),
        None => stream::empty().boxed_local(),
    };
    let content_type = response.headers().get("content-type")?;
    Ok(WebResponse {
        status,
        url: response.url(),
        content_type: content_type.unwrap_or_default(),
        body,
    })
}

fn scope() -> WorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// What holds for every request.
fn init(method: &str, abort: &AbortOnDrop) -> RequestInit {
    let init = RequestInit::new();
    init.set_method(method);
    init.set_credentials(RequestCredentials::Omit);
    init.set_referrer_policy(ReferrerPolicy::NoReferrer);
    init.set_cache(RequestCache::NoStore);
    init.set_signal(Some(&abort.0.signal()));
    init
}

async fn send(url: &str, init: &RequestInit) -> Result<Response, JsValue> {
    let request = Request::new_with_str_and_init(url, init)?;
    let sent = scope().fetch_with_request(&with_space(request, url)?);
    JsFuture::from(sent).await?.dyn_into()
}
