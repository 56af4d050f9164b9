"""The record of who did what at a site. It is chained and has no names, and changes to it are detected."""
import json
import threading

import pytest

from independent_phone import KeyPair
from independent_site import phone_text
from test_enrolment import Enrolment


def fill(site):
    """Makes about ten entries of several kinds."""
    site.server.ok("admin", "add", "desk", "--role", "helpdesk")
    for number in range(4):
        site.server.add("box%d" % number, "--group", "7")
    site.server.ok("phone", "add", "anna", phone_text(KeyPair.new().public))
    site.server.ok("user", "revoke", "anna", "--yes", "--reason", "left the house")
    site.server.ok("box", "remove", "box1", "--yes", "--reason", "stolen")


def chain_by_sql(site):
    """Implements the chain in SQL, as an independent reading of docs/reference/audit.md. `chain` adds an entry of root."""
    site.database.sql("""
        CREATE FUNCTION field(text) RETURNS bytea LANGUAGE sql AS
          $$ SELECT CASE WHEN $1 = '' THEN '\\x00'::bytea
                         ELSE '\\x01'::bytea || int8send(octet_length($1)::bigint) || convert_to($1, 'UTF8') END $$;
        CREATE FUNCTION chain(an_event text, a_subject text, a_detail text) RETURNS void LANGUAGE plpgsql AS $$
          DECLARE n bigint; h bytea; a bigint := extract(epoch FROM clock_timestamp())::bigint; BEGIN
            SELECT number + 1, hash INTO n, h FROM audit_head;
            -- A detail that is empty is there, with no bytes.
            h := sha256('boxagent/audit/2'::bytea || h || int8send(n) || int8send(a) || field(an_event) || field(a_subject)
                        || '\\x00'::bytea || '\\x01'::bytea || int8send(octet_length(a_detail)::bigint)
                        || convert_to(a_detail, 'UTF8')
                        || '\\x03'::bytea || field('root') || '\\x00'::bytea || '\\x00'::bytea);
            INSERT INTO audit_entries VALUES (n, a, an_event, 'root', a_subject, a_detail, h);
            UPDATE audit_head SET number = n, hash = h;
          END $$""")


def entries(site, *words):
    return json.loads(site.server.ok("audit", "list", "--json", *words))


def test_what_was_done_is_chosen_by_who_whom_action_and_time_and_comes_in_pages(site):
    fill(site)
    everything = entries(site)
    assert [each["number"] for each in everything] == list(range(1, len(everything) + 1))
    assert everything[0]["action"] == "init"
    revoked, = entries(site, "--whom", "anna", "--action", "user revoke")
    assert (revoked["actor"], revoked["subject_name"], revoked["detail"]) == ("root", "anna", "left the house")
    assert revoked["subject"].startswith("user ") and "anna" not in revoked["subject"] + revoked["detail"]
    assert [each["subject_name"] for each in entries(site, "--whom", revoked["subject"])] == ["anna"]
    assert {each["action"] for each in entries(site, "--whom", "box1")} == {"box add", "box remove"}
    assert len(entries(site, "--who", "root", "--action", "box add")) == 4
    assert entries(site, "--who", "nobody") == [] and entries(site, "--until", "2000-01-01") == []
    assert entries(site, "--since", "1h") == everything
    paged = entries(site, "--limit", "3")
    assert paged == everything[:3] and entries(site, "--after", "3", "--limit", "2") == everything[3:5]
    assert "is intact: %d entries" % len(everything) in site.server.ok("audit", "check")


@pytest.mark.parametrize("change, says", [
    ("UPDATE audit_entries SET detail = 'found' WHERE event = 'user revoke'", "was changed"),
    ("UPDATE audit_entries SET actor = 'administrator 1' WHERE number = 4", "entry 4 was changed"),
    ("UPDATE audit_entries SET at = at - 1 WHERE number = 3", "entry 3 was changed"),
    ("DELETE FROM audit_entries WHERE number = 5", "entry 5 is missing"),
    ("DELETE FROM audit_entries WHERE number = 1", "entry 1 is missing"),
    ("DELETE FROM audit_entries WHERE number > 6", "after 6 are missing"),
    ("UPDATE audit_entries SET number = CASE number WHEN 3 THEN 4000 ELSE 3 END WHERE number IN (3, 4); "
     "UPDATE audit_entries SET number = 4 WHERE number = 4000", "entry 3 was changed"),
    ("DELETE FROM audit_entries WHERE number > 6; UPDATE audit_head SET number = 6, "
     "hash = (SELECT hash FROM audit_entries WHERE number = 6)", "after 6 are missing"),
])
def test_a_changed_missing_or_moved_row_is_found(site, change, says):
    fill(site)
    site.server.wait_until(lambda: "audit %d " % len(entries(site)) in site.server.running.err)
    site.database.sql(change)
    done = site.server.command("audit", "check")
    assert done.returncode == 70 and says in done.stderr, done.stderr


