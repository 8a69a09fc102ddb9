//! Unpacking: an archive becomes a folder of its name, unless it holds a single one.

use std::rc::Rc;

use super::intake::{Intake, Under};
use super::{Halt, Kernel, Meter, why};
use crate::kernel::archive::{Crc, Entry, Flaw, Kind, Member, Source, Tar, Window, content, index};
use crate::kernel::workspace::MAX_FILE;
use crate::protocol::Why;

/// A kind of archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A zip.
    Zip,
    /// A tar, in a gzip or not.
    Tar,
}

/// Endings of archives, the longer ones first.
const ENDINGS: [(&str, Form); 4] = [
    (".tar.gz", Form::Tar),
    (".tgz", Form::Tar),
    (".tar", Form::Tar),
    (".zip", Form::Zip),
];

/// What a file is unpacked as, by its name. What lies in a folder is not unpacked.
pub(super) fn form(path: &str) -> Option<Form> {
    let name = path.to_ascii_lowercase();
    let of = |(ending, form): (&str, Form)| name.ends_with(ending).then_some(form);
    match path.contains('/') {
        true => None,
        false => ENDINGS.into_iter().find_map(of),
    }
}

fn stem(name: &str) -> &str {
    let lower = name.to_ascii_lowercase();
    let ending = ENDINGS.iter().find(|(ending, _)| lower.ends_with(ending));
    let length = ending.map_or(0, |(ending, _)| ending.len());
    match &name[..name.len() - length] {
        "" => name,
        stem => stem,
    }
}

/// Whether an entry only serves the system that the archive was made on.
fn is_system(name: &str) -> bool {
    let is_sign = |part| matches!(part, "__MACOSX" | ".DS_Store");
    name.split('/').any(is_sign)
}

impl Kernel {
    pub(super) async fn unzip(
        &self,
        name: &str,
        source: Rc<dyn Source>,
        meter: &Meter,
    ) -> Result<Intake<'_>, Halt> {
        let mut window = Window::new(source);
        let entries = index(&mut window).await?;
        meter.set_all(entries.iter().map(|entry| entry.size).sum());
        let under = Under::Folder(stem(name).to_owned());
        let mut intake = Intake::new(&self.0.workspace, under, self.0.platform.compose);
        let crc = Crc::default();
        let mut done = 0;
        for entry in &entries {
            done += entry.size;
            if is_system(&entry.name) {
                intake.leave_out(&entry.name, Why::System);
                continue;
            }
            match entry.kind {
                Kind::Folder => intake.folder(&entry.name),
                Kind::Link => intake.leave_out(&entry.name, Why::Link),
                Kind::Special => intake.leave_out(&entry.name, Why::Special),
                Kind::File => {
                    self.unzip_one(entry, &mut window, &crc, &mut intake)
                        .await?
                }
            }
            meter.count();
            meter.at(done).await?;
        }
        Ok(intake)
    }

    async fn unzip_one(
        &self,
        entry: &Entry,
        window: &mut Window,
        crc: &Crc,
        intake: &mut Intake<'_>,
    ) -> Result<(), Halt> {
        let Some(path) = intake.place(&entry.name, entry.size) else {
            return Ok(());
        };
        match content(window, entry, crc).await {
            Ok(content) => {
                let modified_ms = self.time(entry.modified_ms);
                intake.put(&entry.name, path, content, modified_ms).await?;
            }
            Err(Flaw::Unreadable) => return Err(Flaw::Unreadable.into()),
            Err(flaw) => intake.leave_out(&entry.name, why(flaw)),
        }
        Ok(())
    }

    pub(super) async fn untar(
        &self,
        name: &str,
        source: Rc<dyn Source>,
        meter: &Meter,
    ) -> Result<Intake<'_>, Halt> {
        let mut tar = Tar::new(source).await?;
        let under = Under::Folder(stem(name).to_owned());
        let mut intake = Intake::new(&self.0.workspace, under, self.0.platform.compose);
        while let Some(member) = tar.next().await? {
            if is_system(&member.name) {
                intake.leave_out(&member.name, Why::System);
            } else {
                self.untar_one(&member, &mut tar, &mut intake).await?;
            }
            meter.count();
            meter.at(tar.at()).await?;
        }
        Ok(intake)
    }

    async fn untar_one(
        &self,
        member: &Member,
        tar: &mut Tar,
        intake: &mut Intake<'_>,
    ) -> Result<(), Halt> {
        let name = &member.name;
        match member.kind {
            Kind::Folder => intake.folder(name),
            Kind::Link => intake.leave_out(name, Why::Link),
            Kind::Special => intake.leave_out(name, Why::Special),
            Kind::File if member.is_unsupported => intake.leave_out(name, Why::Unsupported),
            Kind::File => {
                let Some(path) = intake.place(name, member.size) else {
                    return Ok(());
                };
                if let Some(earlier) = &member.same_as {
                    // Another name of a file becomes a copy of it; of anything else it is a link.
                    if !intake.link(name, path, earlier) {
                        intake.leave_out(name, Why::Link);
                    }
                    return Ok(());
                }
                debug_assert!(member.size <= MAX_FILE as u64, "told by the intake");
                let content = tar.content().await?;
                let modified_ms = self.time(member.modified_ms);
                intake.put(name, path, content, modified_ms).await?;
            }
        }
        Ok(())
    }

    /// A time as an archive tells it; now, where it tells none or one to come.
    fn time(&self, told_ms: u64) -> u64 {
        let now = self.0.platform.clock.now_ms();
        match told_ms {
            0 => now,
            told_ms => told_ms.min(now),
        }
    }
}
