"""The page's data of a site, command by command. docs/reference/phone-core.md defines what a store does."""

import json

MADE = """import("./site-store.js").then(({ changed, facts, siteRow, visited }) => {
    const bytes = (count, fields) => {
        const made = new Uint8Array(count);
        for (const [place, value] of Object.entries(fields)) made[Number(place)] = value;
        return made;
    };
    // The last byte of a number of eight: version and generation of a document, generation and time of a head, expiry and generation of an entry.
    const document = (version, generation) => bytes(162, { 24: version, 32: generation });
    const head = (generation, time) => bytes(137, { 16: generation, 72: time });
    const entry = (expiry, generation, box) => bytes(122, { 2: box, 41: expiry, 49: generation });
    const grant = (user, expiry, groups = 1) => {
        const made = bytes(84 + 2 * groups + 64 + 64, { 9: 7, 57: 1, 81: expiry, 82: groups, [83 + 2 * groups]: new TextEncoder().encode(user).length });
        made.set(new TextEncoder().encode(user), 84 + 2 * groups);
        return made;
    };
    const key = number => bytes(32, { 31: number });
    const kept = { id: bytes(16, {}), isSite: true, site: bytes(16, { 0: 0xab }), document: document(1, 1), grant: grant("anna", 9),
        entry: null, head: null, entries: [], holders: [key(1)], key: null, secret: null };
    const seen = row => row && { version: row.document[24], head: row.head && row.head[72], entries: row.entries.map(each => each[2]),
        holders: row.holders.map(each => each[31]), expiry: row.grant[81], isStopped: row.entry !== null };
    %s
})"""


def done(used, body):
    return used.js(MADE % body)


def test_news_are_a_union_within_one_generation_and_what_had_expired_goes(used):
    found = done(used, """
        const first = changed(kept, "siteNews", [document(1, 1), document(2, 1), null, [entry(50, 1, 1), entry(60, 1, 2)]]);
        const again = changed(first, "siteNews", [document(2, 1), document(2, 1), head(1, 50), [entry(60, 1, 2), entry(70, 1, 3)]]);
        return [first, again, changed(again, "siteNews", [document(2, 1), document(3, 2), null, [entry(90, 2, 4)]]),
            changed(kept, "siteNews", [document(7, 1), document(8, 1), null, []])].map(seen);""")
    assert [each and (each["version"], each["head"], each["entries"]) for each in found] == [
        (2, None, [1, 2]), (2, 50, [2, 3]), (3, None, [4]), None]


def test_a_new_grant_is_at_no_box_yet_and_takes_the_place_of_the_one_that_the_core_means_only(used):
    found = done(used, """
        return [changed(kept, "siteGrant", [grant("anna", 20), grant("anna", 9)]), changed(kept, "siteGrant", [grant("anna", 20), grant("anna", 8)]),
            changed(kept, "keepSite", [kept.site, document(1, 1), grant("anna", 9), null]),
            changed(kept, "keepSite", [kept.site, document(1, 1), grant("anna", 30), null])].map(seen);""")
    assert [(each["expiry"], each["holders"]) for each in found] == [(20, []), (9, [1]), (9, [1]), (30, [])]


def test_256_boxes_that_have_the_grant_are_remembered_and_one_that_lost_it_is_not(used):
    found = done(used, """
        let row = kept;
        for (let number = 0; number < 300; number++) row = changed(row, "noteSiteBox", [bytes(32, { 0: number >> 8, 31: number & 255 }), true]);
        const count = row.holders.length;
        row = changed(row, "noteSiteBox", [row.holders[255], false]);
        return [count, row.holders.length, row.holders[0][31], changed(row, "stopSite", [entry(1, 1, 1)]).entry.length, changed(row, "other", [])];""")
    assert found == [256, 255, 44, 122, None]


def test_what_a_grant_says_is_read_where_it_stands(used):
    found = done(used, """
        const { name, user, until, isSiteHeld } = facts({ ...kept, grant: grant("äneas", 77, 3) });
        return [name, new TextDecoder().decode(user), until, isSiteHeld, siteRow(kept)[1][0], siteRow(kept).length];""")
    assert found == ["ab0000000000", "äneas", 77, False, 7, 8], json.dumps(found)


def test_three_boxes_where_somebody_was_last_are_remembered_and_a_new_grant_forgets_none(used):
    found = done(used, """
        let row = kept;
        for (const digits of ["000001", "000002", "000001", "000003", "000004"]) row = changed(row, "visited", [digits]);
        return [visited(kept), visited(row), visited(changed(row, "keepSite", [kept.site, document(1, 1), grant("anna", 30), null]))];""")
    assert found == [[], ["000004", "000003", "000001"], ["000004", "000003", "000001"]]
