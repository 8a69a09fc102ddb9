//! Archives that are broken, or made to do harm.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use support::World;
use support::archives::{Raw, bring_in, bytes, contents, paths, raw, zip};
use tabloop::protocol::Why;

/// What is told of each entry that is left out of a zip of these.
fn refused(entries: &[Raw]) -> (World, Vec<(String, Why)>) {
    let world = World::new(Vec::new());
    let told = bring_in(&world, &[("x.zip", zip(entries))]);
    let left_out = told.left_out.into_iter();
    let told = left_out.map(|left| (left.name, left.why)).collect();
    (world, told)
}

#[test]
fn an_archive_cut_anywhere_is_refused_as_a_whole() {
    let archives: [(&str, &[u8]); 4] = [
        ("a.zip", include_bytes!("archives/info.zip")),
        ("a.zip", include_bytes!("archives/zip64.zip")),
        ("a.tgz", include_bytes!("archives/pax.tgz")),
        ("a.tar", include_bytes!("archives/odd.tar")),
    ];
    let world = World::new(Vec::new());
    for (name, whole) in archives {
        // A tar may end anywhere behind its first empty record.
        let end = match name {
            "a.tar" => whole.len() - 9 * 1_024,
            _ => whole.len(),
        };
        for cut in 0..end {
            let told = bring_in(&world, &[(name, whole[..cut].to_vec())]);
            assert_eq!(told.files, 0, "{name} cut at {cut}");
            let why = &told.left_out[0].why;
            let is_clear = matches!(why, Why::CutOff | Why::NotOne | Why::Damaged);
            assert!(
                is_clear && told.left_out.len() == 1,
                "{name} cut at {cut}: {why:?}"
            );
        }
    }
    assert_eq!(paths(&world), Vec::<String>::new());
}

#[test]
fn a_byte_changed_anywhere_never_gives_other_content() {
    let whole = include_bytes!("archives/info.zip");
    let good = World::new(Vec::new());
    bring_in(&good, &[("a.zip", whole.to_vec())]);
    let mut known: Vec<Vec<u8>> = paths(&good)
        .iter()
        .filter(|path| !path.ends_with('/'))
        .map(|path| bytes(&good, path))
        .collect();
    // The link's own content, where the change makes it a file.
    known.push(b"../index.html".to_vec());
    for at in (0..whole.len())
        .step_by(13)
        .chain(whole.len() - 600..whole.len())
    {
        let world = World::new(Vec::new());
        let mut changed = whole.to_vec();
        changed[at] ^= 0x41;
        bring_in(&world, &[("a.zip", changed)]);
        for path in paths(&world).iter().filter(|path| !path.ends_with('/')) {
            assert!(known.contains(&bytes(&world, path)), "byte {at}: {path}");
        }
    }
}

#[test]
fn names_that_lead_out_or_can_t_be_kept() {
    let (world, told) = refused(&[
        raw("../out", "1"),
        raw("a/../../out", "2"),
        raw("..\\out", "3"),
        raw("C:\\x\\y.txt", "4"),
        raw("/abs", "5"),
        raw("CON", "6"),
        raw("dot.", "7"),
        raw("nul\0l", "8"),
        raw("x".repeat(4_096), "9"),
        raw("", "10"),
        raw("a%2e%2e%2fb", "11"),
        raw("quote\"'\n\u{1F600}.md", "12"),
    ]);
    let whys: Vec<Why> = told.into_iter().map(|(_, why)| why).collect();
    let expected = [
        Why::Outside,
        Why::Outside,
        Why::Outside,
        Why::TooLong,
        Why::BadName,
    ];
    assert_eq!(whys, expected);
    assert_eq!(
        paths(&world),
        [
            "x/",
            "x/C_/",
            "x/C_/x/",
            "x/C_/x/y.txt",
            "x/_CON",
            "x/a_2e_2e_2fb",
            "x/abs",
            "x/dot_",
            "x/nul_l",
            "x/quote_'_\u{1F600}.md",
        ]
    );
}

#[test]
fn names_that_are_nearly_the_same_are_never_mixed_up() {
    let world = World::new(Vec::new());
    let entries = [
        raw("p/README", "1"),
        raw("p/readme", "2"),
        raw("p/\u{e9}", "composed"),
        raw("p/e\u{301}", "apart"),
        raw("p/a:b", "colon"),
        raw("p/a_b", "line"),
        raw("p/twice", "first"),
        raw("p/twice", "second"),
        raw("p/file", "f"),
        raw("p/file/below", "b"),
        raw("p/dir/", ""),
        raw("p/dir", "d"),
    ];
    let told = bring_in(&world, &[("x.zip", zip(&entries))]);
    let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
    let alike = [pair("p/README", "p/readme"), pair("p/e\u{301}", "p/\u{e9}")];
    assert_eq!(told.alike, alike);
    let left_out: Vec<_> = told.left_out.into_iter().map(|left| left.why).collect();
    assert_eq!(left_out, [Why::Twice, Why::Clash, Why::Clash]);
    for (path, content) in [
        ("p/README", "1"),
        ("p/readme", "2"),
        ("p/\u{e9}", "composed"),
        ("p/e\u{301}", "apart"),
        ("p/a_b", "colon"),
        ("p/a_b (2)", "line"),
        ("p/twice", "second"),
        ("p/file", "f"),
    ] {
        assert_eq!(bytes(&world, path), content.as_bytes(), "{path}");
    }
}

