//! What the user handed over: files as they are, and archives to be unpacked.

use std::rc::Rc;

use futures::future::join_all;

use super::archives::{Form, form};
use super::intake::{Intake, Under};
use super::{Halt, Kernel, Meter};
use crate::kernel::archive::Source;
use crate::kernel::cancel::CancelToken;
use crate::kernel::workspace::MAX_FILE;
use crate::protocol::{LeftOut, Report, Why};

/// How many files are read at once, and of how many bytes together.
const AT_ONCE: usize = 64;
const BYTES_AT_ONCE: u64 = 8 << 20;

/// A path as it was handed over, and the file; none for a folder.
pub(super) type Given = (String, Option<Rc<dyn Source>>);

impl Kernel {
    /// Takes in files and folders as they are, then one archive after the other. What lies
    /// in a folder stays as it is, and so do archives that go into a folder that is there.
    pub(super) async fn take_in(&self, given: Vec<Given>, under: Under) {
        let report = self
            .in_turn(async |token| {
                let mut report = Report::default();
                let mut plain = Vec::new();
                let mut archives = Vec::new();
                for (path, source) in given {
                    match source {
                        Some(source) if under == Under::Paths && form(&path).is_some() => {
                            archives.push((path, source))
                        }
                        source => plain.push((path, source)),
                    }
                }
                let plain = (plain, under);
                self.take_in_all(plain, archives, token, &mut report).await;
                report
            })
            .await;
        self.report(report);
    }

    async fn take_in_all(
        &self,
        (plain, under): (Vec<Given>, Under),
        archives: Vec<(String, Rc<dyn Source>)>,
        token: &CancelToken,
        report: &mut Report,
    ) {
        let meter = Meter::new(self, token, "", 0);
        let mut halt = None;
        if !plain.is_empty() {
            let name = name_of(&plain);
            let result = self.plain(&plain, under, &meter).await;
            halt = self
                .settle(&name, result, (&mut *report, &meter))
                .await
                .err();
        }
        for (path, source) in archives {
            let name = path.rsplit('/').next().unwrap_or_default();
            if let Some(halt) = &halt {
                let (name, why) = (name.to_owned(), Halt::why(halt));
                report.left_out.push(LeftOut { name, why });
                continue;
            }
            meter.rename(name, source.size());
            let result = match form(name) {
                Some(Form::Zip) => self.unzip(name, source, &meter).await,
                _ => self.untar(name, source, &meter).await,
            };
            halt = self
                .settle(name, result, (&mut *report, &meter))
                .await
                .err();
        }
    }

    /// Reads files, many small ones at a time.
    async fn plain(
        &self,
        given: &[Given],
        under: Under,
        meter: &Meter,
    ) -> Result<Intake<'_>, Halt> {
        let size = |(_, source): &Given| source.as_ref().map_or(0, |source| source.size());
        meter.rename(&name_of(given), given.iter().map(size).sum());
        let mut intake = Intake::new(&self.0.workspace, under, self.0.platform.compose);
        let mut done = 0;
        let mut rest = given;
        while !rest.is_empty() {
            let mut sum = 0;
            let fits = |given: &&Given| {
                sum += size(given);
                sum <= BYTES_AT_ONCE
            };
            let count = rest.iter().take(AT_ONCE).take_while(fits).count().max(1);
            let (now, later) = rest.split_at(count);
            rest = later;
            let reads = now.iter().map(async |(_, source)| match source {
                Some(source) if source.size() <= MAX_FILE as u64 => {
                    source.read(0, source.size() as usize).await.ok()
                }
                _ => None,
            });
            for ((path, source), content) in now.iter().zip(join_all(reads).await) {
                done += source.as_ref().map_or(0, |source| source.size());
                self.plain_one(path, source.as_deref(), content, &mut intake)
                    .await?;
                meter.count();
                meter.at(done).await?;
            }
        }
        Ok(intake)
    }

    async fn plain_one(
        &self,
        path: &str,
        source: Option<&dyn Source>,
        content: Option<Vec<u8>>,
        intake: &mut Intake<'_>,
    ) -> Result<(), Halt> {
        let Some(source) = source else {
            intake.folder(path);
            return Ok(());
        };
        let Some(place) = intake.place(path, source.size()) else {
            return Ok(());
        };
        match content {
            Some(content) => {
                let now = self.0.platform.clock.now_ms();
                let modified_ms = source.modified_ms().unwrap_or(now).min(now);
                intake.put(path, place, content, modified_ms).await?;
            }
            None => intake.leave_out(path, Why::Unreadable),
        }
        Ok(())
    }
}

/// What several files are called together: the folder they lie in, or the first of them.
fn name_of(given: &[Given]) -> String {
    let first = given.first().map(|(path, _)| path.as_str());
    let first = first.unwrap_or_default().trim_start_matches('/');
    first.split('/').next().unwrap_or_default().to_owned()
}
