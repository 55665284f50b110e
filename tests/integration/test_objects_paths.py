"""Names of objects in a local folder: whatever they are, the listed file goes and no other, with
openat2 and on a kernel without it."""

import os

import pytest

from support.objects import local_objects as objects  # noqa: F401


@pytest.fixture(params=["openat2", "an older kernel"])
def kernel(request, objects, preload, tmp_path):
    """Both ways to open a file: with openat2, and as on a kernel without it."""
    if request.param == "openat2":
        yield
        return
    library, seen = preload("odd_files"), tmp_path / "no openat2"
    if library is None:
        pytest.skip("a sanitizer must be loaded first")
    objects.pruned.environment |= {"LD_PRELOAD": library, "NO_OPENAT2": seen}
    yield
    assert seen.exists()


@pytest.mark.check_all
def test_an_object_that_is_not_there_counts_as_deleted(objects, kernel):
    objects.add("gone", "file", make=False)
    (objects.root / "plain").write_text("a file")
    objects.add("plain", "below-a-file", make=False)
    objects.delete()
    assert objects.left() == []
    assert objects.results()[0]["absent"] == 2
    assert (objects.root / "plain").exists()


def folders_below(root, names):
    """Makes folders in each other, one at a time, because the whole path may be longer than a call
    takes. Returns the innermost one, open."""
    folder = os.open(root, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=folder)
        inner = os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    return folder


@pytest.mark.check_all
def test_a_name_that_is_too_long_for_a_file_counts_as_deleted_and_a_long_path_is_followed(objects, kernel):
    """No file can have a name of 256 bytes. A file can lie deeper than one call can say: more than
    4096 bytes."""
    (objects.root / "a").mkdir()
    (objects.root / "link").symlink_to(objects.root.parent / "outside")
    names = ["d" * 200] * 25
    folder, deep = folders_below(objects.root, names), "/".join(names)
    os.close(os.open("x", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    absent = [("a", "x" * 256), ("a", "\u00fc" * 128), ("a", "x" * 5000), ("a/" + "y" * 256, "x"), ("", f"{deep}/none"), ("", f"{deep}/{'x' * 256}")]
    for dir_, file in [*absent, ("", f"{deep}/x")]:
        objects.add(dir_, file, make=False)
    objects.add("a", "w" * 255)
    behind = [objects.add(dir_, file, make=False) for dir_, file in (("link", "x" * 256), ("link/" + "y" * 256, "x"))]
    objects.delete()
    assert objects.left() == behind and {item["reason"] for item in objects.quarantine().values()} == {"unsafe path"}
    (slot,) = objects.results()
    assert (slot["deleted"], slot["absent"], slot["failed"]) == (2, len(absent), len(behind))
    assert os.listdir(folder) == [] and list((objects.root / "a").iterdir()) == []
    os.close(folder)


UNSAFE = [("../outside", "precious"), ("/etc", "passwd"), ("a", "/etc/passwd"), ("a/../../outside", "precious"), ("a/..", "x"), ("a", ".."),
          ("link", "precious"), ("a/link", "b/precious"), ("within", "precious"), ("a", "link-to-file"), ("a", "dangling")]


@pytest.mark.check_all
def test_a_path_that_leaves_the_root_is_never_followed(objects, kernel):
    root, outside = objects.root, objects.root.parent / "outside"
    (root / "a").mkdir()
    (outside / "b").mkdir()
    (outside / "b" / "precious").write_text("keep me")
    (root / "link").symlink_to(outside)
    (root / "a" / "link").symlink_to(outside)
    (root / "real").mkdir()
    (root / "real" / "precious").write_text("keep me")
    (root / "within").symlink_to("real")
    (root / "a" / "link-to-file").symlink_to(outside / "precious")
    (root / "a" / "dangling").symlink_to("nowhere")
    ids = [objects.add(dir_, file, make=False) for dir_, file in UNSAFE]
    objects.delete(**{"store.local.prune_empty_dirs": "on"})
    assert objects.left() == ids
    assert [file.read_text() for file in (outside / "precious", outside / "b" / "precious", root / "real" / "precious")] == ["keep me"] * 3
    assert all((root / link).is_symlink() for link in ("link", "a/link", "within", "a/link-to-file", "a/dangling"))
    quarantine = objects.quarantine()
    assert {(item["reason"], item["parked"]) for item in quarantine.values()} == {("unsafe path", True)} and len(quarantine) == len(ids)
    assert objects.results()[0]["failed"] == len(ids)


@pytest.mark.check_all
def test_a_name_with_a_final_slash_deletes_no_file_of_the_name_without_it(objects, kernel):
    for name in ("x", "d/d"):
        (objects.root / "a" / name).parent.mkdir(parents=True, exist_ok=True)
        (objects.root / "a" / name).write_text("another object")
    objects.add("a", "x/", make=False)
    folder = objects.add("a", "d/", make=False)
    objects.delete()
    assert objects.left() == [folder] and objects.results()[0]["absent"] == 1
    assert objects.quarantine()[f"ci_deleted_objects:{folder}"]["reason"] == "is a directory"
    assert (objects.root / "a" / "x").exists() and (objects.root / "a" / "d" / "d").exists()


@pytest.mark.check_all
def test_one_slash_joins_folder_and_file(objects, kernel):
    objects.add("a", "x")
    objects.database.execute("UPDATE ci_deleted_objects SET store_dir = 'a//'")
    objects.add("", "y")
    objects.delete()
    assert objects.left() == [] and not (objects.root / "a" / "x").exists() and not (objects.root / "y").exists()


@pytest.mark.check_all
def test_two_dots_within_a_name_are_safe(objects, kernel):
    objects.add("v1..v2", "a..b")
    objects.delete()
    assert objects.left() == [] and not (objects.root / "v1..v2" / "a..b").exists()


@pytest.mark.check_all
def test_empty_folders_go_up_to_the_root_if_asked_for(objects, kernel):
    objects.add("a/b/c", "file")
    (objects.root / "a" / "stays").write_text("x")
    objects.add("d/e", "file")
    objects.delete(**{"store.local.prune_empty_dirs": "on"})
    assert sorted(p.name for p in objects.root.rglob("*")) == ["a", "stays"]
    objects.add("f/g", "file")
    (objects.root / "a" / "stays").unlink()
    (objects.root / "a").rmdir()
    objects.delete(**{"store.local.prune_empty_dirs": "on"})
    assert list(objects.root.iterdir()) == [] and objects.left() == []
