"""Floods a box with connections without end. It is a separate process, because the loopback radio treats each process as a phone.

    flood.py AIR BOX_ID half-open             opens link after link and sends nothing
    flood.py AIR BOX_ID wrong-secret CODE     begins enrolment after enrolment with CODE, whose secret is wrong

Prints a line for each attempt. A signal ends it.
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
        # An attempt also counts if the box closes its link.
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
