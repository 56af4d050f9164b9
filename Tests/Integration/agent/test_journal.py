"""Standard error as systemd connects it, and as other callers do (systemd.exec(5), JOURNAL_STREAM)."""

import os


def test_an_inherited_journal_stream_is_not_taken_for_ones_own(make_box):
    box = make_box(start=False)
    os.environ["JOURNAL_STREAM"] = "1:2"
    try:
        box.start()
    finally:
        del os.environ["JOURNAL_STREAM"]
    assert "boxagentd: ready: box" in box.agent.err and "<5>" not in box.agent.err
