//! The zip that goes out: whole, the same each time, and read back as it was.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::time::Duration;

use support::archives::{bring_in, bytes, paths};
use support::{World, block_on};
use tabloop::kernel::store::{Batch, Change, Key, Store, Table};
use tabloop::protocol::{Access, Command, Event, Notice};

/// Has a zip made, and puts its pieces together.
fn export(world: &World, folder: Option<&str>) -> (String, Vec<u8>) {
    let start = world.events.borrow().len();
    world.handle(Command::Export(folder.map(str::to_owned)));
    let mut whole = Vec::new();
    for event in &world.events.borrow()[start..] {
        match event {
            Event::ExportPiece { bytes } => whole.extend(bytes),
            Event::Exported { name, bytes } => {
                whole.extend(bytes);
                return (name.clone(), whole);
            }
            _ => {}
        }
    }
    panic!("no zip came");
}

fn filled() -> World {
    let world = World::new(Vec::new());
    world.clock.advance(Duration::from_secs(1_800_000_000));
    // What can't be packed (xorshift).
    let mut seed = 1_u32;
    let mut noise = || {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        (seed >> 8) as u8
    };
    let noise: Vec<u8> = (0..9_000_000).map(|_| noise()).collect();
    bring_in(
        &world,
        &[
            ("docs/empty/", Vec::new()),
            ("docs/会议 记录.md", "text ".repeat(2_000).into()),
            ("docs/nothing.txt", Vec::new()),
            ("noise.bin", noise),
            ("picture.png", vec![7; 5_000]),
        ],
    );
    world
}

#[test]
fn what_goes_out_comes_back_in() {
    let world = filled();
    let (name, zip) = export(&world, None);
    assert_eq!(name, "workspace.zip");
    let back = World::new(Vec::new());
    back.clock.advance(Duration::from_secs(1_900_000_000));
    let told = bring_in(&back, &[("w.zip", zip.clone())]);
    assert!(told.is_plain(), "{told:?}");
    let there: Vec<String> = paths(&back)
        .iter()
        .filter_map(|path| path.strip_prefix("w/").map(str::to_owned))
        .filter(|path| !path.is_empty())
        .collect();
    assert_eq!(there, paths(&world));
    for path in there.iter().filter(|path| !path.ends_with('/')) {
        assert_eq!(
            bytes(&back, &format!("w/{path}")),
            bytes(&world, path),
            "{path}"
        );
    }
    // The same files make the same bytes.
    assert_eq!(export(&world, None).1, zip);
}

#[test]
fn a_folder_goes_out_alone() {
    let world = filled();
    let (name, zip) = export(&world, Some("docs"));
    assert_eq!(name, "docs.zip");
    let back = World::new(Vec::new());
    bring_in(&back, &[("docs.zip", zip)]);
    assert_eq!(
        paths(&back),
        [
            "docs/",
            "docs/empty/",
            "docs/nothing.txt",
            "docs/会议 记录.md"
        ]
    );
}

#[test]
fn other_tools_open_it() {
    let (_, zip) = export(&filled(), None);
    let Ok(python) = std::process::Command::new("python3")
        .arg("--version")
        .output()
    else {
        return;
    };
    assert!(python.status.success());
    let at = std::env::temp_dir().join(format!("tabloop-{}.zip", std::process::id()));
    std::fs::write(&at, zip).unwrap();
    let script = "import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n\
                  for i in z.infolist(): print(i.filename, i.file_size, i.compress_type, i.date_time[0], oct(i.external_attr>>16))";
    let told = std::process::Command::new("python3")
        .args(["-c", script])
        .arg(&at)
        .env("PYTHONIOENCODING", "utf-8")
        .output()
        .unwrap();
    std::fs::remove_file(&at).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&told.stdout),
        "docs/empty/ 0 0 1980 0o40755\n\
         docs/nothing.txt 0 0 2027 0o100644\n\
         docs/会议 记录.md 10000 8 2027 0o100644\n\
         noise.bin 9000000 0 2027 0o100644\n\
         picture.png 5000 0 2027 0o100644\n",
        "{}",
        String::from_utf8_lossy(&told.stderr)
    );
}

#[test]
fn an_empty_workspace_is_an_empty_zip() {
    let world = World::new(Vec::new());
    let empty = [b"PK\x05\x06".as_slice(), &[0; 18]].concat();
    assert_eq!(export(&world, None).1, empty);
}

#[test]
fn a_zip_without_a_file_of_it_is_not_handed_out() {
    let store = std::rc::Rc::clone(&filled().store);
    let prefix = Key::new(["default".into()]);
    let contents = block_on(store.keys(Table::Blobs, prefix)).unwrap();
    let gone = Change::Delete(Table::Blobs, contents[0].clone());
    block_on(store.apply(Batch::of(vec![gone]))).unwrap();
    let world = World::over(store, Vec::new(), Access::Writer);
    world.handle(Command::Export(None));
    let told = world.events.borrow();
    let ends: Vec<&Event> = told.iter().rev().take(2).collect();
    assert!(matches!(
        ends.as_slice(),
        [Event::Notice(Notice::NotExported(_)), Event::ExportGivenUp]
    ));
    assert!(
        !told
            .iter()
            .any(|event| matches!(event, Event::Exported { .. }))
    );
}
