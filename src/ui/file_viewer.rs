//! Shows the file that is open: text with line numbers, images, or why not.

use leptos::prelude::*;

use super::erase::{Show, live, part};

use super::controller::use_controller;
use super::dom::BlobUrl;
use super::icon::{Icon, IconView};
use super::middle_cut::MiddleCut;
use super::preferences::use_words;
use super::state::file_tree::Files;
use super::words::units;
use crate::protocol::{Command, FileView};

/// Lines that are drawn at first, and with each press on "more".
const LINES_AT_ONCE: usize = 2_000;

/// The open file, which follows its changes.
#[component]
pub fn FileViewer() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let opened = ui.files.opened;
    let path = Memo::new(move |_| {
        opened.with(|open| {
            open.as_ref()
                .map(|open| open.path.clone())
                .unwrap_or_default()
        })
    });
    let size = move || {
        let of = |files: &Files| files.get(&path.get()).copied().flatten();
        ui.files.all.with(of).map(units::bytes)
    };
    let view =
        Memo::new(move |_| opened.with(|open| open.as_ref().and_then(|open| open.view.clone())));
    view! {
        <section class="viewer" data-testid="file-viewer" aria-label=live(move || path.get())>
            <header class="viewer__head">
                <h3 class="viewer__name"><MiddleCut text=path /></h3>
                <span class="viewer__size">{size}</span>
                <button
                    type="button"
                    class="button button--icon"
                    title=t().download
                    on:click=move |_| ui.command(Command::ReadFile(path.get_untracked()))
                >
                    <IconView icon=Icon::Download />
                    <span class="visually-hidden">{t().download}</span>
                </button>
                <button
                    type="button"
                    class="button button--icon"
                    data-testid="file-close"
                    title=t().file_close
                    on:click=move |_| ui.files.close()
                >
                    <IconView icon=Icon::Close />
                    <span class="visually-hidden">{t().file_close}</span>
                </button>
            </header>
            <div class="viewer__body" tabindex="0">
                {part(move || (match view.get() {
                    None => view! { <p class="viewer__note">{t().opening}</p> }.into_any(),
                    Some(FileView::Text { text, cut, .. }) => {
                        let cut = cut.then_some(text.len());
                        view! { <Text text cut /> }.into_any()
                    }
                    Some(FileView::Image { mime, bytes }) => view! { <Image mime bytes path /> }.into_any(),
                    Some(FileView::Binary { .. }) => view! { <p class="viewer__note">{t().binary_file}</p> }.into_any(),
                    Some(FileView::Missing) => view! { <p class="viewer__note">{t().missing_file}</p> }.into_any(),
                }).into_any())}
            </div>
        </section>
    }
}

/// A text; `cut` is how many bytes of it are shown if there are more.
#[component]
fn Text(text: String, cut: Option<usize>) -> impl IntoView {
    let t = use_words();
    let lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let count = lines.len();
    let digits = count.to_string().len();
    let lines = StoredValue::new(lines);
    let limit = RwSignal::new(LINES_AT_ONCE);
    let hidden = move || count.saturating_sub(limit.get());
    let line =
        move |at: usize| lines.with_value(|lines| lines.get(at).cloned().unwrap_or_default());
    view! {
        <pre class="viewer__text" style=("--digits", digits.to_string())>
            {part(move || {
                let lines = (0..count.min(limit.get())).map(line);
                lines.map(|line| view! { <span class="viewer__line">{line}</span> }).collect_view().into_any()
            })}
        </pre>
        <Show when=live(move || { hidden() > 0 })>
            <button
                type="button"
                class="button button--quiet viewer__more"
                on:click=move |_| limit.update(|limit| *limit += LINES_AT_ONCE)
            >
                {live(move || t().more_lines(hidden()))}
            </button>
        </Show>
        {cut.map(|shown| view! { <p class="viewer__note">{live(move || t().cut(shown))}</p> })}
    }
}

/// An image out of memory; its address ends with the view.
#[component]
fn Image(mime: String, bytes: Vec<u8>, path: Memo<String>) -> impl IntoView {
    let t = use_words();
    let url = BlobUrl::new(&bytes, &mime);
    let source = url.as_ref().map(|url| url.as_str().to_owned());
    let url = StoredValue::new_local(url);
    on_cleanup(move || drop(url.try_update_value(Option::take)));
    match source {
        Some(source) => {
            view! { <img class="viewer__image" src=source alt=live(move || path.get()) /> }
                .into_any()
        }
        None => view! { <p class="viewer__note">{t().binary_file}</p> }.into_any(),
    }
}
