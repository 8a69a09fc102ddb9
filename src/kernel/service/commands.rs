//! What is done at each command, and what the kernel does behind its start. In a file of its own, since nobody needs it before they
//! act: see scripts/later.txt.

use futures::future::LocalBoxFuture;

use super::Kernel;
use crate::kernel::session::{Entry, Picture, Session};
use crate::protocol::{Command, Event};

/// Carries out a command that the user may give.
#[inline(never)]
pub(super) fn carry_out(kernel: Kernel, command: Command) -> LocalBoxFuture<'static, ()> {
    Box::pin(async move {
        match command {
            Command::UseDemo => kernel.use_demo().await,
            Command::SaveProfile { id, draft } => kernel.save_profile(id, draft).await,
            Command::RemoveProfile(id) => kernel.remove_profile(&id).await,
            Command::Vault(command) => kernel.vault_command(command).await,
            Command::CheckUp { id, draft, origin } => kernel.check_up(id, draft, &origin).await,
            Command::StopCheckUp => kernel.stop_check_up(),
            Command::ForgetLessons(id) => kernel.forget_lessons(&id).await,
            Command::ListModels { id, draft } => kernel.list_models(id, draft).await,
            Command::Choose { session, choice } => kernel.choose(session, choice).await,
            Command::SaveLimits { limits, choice } => kernel.save_limits(limits, choice).await,
            Command::SaveApproval { mode, rules } => kernel.save_approval(mode, rules).await,
            Command::SavePrompts(prompts) => {
                kernel
                    .change_settings(|settings| settings.prompts = prompts)
                    .await
            }
            Command::Send {
                session,
                text,
                mode,
                rounds,
            } => {
                kernel
                    .send(session, Entry::User { text, mode, rounds })
                    .await
            }
            Command::Steer { session, text } => kernel.steer(session, text).await,
            Command::Unsteer(session) => kernel.unsteer(session).await,
            Command::Answer {
                session,
                call_id,
                reply,
            } => kernel.answer(&session, &call_id, reply),
            Command::OpenTrace(session) => kernel.open_trace(session).await,
            Command::ExportTrace { session, format } => kernel.export_trace(session, format).await,
            Command::ClearTrace(session) => kernel.clear_trace(session).await,
            Command::Continue(id) => kernel.go_on(id).await,
            Command::Stop(id) => kernel.stop(&id).await,
            Command::ReadPicture(picture) => kernel.read_picture(picture).await,
            Command::Import(files) => kernel.import(files).await,
            Command::BringIn(files) => kernel.bring_in(files).await,
            Command::BringInRepository(address) => kernel.bring_in_repository(&address).await,
            Command::Export(folder) => kernel.export(folder).await,
            Command::StopTransfer => kernel.stop_transfer(),
            Command::Link(command) => kernel.link_command(command).await,
            Command::Weigh => kernel.weigh(None).await,
            Command::Free(what) => kernel.free(what).await,
            Command::ChangeTree(change) => kernel.change_tree(change).await,
            Command::EditFile(path) => kernel.edit_file(path).await,
            Command::SaveFile {
                path,
                content,
                base,
            } => kernel.save_file(path, content, base).await,
            Command::ListCheckpoints => kernel.list_checkpoints().await,
            Command::Undo {
                session,
                seq,
                extent,
            } => kernel.undo(session, seq, extent).await,
            Command::Redo(session) => kernel.redo(session).await,
            Command::Restore(generation) => kernel.restore(generation).await,
            Command::LookBack { session, seq } => kernel.look_back(session, seq).await,
            Command::ListChanges { since, from } => kernel.list_changes(since, from).await,
            Command::ShowChange { since, path } => kernel.show_change(since, path).await,
            Command::Revert {
                since,
                shown,
                meant,
            } => kernel.revert(since, shown, meant).await,
            Command::GoForward(generation) => kernel.go_forward(generation).await,
            Command::OpenPreview(path) => kernel.open_preview(path),
            Command::Staged { scene, said } => kernel.hear_stage(scene, said).await,
            Command::Spaces(command) => kernel.space_command(command).await,
            Command::Sessions(command) => kernel.session_command(command).await,
            // Those that need little are carried out where they come in.
            Command::Ping
            | Command::OpenSession(_)
            | Command::OpenFile(_)
            | Command::ReadFile(_) => {}
            // Who may write is the affair of whoever runs the kernel.
            Command::TakeOver => {}
        }
    })
}

/// Carries out a command in a workspace that is not shown.
#[inline(never)]
pub(super) fn carry_out_in(
    kernel: Kernel,
    space: String,
    command: Command,
) -> LocalBoxFuture<'static, ()> {
    Box::pin(async move {
        match kernel.view(&space).await {
            Ok(view) => view.carry_out(command).await,
            Err(error) => kernel.not_saved(error),
        }
    })
}

impl Kernel {
    /// Hands out an image that a call looked at, as it was then.
    async fn read_picture(&self, picture: Picture) {
        let content = self.0.workspace.content(&picture.version, picture.size);
        let bytes = content.await.ok().flatten();
        self.tell(Event::PictureRead { picture, bytes });
    }
}

/// See [`Kernel::tidy`].
#[inline(never)]
pub(super) fn tidy(kernel: &Kernel) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        if !kernel.may_write() {
            return;
        }
        let is_cut_off = |session: &Session| session.interrupted;
        let was_killed = kernel.0.sessions.borrow().values().any(is_cut_off);
        if was_killed {
            kernel.store().renew().await;
        }
        kernel.remove_deleted().await;
        kernel.take_up().await;
    })
}
