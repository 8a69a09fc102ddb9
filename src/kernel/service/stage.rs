//! Foreign code in frames of the page: what the page tells of them goes to whoever
//! listens, and a page that the user looks at gets its files.

use super::Kernel;
use crate::kernel::stage::{Answer, Line, read_line};
use crate::kernel::workspace::WorkspacePath;
use crate::protocol::{Order, Said};

impl Kernel {
    /// Shows a page of the workspace to the user.
    pub(super) fn open_preview(&self, path: String) {
        self.0.platform.stage.show(Order::Show { path });
    }

    /// Hears what is said in a frame. Where no tool listens any more, files are still
    /// given to the page that stands there: nobody but the user sees it.
    pub(super) async fn hear_stage(&self, scene: u32, said: Said) {
        let stage = &self.0.platform.stage;
        let Some(Said::Parcel(parcel)) = stage.hear(scene, said) else {
            return;
        };
        let Some(Line::Read { n, path }) = read_line(&parcel.text) else {
            return;
        };
        let content = match WorkspacePath::parse_file(&path) {
            Ok(path) => self.0.workspace.read(&path).await,
            Err(error) => Err(error.into()),
        };
        let (problem, bytes) = match content {
            Ok((bytes, _)) => (None, bytes),
            Err(error) => (Some(error.to_string()), Vec::new()),
        };
        let answer = Answer {
            n,
            problem,
            ..Answer::default()
        };
        stage.say(scene, &answer, bytes);
    }
}
