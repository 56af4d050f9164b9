"""A code in the page's address, as `boxagent enrol --web --link` shows it."""

import json

from person import Administrator


def open_link(web, code):
    web.launch()
    web.browser.go("about:blank")
    web.browser.go(web.server.url + "#" + code)


def test_a_code_in_the_address_is_taken_out_of_it_and_enrols(web):
    box = web.box()
    # Runs the command on a terminal. Without one, the command declines the digits, which then disappear.
    administrator = Administrator(box)
    code = administrator.code
    open_link(web, code)
    web.wait("document.querySelector('textarea')?.value")
    assert web.js("document.querySelector('textarea').value") == code
    assert "boxlink" not in web.js("location.href")
    # The browser's history changes a moment after the page's address.
    web.browser.until(lambda: "boxlink" not in json.dumps(web.browser.call("Page.getNavigationHistory")["entries"]))
    web.wanted = box.id
    web.tap("Find the box")
    web.wait("document.querySelector('.digits')")
    administrator.leaves()


def test_another_fragment_is_no_code(web):
    open_link(web, "anything else")
    web.sees("No boxes yet")
    assert web.js("location.hash") == ""
