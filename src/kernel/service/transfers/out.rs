//! The workspace or a folder of it as a zip, in pieces as they are ready.

use miniz_oxide::deflate::core::TDEFLFlush;

use super::{Halt, Kernel, Meter};
use crate::kernel::archive::{Crc, Packed, ZipWriter, pack_piece, packer};
use crate::kernel::cancel::CancelToken;
use crate::kernel::workspace::{Node, WorkspacePath};
use crate::protocol::{Event, Notice};

/// Bytes of a piece that the page gets.
const PIECE: usize = 4 << 20;
/// Bytes that are packed in one go.
const BITE: usize = 256 << 10;
/// Most bytes of an archive whose places have short numbers.
const MOST: u64 = 0xffff_ffff;

impl Kernel {
    /// Hands out a folder as a zip; `None`: the whole workspace.
    pub(in crate::kernel::service) async fn export(&self, folder: Option<String>) {
        let folder = match folder.as_deref().map(WorkspacePath::parse) {
            None => WorkspacePath::root(),
            Some(Ok(folder)) => folder,
            Some(Err(_)) => return,
        };
        let result = self
            .in_turn(async |token| self.pack(&folder, token).await)
            .await;
        let name = match folder.name() {
            "" => "workspace",
            name => name,
        };
        let name = format!("{name}.zip");
        self.tell(match result {
            Ok(bytes) => Event::Exported { name, bytes },
            Err(halt) => {
                self.tell(Event::ExportGivenUp);
                match halt {
                    Halt::Stopped => return,
                    halt => Event::Notice(Notice::NotExported(match halt {
                        Halt::Store(error) => error.to_string(),
                        _ => String::new(),
                    })),
                }
            }
        });
    }

    /// Tells all pieces but the last, and gives that.
    async fn pack(&self, folder: &WorkspacePath, token: &CancelToken) -> Result<Vec<u8>, Halt> {
        let nodes = self.0.workspace.below(folder);
        let size = |(_, node): &(WorkspacePath, Node)| node.content().map_or(0, |(_, size)| size);
        let all: u64 = nodes.iter().map(size).sum();
        if all >= MOST {
            return Err(Halt::Why(crate::protocol::Why::TooLarge));
        }
        let meter = Meter::new(self, token, folder.name(), all);
        meter.goes_out();
        let (mut zip, crc) = (ZipWriter::default(), Crc::default());
        let (mut out, mut done) = (Vec::new(), 0);
        for (at, (path, node)) in nodes.iter().enumerate() {
            let name = path.below(folder);
            let Node::File {
                size,
                modified_ms,
                version,
            } = node
            else {
                let next = nodes.get(at + 1).map(|(next, _)| next);
                // A folder that holds something is told by what it holds.
                if next.is_none_or(|next| next.depth_below(path).is_none()) {
                    zip.folder(name, 0, &mut out);
                }
                continue;
            };
            let content = self.0.workspace.content(version, *size).await?;
            let content = content.ok_or_else(|| {
                let lost = format!("the content of {path} is missing");
                Halt::Store(crate::kernel::store::StoreError::Corrupt(lost))
            })?;
            let deflated = deflated(name, &content, done, &meter).await?;
            let packed = Packed::new(&crc, &content, deflated);
            zip.file(name, *modified_ms, &content, packed, &mut out);
            done += size;
            meter.count();
            meter.at(done).await?;
            if out.len() >= PIECE {
                self.tell(Event::ExportPiece {
                    bytes: std::mem::take(&mut out),
                });
            }
        }
        zip.finish(&mut out);
        Ok(out)
    }
}

/// The content packed, where that may make it smaller.
async fn deflated(
    name: &str,
    content: &[u8],
    done: u64,
    meter: &Meter,
) -> Result<Option<Vec<u8>>, Halt> {
    let Some(mut packer) = packer(name).filter(|_| !content.is_empty()) else {
        return Ok(None);
    };
    let mut packed = Vec::new();
    let mut at = 0;
    for bite in content.chunks(BITE) {
        at += bite.len();
        let flush = match at == content.len() {
            true => TDEFLFlush::Finish,
            false => TDEFLFlush::None,
        };
        pack_piece(&mut packer, bite, flush, &mut packed);
        meter.at(done + at as u64).await?;
    }
    Ok(Some(packed))
}