#[test]
fn links_devices_and_locked_entries_are_told() {
    let mut link = raw("link", "/etc/passwd");
    link.attributes = 0o120_777 << 16;
    let mut device = raw("dev", "");
    device.attributes = 0o020_666 << 16;
    let mut locked = raw("locked", "secret");
    locked.flags = 1;
    let mut odd = raw("odd", "x");
    odd.method = 97;
    let mut wrong = raw("wrong", "x");
    wrong.crc = Some(7);
    let system = [raw("__MACOSX/._a", "x"), raw("p/.DS_Store", "x")];
    let mut all = vec![link, device, locked, odd, wrong, raw("p/good", "g")];
    all.extend(system);
    let (world, told) = refused(&all);
    let told: Vec<_> = told
        .iter()
        .map(|(name, why)| (name.as_str(), why))
        .collect();
    assert_eq!(
        told,
        [
            ("link", &Why::Link),
            ("dev", &Why::Special),
            ("locked", &Why::Encrypted),
            ("odd", &Why::Unsupported),
            ("wrong", &Why::Damaged),
            ("__MACOSX/._a", &Why::System),
            ("p/.DS_Store", &Why::System),
        ]
    );
    assert_eq!(bytes(&world, "p/good"), b"g");
}

#[test]
fn names_by_their_unicode_field_and_of_old_systems() {
    let mut named = raw(b"caf_", "1");
    let sum = tabloop::kernel::archive::Crc::default().of(b"caf_");
    let mut field = vec![1];
    field.extend(sum.to_le_bytes());
    field.extend("café".as_bytes());
    named.extra.extend([0x75, 0x70]);
    named.extra.extend((field.len() as u16).to_le_bytes());
    named.extra.extend(&field);
    let (world, _) = refused(&[named, raw(b"na\x8bve", "2")]);
    assert_eq!(bytes(&world, "x/café"), b"1");
    assert_eq!(bytes(&world, "x/naïve"), b"2");
}

#[test]
fn bombs_are_refused_before_they_go_off() {
    let world = World::new(Vec::new());
    // Each tells that it comes to 100 MB.
    let bomb = |n: usize| {
        let mut entry = raw(format!("{n}"), &"x".repeat(1_000));
        (entry.size, entry.method) = (Some(100 << 20), 8);
        entry
    };
    let many: Vec<Raw> = (0..30).map(bomb).collect();
    let told = bring_in(&world, &[("x.zip", zip(&many))]);
    assert_eq!(told.left_out[0].why, Why::TooLarge);
    let told = bring_in(&world, &[("x.zip", zip(&many[..5]))]);
    assert_eq!(told.left_out[0].why, Why::Bomb);
    // One alone is a lie: nothing packs so well.
    let told = bring_in(&world, &[("x.zip", zip(&[bomb(1)]))]);
    assert_eq!((told.left_out.len(), told.files), (1, 0));
    // Entries that share their bytes: the list tells the same one many times.
    let mut shared = zip(&[raw("a", &"x".repeat(10_000))]);
    let list_at = shared.len() - 22 - 47;
    let entry = shared[list_at..shared.len() - 22].to_vec();
    let mut end = shared.split_off(shared.len() - 22);
    (0..9).for_each(|_| shared.extend(&entry));
    end[8..12].copy_from_slice(&[10, 0, 10, 0]);
    end[12..16].copy_from_slice(&(470_u32).to_le_bytes());
    shared.extend(&end);
    let told = bring_in(&world, &[("x.zip", shared)]);
    assert_eq!(told.left_out[0].why, Why::Bomb);
    assert_eq!(contents(&world.store), 0);
}

#[test]
fn a_gzip_that_never_ends_is_given_up() {
    // 300 MB of blanks behind a record that tells of a file of that length.
    let world = World::new(Vec::new());
    let odd = include_bytes!("archives/odd.tar");
    let mut head = odd[..512].to_vec();
    let mut tar = Vec::new();
    let mut packer = tabloop::kernel::archive::packer("a.tar").unwrap();
    let mut deflated = Vec::new();
    let long = vec![0_u8; 4 << 20];
    head[124..136].copy_from_slice(b"02000000000\0");
    let blank: u64 = head.iter().enumerate().fold(0, |sum, (at, byte)| {
        sum + match at {
            148..156 => 32,
            _ => u64::from(*byte),
        }
    });
    head[148..156].copy_from_slice(format!("{blank:06o}\0 ").as_bytes());
    use miniz_oxide::deflate::core::TDEFLFlush;
    let piece = tabloop::kernel::archive::pack_piece;
    piece(&mut packer, &head, TDEFLFlush::None, &mut deflated);
    for _ in 0..64 {
        piece(&mut packer, &long, TDEFLFlush::None, &mut deflated);
    }
    piece(&mut packer, &[], TDEFLFlush::Finish, &mut deflated);
    tar.extend([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
    tar.extend(&deflated);
    let told = bring_in(&world, &[("x.tar.gz", tar)]);
    let why = &told.left_out[0].why;
    assert!(matches!(why, Why::Bomb | Why::TooLarge), "{why:?}");
    assert_eq!(contents(&world.store), 0);
}
