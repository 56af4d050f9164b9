"""Stops the page with the debugger at one of its stores or sends. At that point, a test kills the browser or continues."""

import json

# Each point that the page passes has a name: "before put boxes", "after put notes", "before write", "after notification". The
# prefix "2:" means the second link. Links are counted from the page's load.
SCRIPT = """(() => {
    const wanted = %s, passed = {};
    let links = 0;
    globalThis.points = [];
    const pass = name => {
        points.push(name);
        passed[name] = (passed[name] ?? 0) + 1;
        if (name === wanted[0] && passed[name] === wanted[1]) debugger;
    };
    const { put } = IDBObjectStore.prototype, { transaction } = IDBDatabase.prototype;
    IDBDatabase.prototype.transaction = function (...rest) {
        const work = transaction.apply(this, rest);
        work.addEventListener("complete", () => { if (work.wrote) pass("after put " + work.wrote); });
        return work;
    };
    IDBObjectStore.prototype.put = function (...rest) {
        pass("before put " + this.name);
        this.transaction.wrote = this.name;
        return put.apply(this, rest);
    };
    const { connect } = BluetoothRemoteGATTServer.prototype, value = BluetoothRemoteGATTCharacteristic.prototype,
        write = value.writeValueWithoutResponse, listen = value.addEventListener;
    BluetoothRemoteGATTServer.prototype.connect = function () { links += 1; return connect.call(this); };
    value.writeValueWithoutResponse = function (bytes) { pass(links + ":before write"); return write.call(this, bytes); };
    value.addEventListener = function (name, heard, ...rest) {
        return listen.call(this, name, event => { pass(links + ":notification"); heard.call(this, event); }, ...rest);
    };
})();"""


def stop_at(web, name, count=1):
    """Makes the page stop when it passes the point `name` for the `count`th time. Takes effect at the next load."""
    web.browser.call("Debugger.enable")
    return web.browser.call("Page.addScriptToEvaluateOnNewDocument", source=SCRIPT % json.dumps([name, count]))["identifier"]


def has_stopped(web):
    return any(event["method"] == "Debugger.paused" for event in web.browser.events)


def kill_there(web):
    """Waits until the page has stopped, kills the browser, and starts it again on the same profile."""
    web.browser.until(lambda: has_stopped(web))
    kill(web)


def kill(web):
    web.browser.kill()
    # The phone's Bluetooth ends a link that no program uses any more.
    web.zoo.lose_link(web.zoo.device(0, 1))
    web.launch()