DIFFERS = "the audit table differs from what this server saw"


def told(server):
    """Returns the alarms if there are any, which end `boxsite status` with 2."""
    done = server.command("status")
    return done.stdout if done.returncode == 2 else ""


def test_entries_that_are_cut_off_while_no_server_runs_are_an_alarm_until_somebody_accepts_it(site):
    fill(site)
    seen = len(entries(site))
    site.server.wait_until(lambda: "audit %d " % seen in site.server.running.err)
    site.server.stop()
    assert int.from_bytes((site.server.state / "audit.head").read_bytes()[:8], "big") == seen
    site.database.sql("DELETE FROM audit_entries WHERE number > 1; UPDATE audit_head SET number = 1, hash = "
                      "(SELECT hash FROM audit_entries WHERE number = 1)")
    for _ in range(2):
        site.server.start()
        alarms = site.server.wait_until(lambda: told(site.server))
        assert "to do: %s: the entries after 1 are missing; there were %d" % (DIFFERS, seen) in " ".join(alarms.split())
        site.server.stop()
    (site.server.state / "audit.head").unlink()
    site.server.start()
    assert told(site.server) == "" and "is intact: 1 entries" in site.server.ok("audit", "check")


def test_the_newest_entry_that_is_cut_off_at_once_is_still_missing_after_a_restart(site):
    fill(site)
    seen = len(entries(site))
    site.server.wait_until(lambda: "audit %d " % seen in site.server.running.err)
    site.database.sql("DELETE FROM audit_entries WHERE number = %d; UPDATE audit_head SET number = number - 1, hash = "
                      "(SELECT hash FROM audit_entries WHERE number = %d)" % (seen, seen - 1))
    site.server.wait_until(lambda: DIFFERS in site.server.running.err)
    site.server.kill()
    site.server.start()
    assert "the entries after %d are missing" % (seen - 1) in " ".join(site.server.wait_until(lambda: told(site.server)).split())


def test_a_damaged_memory_of_the_audit_table_is_said_and_keeps_no_server_down(site):
    site.server.stop()
    (site.server.state / "audit.head").write_bytes(b"short")
    site.server.start()
    assert "it must hold exactly 40 bytes" in site.server.running.err and told(site.server) == ""


def test_a_table_written_anew_holds_together_and_is_found_out_by_servers_that_saw_the_old_one(site):
    """An attacker who can write to the database and knows the hashing leaves one entry out."""
    site.add_server()
    fill(site)
    rows = entries(site)
    for server in site.servers:
        server.wait_until(lambda server=server: "audit %d %s" % (len(rows), rows[-1]["hash"]) in server.running.err)
    said = site.server.running.err
    chain_by_sql(site)
    kept = [each for each in rows if each["action"] != "user revoke"] + [rows[0]] * 3
    site.database.sql(
        "BEGIN; DELETE FROM audit_entries; UPDATE audit_head SET number = 0, hash = decode(repeat('00', 32), 'hex');"
        + "".join("SELECT chain('%(action)s', '%(subject)s', '%(detail)s');" % each for each in kept) + "COMMIT")
    assert len(kept) > len(rows)
    for server in site.servers:
        server.wait_until(lambda server=server: DIFFERS in server.running.err)
        done = server.command("audit", "check")
        assert done.returncode == 70 and "differs from the one that this server saw" in done.stderr, done.stderr
    # A restart forgets nothing, until somebody removes the server's own memory. The journal still shows the difference then.
    site.server.stop()
    site.server.start()
    assert DIFFERS in site.server.wait_until(lambda: told(site.server))
    assert "differs from the one that this server saw" in site.server.command("audit", "check").stderr
    site.server.stop()
    (site.server.state / "audit.head").unlink()
    site.server.start()
    assert told(site.server) == ""
    assert "is intact: %d entries" % len(kept) in site.server.ok("audit", "check")
    assert "audit %d %s" % (len(rows), rows[-1]["hash"]) in said
    assert entries(site)[len(rows) - 1]["hash"] != rows[-1]["hash"]


def test_a_forged_end_is_found_though_the_entry_that_a_server_saw_last_still_stands(site):
    fill(site)
    rows = entries(site)
    site.server.wait_until(lambda: "audit %d %s" % (len(rows), rows[-1]["hash"]) in site.server.running.err)
    # A forger first adds a last entry with the hash of another table, and would replace earlier rows afterwards.
    site.database.sql("""
        UPDATE audit_head SET number = number + 1, hash = sha256('another');
        INSERT INTO audit_entries SELECT number, 1, 'box add', 'root', 'box 1', '', hash FROM audit_head""")
    site.server.wait_until(lambda: DIFFERS in site.server.running.err)


