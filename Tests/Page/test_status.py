"""The page's report about the site server."""
from administrators import open_socket


def test_what_has_to_be_done_soon_and_why_nothing_is_signed_is_shown(own_page):
    page = own_page().start()
    anna = page.administrator("viewer").signed_in()
    for path in ("/status", "/boxes"):
        assert "To do soon" not in anna.get(path).text
    page.server.stop()
    (page.server.state / "issuers.key").write_bytes(bytes(range(128)))
    page.server.start()
    open_socket(page.server)
    for path in ("/status", "/boxes"):
        text = anna.get(path).text
        assert "To do soon: this server lacks the keys" in text and "Signing has stopped: " in text, path


def test_the_status_names_root_and_document_as_the_command_does(page):
    anna = page.administrator("viewer").signed_in()
    status = page.server.status()
    text = anna.get("/status").text
    assert "<dd>Root %d, version %d</dd>" % (status["document"] >> 32, status["document"] & 0xFFFFFFFF) in text
    assert "<dd>%d</dd>" % (status["generation"] & 0xFFFFFFFF) in text
