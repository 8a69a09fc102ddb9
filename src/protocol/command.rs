//! What a command needs to be carried out.

use super::{Command, SpaceCommand};

impl Command {
    /// Whether the kernel can do it with what it starts with: looks, and Stop, need nothing
    /// of the code that is loaded once the page takes input.
    pub fn needs_little(&self) -> bool {
        matches!(
            self,
            Self::Ping
                | Self::OpenSession(_)
                | Self::OpenFile(_)
                | Self::ReadFile(_)
                | Self::Stop(_)
                | Self::TakeOver
        )
    }

    /// Whether a tab that may not write can carry it out.
    pub fn only_looks(&self) -> bool {
        matches!(
            self,
            Self::Ping
                | Self::TakeOver
                | Self::Spaces(SpaceCommand::Open(_))
                | Self::CheckUp { .. }
                | Self::StopCheckUp
                | Self::ListModels { .. }
                | Self::OpenSession(_)
                | Self::OpenFile(_)
                | Self::ReadFile(_)
                | Self::ReadPicture(_)
                | Self::Export(_)
                | Self::StopTransfer
                | Self::Weigh
                | Self::EditFile(_)
                | Self::ListCheckpoints
                | Self::LookBack { .. }
                | Self::ListChanges { .. }
                | Self::ShowChange { .. }
                | Self::OpenTrace(_)
                | Self::ExportTrace { .. }
                | Self::OpenPreview(_)
                | Self::Staged { .. }
        )
    }
}