def test_what_is_kept_for_good_has_no_name_of_anybody(site):
    site.server.extra = ['page_user = "nobody"', 'page_origin = "https://page.example"']
    site.write_configs()
    site.server.stop()
    site.server.start()
    site.server.ok("admin", "add", "desk-name", "--role", "helpdesk", "--account", "account-name")
    site.server.ok("admin", "link", "desk-name")
    site.server.ok("admin", "passkeys", "desk-name", "--remove")
    site.server.ok("admin", "change", "desk-name", "--role", "viewer")
    enrolment = Enrolment(site.server, "--label", "label-name", user="user-name")
    enrolment.process.terminate()
    enrolment.process.wait()
    site.server.ok("phone", "add", "user-name", phone_text(KeyPair.new().public), "--label", "label-name")
    box = site.box("box-name")
    # The box leaves only after the site's first message, because the server ignores earlier messages.
    box.receive()
    box.leave()
    site.server.wait_until(lambda: not site.server.boxes())
    site.server.ok("user", "revoke", "user-name", "--yes")
    site.server.ok("issuers", "new")
    site.server.ok("admin", "remove", "desk-name", "--yes")
    rows = entries(site)
    assert {each["action"] for each in rows} >= {
        "init", "admin add", "passkey link", "passkey remove", "phone enrol", "phone add", "box add", "box joined", "box remove",
        "user revoke", "issuers new", "admin change", "admin remove"}
    for each in rows:
        assert "-name" not in each["actor"] + each["subject"] + each["detail"], each
    assert {each["subject_name"] for each in rows} >= {"desk-name", "user-name", "box-name"}
    code, = entries(site, "--action", "phone enrol")
    assert code["subject"].startswith("code ") and code["subject_name"] == "user-name"
    assert entries(site, "--action", "passkey link")[0]["subject"].startswith("administrator ")


def test_names_are_forgotten_after_ninety_days_and_the_chain_holds_on(site):
    fill(site)
    count = len(entries(site))
    site.server.stop()
    # Makes the rows 91 days older for a moment, because hashed fields cannot change for good.
    assert site.database.sql("SELECT count(*) FROM audit_entries WHERE subject_name IS NOT NULL") != "0"
    site.database.sql("CREATE TABLE kept AS SELECT number, at FROM audit_entries")
    site.database.sql("UPDATE audit_entries SET at = at - 91 * 86400 WHERE number <> %d" % count)
    site.server.start()
    site.server.wait_until(lambda: site.database.sql(
        "SELECT count(*) FROM audit_entries WHERE actor_name IS NOT NULL OR subject_name IS NOT NULL") == "1")
    site.database.sql("UPDATE audit_entries e SET at = kept.at FROM kept WHERE kept.number = e.number")
    assert "is intact" in site.server.ok("audit", "check")
    assert any(each["detail"] == "left the house" and each["subject_name"] is None for each in entries(site))


def test_two_servers_write_one_chain(site):
    second = site.add_server()
    threads = [threading.Thread(target=server.add, args=("box%d-%d" % (which, number),))
               for which, server in enumerate((site.server, second)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(entries(site, "--action", "box add")) == 20
    for server in (site.server, second):
        assert "is intact" in server.ok("audit", "check")


def test_an_export_is_checked_without_a_server(site, directory):
    fill(site)
    file = directory / "record.txt"
    file.write_text(site.server.ok("audit", "export"))
    site.server.stop()
    said = site.server.ok("audit", "check", "--file", str(file))
    assert "is intact" in said
    text = file.read_text()
    assert "left%20the%20house" in text and "subject=anna" in text
    for old, new in (("left%20the%20house", "left%20the%20mouse"), ("\nend ", "\nfin ")):
        file.write_text(text.replace(old, new))
        assert site.server.command("audit", "check", "--file", str(file)).returncode == 1
    file.write_text(text[:-200])
    assert site.server.command("audit", "check", "--file", str(file)).returncode == 1


def test_ten_thousand_entries_are_listed_in_pages_and_checked(site):
    fill(site)
    site.database.sql(
        "INSERT INTO administrators (name, role, state) SELECT 'admin' || n, 'viewer', 'active' FROM generate_series(1, 10000) n")
    assert len(json.loads(site.server.ok("admin", "list", "--json"))) == 10_001
    chain_by_sql(site)
    site.database.sql("""
        DO $$ BEGIN
          FOR i IN 1..10000 LOOP PERFORM chain('box add', 'box 1', 'groups [7]'); END LOOP;
        END $$""")
    count = int(site.database.sql("SELECT number FROM audit_head"))
    assert "is intact: %d entries" % count in site.server.ok("audit", "check")
    assert len(entries(site, "--limit", "10000")) == 10_000
    assert len(entries(site, "--limit", "10000", "--after", "10000")) == count - 10_000
