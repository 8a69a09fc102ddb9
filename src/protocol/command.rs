//! What a command needs to be carried out.

use super::{Command, SessionCommand, SpaceCommand};
use crate::kernel::session::SessionId;

/// What a command is about, which tells in which workspace it is carried out.
pub enum About<'a> {
    /// All workspaces alike, or the kernel itself.
    All,
    /// This session: its own workspace, whichever is shown.
    Session(&'a SessionId),
    /// The files that the page showed when the user acted.
    Shown,
}

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

    /// What it is about.
    pub fn about(&self) -> About<'_> {
        match self {
            Self::Send {
                session: Some(id), ..
            }
            | Self::Steer { session: id, .. }
            | Self::Undo { session: id, .. }
            | Self::LookBack { session: id, .. }
            | Self::Continue(id)
            | Self::Stop(id)
            | Self::Redo(id)
            | Self::Sessions(
                SessionCommand::Fork { session: id, .. }
                | SessionCommand::Switch { session: id, .. }
                | SessionCommand::Copy { session: id, .. },
            ) => About::Session(id),
            Self::Send { session: None, .. }
            | Self::UseDemo
            | Self::OpenFile(_)
            | Self::ReadFile(_)
            | Self::ReadPicture(_)
            | Self::Import(_)
            | Self::BringIn(_)
            | Self::BringInRepository(_)
            | Self::Export(_)
            | Self::Link(_)
            | Self::ChangeTree(_)
            | Self::EditFile(_)
            | Self::SaveFile { .. }
            | Self::ListCheckpoints
            | Self::Restore(_)
            | Self::ListChanges { .. }
            | Self::ShowChange { .. }
            | Self::Revert { .. }
            | Self::GoForward(_)
            | Self::OpenPreview(_)
            | Self::Sessions(SessionCommand::TakeIn(_)) => About::Shown,
            Self::Ping
            | Self::TakeOver
            | Self::Spaces(_)
            | Self::Sessions(_)
            | Self::SaveProfile { .. }
            | Self::RemoveProfile(_)
            | Self::Vault(_)
            | Self::ForgetLessons(_)
            | Self::ListModels { .. }
            | Self::Choose { .. }
            | Self::CheckUp { .. }
            | Self::StopCheckUp
            | Self::SaveLimits { .. }
            | Self::SaveApproval { .. }
            | Self::SavePrompts(_)
            | Self::OpenSession(_)
            | Self::Unsteer(_)
            | Self::Answer { .. }
            | Self::OpenTrace(_)
            | Self::ExportTrace { .. }
            | Self::ClearTrace(_)
            | Self::StopTransfer
            | Self::Weigh
            | Self::Free(_)
            | Self::Staged { .. } => About::All,
        }
    }

    /// Whether a tab that may not write can carry it out.
    pub fn only_looks(&self) -> bool {
        matches!(
            self,
            Self::Ping
                | Self::TakeOver
                | Self::Spaces(SpaceCommand::Open(_))
                | Self::Sessions(
                    SessionCommand::Search { .. }
                        | SessionCommand::HandOut(_)
                        | SessionCommand::ReadOut(_)
                )
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
