//! Makes images smaller, on a canvas that nobody sees.

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use js_sys::{Array, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag};

use crate::kernel::shrink::{MAX_BYTES, MAX_SIDE, Shrunk};

#[wasm_bindgen]
extern "C" {
    /// Dots in memory.
    type ImageBitmap;

    #[wasm_bindgen(method, getter)]
    fn width(this: &ImageBitmap) -> u32;
    #[wasm_bindgen(method, getter)]
    fn height(this: &ImageBitmap) -> u32;
    #[wasm_bindgen(method)]
    fn close(this: &ImageBitmap);

    #[wasm_bindgen(catch, js_name = createImageBitmap)]
    fn create_image_bitmap(source: &JsValue, options: &Object) -> Result<Promise, JsValue>;

    type OffscreenCanvas;

    #[wasm_bindgen(catch, constructor)]
    fn new(width: u32, height: u32) -> Result<OffscreenCanvas, JsValue>;
    #[wasm_bindgen(catch, method, js_name = getContext)]
    fn get_context(this: &OffscreenCanvas, kind: &str) -> Result<Pen, JsValue>;
    #[wasm_bindgen(catch, method, js_name = convertToBlob)]
    fn convert_to_blob(this: &OffscreenCanvas, options: &Object) -> Result<Promise, JsValue>;

    /// What draws on it.
    type Pen;

    #[wasm_bindgen(method, setter, js_name = fillStyle)]
    fn set_fill_style(this: &Pen, colour: &str);
    #[wasm_bindgen(method, js_name = fillRect)]
    fn fill_rect(this: &Pen, x: u32, y: u32, width: u32, height: u32);
    #[wasm_bindgen(catch, method, js_name = drawImage)]
    fn draw_image(this: &Pen, image: &ImageBitmap, x: u32, y: u32) -> Result<(), JsValue>;
}

/// See [`crate::kernel::shrink::Shrink`].
pub fn shrink(content: Vec<u8>, media_type: &str) -> LocalBoxFuture<'static, Option<Shrunk>> {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    // What was no photo before keeps its edges, if that is small enough.
    let first = match media_type {
        "image/jpeg" => "image/jpeg",
        _ => "image/png",
    };
    async move {
        let image = small(&content, &options).await.ok()?;
        for media_type in [first, "image/jpeg"] {
            let content = encoded(&image, media_type).await.ok()?;
            if content.len() as u64 <= MAX_BYTES {
                return Some(Shrunk {
                    media_type,
                    content,
                });
            }
        }
        None
    }
    .boxed_local()
}

/// The image, no longer on either side than is sent.
async fn small(content: &[u8], options: &BlobPropertyBag) -> Result<ImageBitmap, JsValue> {
    let parts = Array::of1(&Uint8Array::from(content));
    let blob = Blob::new_with_u8_array_sequence_and_options(&parts, options)?;
    let whole = JsFuture::from(create_image_bitmap(&blob, &Object::new())?).await?;
    let whole: ImageBitmap = whole.unchecked_into();
    let longest = whole.width().max(whole.height());
    if longest <= MAX_SIDE {
        return Ok(whole);
    }
    let scaled = |side: u32| {
        let side = u64::from(side) * u64::from(MAX_SIDE) / u64::from(longest);
        JsValue::from(side.max(1) as u32)
    };
    let options = with(&[
        ("resizeWidth", scaled(whole.width())),
        ("resizeHeight", scaled(whole.height())),
        ("resizeQuality", "high".into()),
    ])?;
    let small = JsFuture::from(create_image_bitmap(&whole, &options)?).await;
    whole.close();
    Ok(small?.unchecked_into())
}

async fn encoded(image: &ImageBitmap, media_type: &str) -> Result<Vec<u8>, JsValue> {
    let (width, height) = (image.width(), image.height());
    let canvas = OffscreenCanvas::new(width, height)?;
    let pen = canvas.get_context("2d")?;
    if media_type == "image/jpeg" {
        // It knows nothing that can be seen through.
        pen.set_fill_style("#fff");
        pen.fill_rect(0, 0, width, height);
    }
    pen.draw_image(image, 0, 0)?;
    let blob = canvas.convert_to_blob(&with(&[("type", media_type.into())])?)?;
    let blob: Blob = JsFuture::from(blob).await?.unchecked_into();
    let bytes = JsFuture::from(blob.array_buffer()).await?;
    Ok(Uint8Array::new(&bytes).to_vec())
}

/// An object of options.
fn with(options: &[(&str, JsValue)]) -> Result<Object, JsValue> {
    let object = Object::new();
    for (name, value) in options {
        Reflect::set(&object, &(*name).into(), value)?;
    }
    Ok(object)
}
