"""A connection that floods a box without end, as a process of its own: to the loopback radio a process is a phone.

    flood.py AIR BOX_ID half-open             opens link after link and says nothing
    flood.py AIR BOX_ID wrong-secret CODE     begins enrolment after enrolment with CODE, whose secret is wrong

Prints a line for each thing it tried, and is ended by a signal.
"""
import contextlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import loopback_air as air  # noqa: E402
from independent_phone import EnrolmentCode, KeyPair, Opening, Segments  # noqa: E402

KEPT = 4


def half_open(path, links):
    link = air.Link(path)
    link.subscribe()
    links.append(link)
    if len(links) > KEPT:
        links.pop(0).close()


def wrong_secret(path, code, key):
    link = air.Link(path)
    try:
        identity = link.read(air.IDENTITY)
        link.subscribe()
        for segment in Segments(link.att_mtu).cut(Opening(identity, key, code.box_key, code).message):
            link.write(segment)
        link.notification()
        raise SystemExit("the wrong secret was answered")
    finally:
        link.close()


def main(directory, box_id, kind, code=None):
    code, key, links = code and EnrolmentCode(code), KeyPair.new(), []
    path = None
    while True:
        # The box ends what it does not want: that is what is counted.
        with contextlib.suppress(air.LinkEnded, OSError):
            path = path or air.boxes(directory).get("Box " + box_id)
            if path is None:
                continue
            if kind == "half-open":
                half_open(path, links)
            else:
                wrong_secret(path, code, key)
        print("tried", flush=True)


main(*sys.argv[1:])
