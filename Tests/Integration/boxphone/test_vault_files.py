"""boxphone's own vault: who may read it, and what happens when something is wrong with it."""

import pathlib
import sqlite3
import stat
import time


def test_the_vault_is_made_where_xdg_says_for_its_owner_only(phone):
    assert phone.run("boxes").returncode == 0
    for path in [phone.vault, *phone.vault.iterdir()]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_a_vault_that_others_can_read_is_refused_with_the_command_that_mends_it(phone):
    phone.run("boxes")
    phone.vault.chmod(0o755)
    done = phone.run("boxes")
    assert done.returncode == 78
    assert f"chmod 700 '{phone.vault}'" in done.stderr
    phone.vault.chmod(0o700)
    (phone.vault / "vault.key").chmod(0o644)
    assert f"chmod 600 '{phone.vault / 'vault.key'}'" in phone.run("boxes").stderr


def test_a_damaged_vault_is_set_aside_and_named_never_overwritten(phone):
    phone.run("pin", "set", new_pin=b"1234")
    database = phone.vault / "vault.sqlite3"
    data = database.read_bytes()
    database.write_bytes(b"not a database" + data[14:])
    done = phone.run("boxes")
    assert done.returncode == 78
    kept = [path for path in phone.vault.iterdir() if "damaged" in path.name]
    assert len(kept) == 1 and kept[0].name in done.stderr
    assert kept[0].read_bytes()[14:] == data[14:]


def test_a_vault_without_its_key_is_not_given_a_new_one(phone):
    phone.run("boxes")
    (phone.vault / "vault.key").unlink()
    done = phone.run("boxes")
    assert done.returncode == 78
    assert "backup" in done.stderr
    assert not (phone.vault / "vault.key").exists()


def test_a_vault_of_a_newer_program_is_left_untouched(phone):
    phone.run("boxes")
    database = phone.vault / "vault.sqlite3"
    connection = sqlite3.connect(database)
    connection.execute("INSERT INTO migrations VALUES (99, x'39', zeroblob(32))")
    connection.commit()
    connection.close()
    before = database.read_bytes()
    done = phone.run("boxes")
    assert done.returncode == 78
    assert "newer" in done.stderr
    assert database.read_bytes() == before


def test_a_vault_in_use_is_waited_for_a_short_time(phone):
    phone.run("boxes")
    other = sqlite3.connect(phone.vault / "vault.sqlite3", isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    start = time.monotonic()
    done = phone.run("boxes")
    assert done.returncode == 78
    assert "in use" in done.stderr
    assert time.monotonic() - start > 2, "it waited for the other to end"
    other.execute("ROLLBACK")
    other.close()
    assert phone.run("boxes").returncode == 0


def test_nothing_that_was_entered_is_in_the_vaults_files(phone):
    phone.run("pin", "set", new_pin=b"Planted-PIN-31")
    for path in pathlib.Path(phone.vault).iterdir():
        assert b"Planted-PIN-31" not in path.read_bytes(), path


def test_a_home_directory_is_no_vault_and_nobody_is_told_to_change_its_mode(phone):
    phone.home.chmod(0o755)
    done = phone.run("boxes", "--directory", str(phone.home))
    assert done.returncode == 78
    assert "is a home directory" in done.stderr and "choose a separate directory inside it" in done.stderr and "chmod" not in done.stderr
