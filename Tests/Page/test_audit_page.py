"""The audit table on the page: searched, shown in parts, and downloaded as a file that can be verified without the server."""
import http.client
import re
import socket

import pytest

from page_browser import PageBrowser, signs_in
from proposing import add_phone, revoke


@pytest.fixture
def browser(page, tmp_path):
    made = PageBrowser(page, tmp_path)
    yield made
    made.stop()


def numbers(answer):
    return [int(each) for each in re.findall(r'<th scope="row">(\d+)</th>', answer.text)]


def check(page, text):
    file = page.directory / "export.txt"
    file.write_text(text)
    return page.server.command("audit", "check", "--file", str(file))


def test_entries_are_found_by_who_whom_action_and_day(page, anna):
    bert = page.administrator("helpdesk").signed_in()
    phone = add_phone(page, "searched")
    revoke(bert, phone, "lost at the lake")
    one = bert.get("/audit?who=%s&action=phone+revoke" % bert.name)
    assert len(numbers(one)) == 1 and "lost at the lake" in one.text and bert.name in one.text
    for query, count in [("who=%s" % bert.name, None), ("who=nobody", 0), ("action=phone+revoke&who=" + anna.name, 0),
                         ("action=phone", 0), ("since=2100-01-01", 0), ("who=%s&action=phone+revoke&since=2026-02-31" % bert.name, 1),
                         ("who=%25", 0), ("who=%27+OR+1%3D1", 0)]:
        answer = anna.get("/audit?" + query)
        assert answer.status == 200
        assert count is None or len(numbers(answer)) == count, query
    whom = re.search(r"<bdi>(phone [0-9a-z]{26})</bdi>", one.text)[1]
    assert numbers(one)[0] in numbers(anna.get("/audit?whom=" + whom.replace(" ", "+")))


def test_the_table_is_shown_from_the_newest_on_in_parts(page, anna):
    while int(page.site.database.sql("SELECT number FROM audit_head")) < 60:
        add_phone(page, "filler")
    seen, path = [], "/audit"
    while path and len(seen) < 60:
        answer = anna.get(path)
        seen += numbers(answer)
        assert answer.text.count("<tr>") <= 51 and len(answer.text) < 60_000
        older = re.search(r'<a href="([^"]+)" rel="next">', answer.text)
        path = older and older[1].replace("&amp;", "&")
    newest = seen[0]
    assert len(seen) >= 60
    assert seen == list(range(newest, newest - len(seen), -1))
    for bent in ("0", "-1", "x", "9" * 30):
        assert numbers(anna.get("/audit?before=" + bent))[0] >= newest


def test_the_download_is_what_the_command_checks_and_one_that_was_changed_is_not(page, anna):
    answer = anna.get("/audit/export")
    assert answer.status == 200 and "attachment" in answer.headers["Content-Disposition"]
    assert answer.headers["Content-Type"].startswith("text/plain") and answer.headers["X-Content-Type-Options"] == "nosniff"
    done = check(page, answer.text)
    assert done.returncode == 0 and "is intact" in done.stdout, done.stderr
    lines = answer.text.splitlines()
    assert lines == page.server.ok("audit", "export").splitlines()[:len(lines) - 1] + lines[-1:]
    assert check(page, "\n".join(lines[:-1]) + "\n").returncode != 0
    assert check(page, answer.text.replace(" init ", " inix ", 1)).returncode != 0


def test_an_export_goes_on_over_many_parts(own_page):
    page = own_page().start()
    anna = page.administrator().signed_in()
    database = page.site.database
    count = int(database.sql("SELECT number FROM audit_head"))
    # The rows' hash chain is not valid: the test only checks that each entry comes once, even if it is the last one of a part.
    for total in (1_000, 2_000, 2_001):
        database.sql("INSERT INTO audit_entries (number, at, event, actor, subject, detail, hash) SELECT n, 1, 'x', 'root', '', '', "
                     "decode(repeat('ab', 32), 'hex') FROM generate_series((SELECT max(number) + 1 FROM audit_entries), %d) n" % total)
        text = anna.get("/audit/export").text
        assert [int(each) for each in re.findall(r"^entry (\d+) ", text, re.M)] == list(range(1, total + 1))
        assert text.endswith("\nend %d %s\n" % (total, "ab" * 32)) and text.count("boxsite-audit-export") == 1
    assert count < 1_000


