//! What every folder of a device must do. Runs over the one in memory natively, and over the
//! browser's handles in a browser; included by both.

use std::rc::Rc;

use tabloop::kernel::link::{Disk, DiskError, Entry, What};

/// Runs all of it over empty disks that `open` makes.
pub async fn check_all(open: impl AsyncFn() -> Rc<dyn Disk>) {
    what_is_written_is_there(&*open().await).await;
    what_is_written_again_is_the_new_one(&*open().await).await;
    what_is_not_there_is_told(&*open().await).await;
    what_is_removed_takes_the_empty_folders_along(&*open().await).await;
    a_file_and_a_folder_are_not_one(&*open().await).await;
    names_that_lead_elsewhere_are_refused(&*open().await).await;
}

async fn put(disk: &dyn Disk, path: &str, text: &str) {
    let stat = disk.write(path, text.as_bytes().to_vec()).await.unwrap();
    assert_eq!(stat.size, text.len() as u64, "{path}");
}

async fn text(disk: &dyn Disk, path: &str) -> String {
    String::from_utf8(disk.read(path).await.unwrap().0).unwrap()
}

/// The names in a folder, folders with a slash.
async fn names(disk: &dyn Disk, folder: &str) -> Vec<String> {
    let name = |entry: Entry| match entry.what {
        What::Folder => format!("{}/", entry.name),
        What::File(_) => entry.name,
        What::Unreadable(error) => panic!("{}: {error:?}", entry.name),
    };
    let mut names: Vec<String> = disk
        .list(folder)
        .await
        .unwrap()
        .into_iter()
        .map(name)
        .collect();
    names.sort();
    names
}

async fn what_is_written_is_there(disk: &dyn Disk) {
    assert!(disk.may().await);
    assert_eq!(names(disk, "").await, [""; 0]);
    put(disk, "a", "").await;
    put(disk, "deep/er/文件 1.txt", "text").await;
    assert_eq!(names(disk, "").await, ["a", "deep/"]);
    assert_eq!(names(disk, "deep").await, ["er/"]);
    assert_eq!(names(disk, "deep/er").await, ["文件 1.txt"]);
    let (content, read) = disk.read("deep/er/文件 1.txt").await.unwrap();
    assert_eq!(content, b"text");
    // All ways of asking tell the same time.
    assert_eq!(disk.stat("deep/er/文件 1.txt").await, Ok(Some(read)));
    let listed = disk.list("deep/er").await.unwrap();
    assert_eq!(listed[0].what, What::File(read));
    assert_eq!(text(disk, "a").await, "");
}

async fn what_is_written_again_is_the_new_one(disk: &dyn Disk) {
    put(disk, "f", "the first, which is long").await;
    put(disk, "f", "second").await;
    assert_eq!(text(disk, "f").await, "second");
    let large: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
    disk.write("f", large.clone()).await.unwrap();
    assert_eq!(disk.read("f").await.unwrap().0, large);
    assert_eq!(names(disk, "").await, ["f"]);
}

async fn what_is_not_there_is_told(disk: &dyn Disk) {
    put(disk, "dir/f", "1").await;
    for path in ["none", "dir/none", "none/none"] {
        assert_eq!(disk.read(path).await, Err(DiskError::Gone), "{path}");
        assert_eq!(disk.remove(path).await, Err(DiskError::Gone), "{path}");
    }
    assert_eq!(disk.stat("dir/none").await, Ok(None));
    assert_eq!(disk.stat("none/none").await, Ok(None));
    assert_eq!(disk.list("none").await, Err(DiskError::Gone));
    assert_eq!(names(disk, "").await, ["dir/"]);
}

async fn what_is_removed_takes_the_empty_folders_along(disk: &dyn Disk) {
    put(disk, "a/b/c/f", "1").await;
    put(disk, "a/other", "2").await;
    disk.remove("a/b/c/f").await.unwrap();
    assert_eq!(names(disk, "a").await, ["other"]);
    disk.remove("a/other").await.unwrap();
    assert_eq!(names(disk, "").await, [""; 0]);
}

async fn a_file_and_a_folder_are_not_one(disk: &dyn Disk) {
    put(disk, "file", "1").await;
    put(disk, "dir/f", "2").await;
    let new = || b"new".to_vec();
    for path in ["dir", "file/below"] {
        assert_eq!(
            disk.write(path, new()).await,
            Err(DiskError::Kind),
            "{path}"
        );
        assert_eq!(disk.read(path).await, Err(DiskError::Kind), "{path}");
        assert_eq!(disk.stat(path).await, Err(DiskError::Kind), "{path}");
        assert_eq!(disk.remove(path).await, Err(DiskError::Kind), "{path}");
    }
    assert_eq!(disk.list("file").await, Err(DiskError::Kind));
    assert_eq!(text(disk, "file").await, "1");
    assert_eq!(text(disk, "dir/f").await, "2");
}

async fn names_that_lead_elsewhere_are_refused(disk: &dyn Disk) {
    for path in ["..", "."] {
        let written = disk.write(path, Vec::new()).await;
        assert_eq!(written, Err(DiskError::Refused), "{path}");
    }
    assert_eq!(names(disk, "").await, [""; 0]);
}
