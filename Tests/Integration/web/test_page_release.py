"""A new release during a login, and a core that traps."""

import pytest
from other_release import release, that_traps
from page_server import PageServer

NEW = "Your boxes, in the new release"
PIN = "4711471147114711471147114711"
# The length of the event `["pin", PIN]` in CBOR. No other event to the core is as long.
PIN_EVENT = 1 + 4 + 2 + len(PIN)


def newer(source):
    """Changes a text and the interface of the core's worker, so that files of both releases cannot work together."""
    path = source / "po/en.po"
    path.write_text(path.read_text().replace('"Your boxes"', '"%s"' % NEW))
    worker = source / "core.js"
    worker.write_text(worker.read_text().replace("call ===", "order ===").replace("module, call,", "module, order,"))
    errand = source / "errand.js"
    errand.write_text(errand.read_text().replace("{ call, bytes,", "{ order: call, bytes,"))


def served(web, folder, port=0):
    """Starts the host again, because it reads a release only at its start."""
    web.server.stop()
    web.page, web.server = folder, PageServer(folder, port)


def workers(web):
    """Returns the state of each version of the service worker."""
    return {each["versionId"]: each["status"] for event in web.browser.events if event["method"] == "ServiceWorker.workerVersionUpdated"
            for each in event["params"]["versions"]}


@pytest.mark.parametrize("visit", ["first", "second"])
def test_a_release_that_comes_in_the_middle_of_a_login_waits_for_its_end(web, directory, visit):
    folder = release(directory / "host", web.page)
    served(web, folder)
    box = web.box()
    web.launch().ready(box)
    web.js("navigator.serviceWorker.ready.then(() => true)")
    if visit == "second":
        web.load().sees("Your boxes")
    web.wanted = box.id
    web.tap("Log in at box " + box.id)
    web.sees("Enter your PIN")
    served(web, release(folder, web.page, newer), web.server.port)
    web.js("navigator.serviceWorker.ready.then(found => found.update()).then(() => true)")
    web.js("""navigator.serviceWorker.ready.then(async found => {
        while (!found.waiting) await new Promise(done => setTimeout(done, 50)); return true; })""")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.keys("4711")
    web.tap("Log in at box " + box.id)
    web.sees("You are logged in")
    assert program.wait() == 0
    # After a reload, the page is still the complete old release. The new one starts when no tab of the old one is left.
    web.load().sees("Your boxes")
    assert NEW not in web.shown
    old = web.browser.target
    web.browser.attach(web.browser.call("Target.createTarget", url="about:blank")["targetId"])
    web.browser.call("ServiceWorker.enable")
    web.browser.until(lambda: "installed" in workers(web).values())
    web.browser.call("Target.closeTarget", targetId=old)
    (new,) = [worker for worker, status in workers(web).items() if status == "installed"]
    web.browser.until(lambda: workers(web)[new] == "activated")
    web.load().sees(NEW)
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.log_in(box)
    web.sees("You are logged in")
    assert program.wait() == 0


@pytest.mark.parametrize("later", [False, True], ids=["when it gets the PIN", "behind the PIN"])
def test_a_core_that_traps_ends_the_order_and_says_that_it_is_not_known(web, directory, later):
    box = web.box()
    folder = release(directory / "host", web.page, core=that_traps((web.page / "boxphone.wasm").read_bytes(), PIN_EVENT, later))
    served(web, folder)
    web.launch()
    web.enrol(box)
    web.store(box, pin=PIN)
    web.tap("To the boxes")
    web.log_in(box, PIN)
    web.sees("Box %s may or may not have done it." % box.id)
    web.tap("To the boxes")
    # The next operation uses a new core.
    web.tap("Show session")
    web.sees("This phone has no open session there.")