def slowly(visitor):
    """Starts a download that reads only the beginning. Returns the response and its connection."""
    link = http.client.HTTPConnection("127.0.0.1", visitor.page.port, timeout=60)
    link.sock = socket.socket()
    link.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    link.sock.settimeout(60)
    link.sock.connect(("127.0.0.1", visitor.page.port))
    link.request("GET", "/audit/export", headers={"Host": visitor.page.origin.split("//")[1], "Cookie": visitor.cookie})
    return link.getresponse(), link


def test_who_reads_slowly_holds_up_nobody_and_one_download_a_session_is_enough(own_page):
    page = own_page().start()
    visitors = [page.administrator().signed_in() for _ in range(9)]
    anna, ninth = visitors[0], visitors[8]
    # Enough entries to fill the socket buffers. Their hash chain is not valid.
    page.site.database.sql(
        "INSERT INTO audit_entries (number, at, event, actor, subject, detail, hash) SELECT n, 1, 'x', 'root', '', repeat('d', 250), "
        "decode(repeat('ab', 32), 'hex') FROM generate_series((SELECT max(number) + 1 FROM audit_entries), 60000) n")
    slow = [slowly(each) for each in visitors[:8]]
    assert [answer.status for answer, _ in slow] == [200] * 8 and slow[0][0].read(100).startswith(b"boxsite-audit-export")
    again = anna.get("/audit/export")
    assert again.status == 429 and "already have a download in progress" in again.problem
    assert ninth.get("/audit/export").status == 503
    assert ninth.get("/audit").status == 200 and anna.get("/boxes").status == 200
    # Eight downloads are the most. After one was closed, the ninth session's download completes while the others still wait.
    slow[7][1].close()
    slow[7][0].close()
    page.server.wait_until(lambda: ninth.get("/audit/export").status == 200)
    whole = ninth.get("/audit/export")
    assert re.search(r"\nend 60000 (ab){32}\n$", whole.text)
    # After sign-out, the download gets no further part, so the file has no last line.
    assert anna.submit(anna.get("/boxes"), "/sign-out").status == 303
    with pytest.raises(http.client.IncompleteRead) as cut:
        slow[0][0].read()
    assert b"\nend 60000 " not in cut.value.partial
    for answer, link in slow:
        answer.close()
        link.close()


def test_a_ward_sees_what_it_did_itself_and_downloads_nothing(page, anna):
    ward = page.administrator("ward", [9]).signed_in()
    add_phone(page, "notseen")
    name = "mine-%d" % page.administrators
    made = ward.submit(ward.get("/box/add"), "/box/add", name=name, number="", groups="9", hours="1")
    assert made.status == 200
    shown = ward.get("/audit")
    assert shown.status == 200 and name in shown.text and numbers(shown)
    assert set(re.findall(r"<bdi>(administrator \d+), page</bdi>", shown.text)) == {
        "administrator " + page.site.database.sql("SELECT id FROM administrators WHERE name = '%s'" % ward.name)}
    for query in ("who=" + anna.name, "who=root", "whom=notseen", "action=init"):
        assert numbers(ward.get("/audit?" + query)) == [], query
    answer = ward.get("/audit/export")
    assert answer.status == 403 and "may not check the audit table" in answer.problem and "entry " not in answer.text
    assert page.administrator("viewer").signed_in().get("/audit/export").status == 200


def test_what_an_entry_carries_stays_text(page, anna):
    phone = add_phone(page, "marked")
    revoke(anna, phone, "<b>\"'&x")
    text = anna.get("/audit?action=phone+revoke&who=" + anna.name).text
    assert "&lt;b&gt;&quot;&#39;&amp;x" in text and "<b>" not in text
    shown = anna.get("/audit?who=%22%3E%3Cb%3E&since=%22%3E%3Cb%3E").text
    assert "<b>" not in shown and "&quot;&gt;&lt;b&gt;" in shown


def test_the_table_is_searched_by_keyboard_and_axe_finds_nothing(page, browser):
    # A small window does not show the reasons.
    browser.browser.call("Emulation.setDeviceMetricsOverride", width=1000, height=680, deviceScaleFactor=1, mobile=False)
    name = signs_in(browser, page)
    browser.enter("Audit")
    browser.sees("Download all")
    found = browser.complaints()
    # The revocation comes only now, so that the open page does not show it.
    page.server.ok("phone", "revoke", add_phone(page, "keyed"), "--yes", "--reason", "by the command")
    browser.tabs_to("Action")
    browser.types("phone revoke")
    browser.enter("Search")
    browser.sees("by the command")
    assert found + browser.complaints() == [] and name
