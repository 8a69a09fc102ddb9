//! Images that a call looked at, small, in the conversation. Their bytes come from the
//! workspace when they are drawn first.

use std::rc::Rc;

use super::controller::Controller;
use super::dom::BlobUrl;
use super::element::{El, button, div, el, span};
use super::signal::RwSignal;
use super::tool_card::Call;
use crate::kernel::session::Picture;
use crate::kernel::workspace::Version;
use crate::protocol::Command;

/// Most images whose bytes stay in memory. One that is drawn already stays drawn.
const MOST: usize = 48;

/// The images that were asked for, the oldest first.
#[derive(Debug, Clone, Copy)]
pub struct PicturesModel(RwSignal<Vec<(Version, Stage)>>);

/// How far one has come.
#[derive(Clone)]
enum Stage {
    Coming,
    Here(Rc<BlobUrl>),
    Gone,
}

impl PicturesModel {
    /// None yet.
    pub fn new() -> Self {
        Self(RwSignal::new(Vec::new()))
    }

    fn stage(self, version: &Version) -> Option<Stage> {
        self.0.with(|all| find(all, version))
    }
}

fn find(all: &[(Version, Stage)], version: &Version) -> Option<Stage> {
    let found = all.iter().find(|(of, _)| of == version);
    found.map(|(_, stage)| stage.clone())
}

impl Controller {
    /// Takes in the bytes of an image.
    #[inline(never)]
    pub fn picture_read(self, picture: &Picture, bytes: Option<&[u8]>) {
        let url = bytes.and_then(|bytes| BlobUrl::new(bytes, &picture.media_type));
        let now = url.map_or(Stage::Gone, |url| Stage::Here(Rc::new(url)));
        self.pictures.0.update(|all| {
            if let Some((_, stage)) = all.iter_mut().find(|(of, _)| *of == picture.version) {
                *stage = now;
            }
        });
    }

    fn want_picture(self, picture: &Picture) {
        let all = self.pictures.0;
        if all
            .with_untracked(|all| find(all, &picture.version))
            .is_some()
        {
            return;
        }
        all.update(|all| {
            if all.len() >= MOST {
                all.remove(0);
            }
            all.push((picture.version.clone(), Stage::Coming));
        });
        self.command(Command::ReadPicture(picture.clone()));
    }
}

/// The images of a call, each the way to its file.
#[inline(never)]
pub fn pictures_below(ui: Controller, call: &Call) -> El {
    let pictures = call.with_untracked(|call| call.pictures.clone());
    div("call__pictures").children(pictures.into_iter().map(|picture| small(ui, picture)))
}

fn small(ui: Controller, picture: Picture) -> El {
    ui.want_picture(&picture);
    let [of_src, of_gone] = [picture.version.clone(), picture.version.clone()];
    let is_gone = move || matches!(ui.pictures.stage(&of_gone), Some(Stage::Gone));
    let image = el("img")
        .class("call__picture")
        .test_id("tool-picture")
        .attr("alt", &picture.path)
        .attr("width", &picture.width.to_string())
        .attr("height", &picture.height.to_string());
    let shown = image.clone();
    super::element::follow(Box::new(move || {
        if let Some(Stage::Here(url)) = ui.pictures.stage(&of_src) {
            // Refused for no address that there is.
            let _ = shown.node().set_attribute("src", url.as_str());
        }
    }));
    let path = picture.path;
    let open = button("call__look")
        .attr("title", &path)
        .child(image)
        .press(move || ui.open_file(path.clone()));
    let gone = is_gone.clone();
    span("call__shown")
        .child(open.flag("hidden", is_gone))
        .when(gone, move || {
            span("call__none").say(ui, |words| words.picture_gone())
        })
}
