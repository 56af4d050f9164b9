"""Every sentence in every language, and the page's own size and headers."""

import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCES = sorted((ROOT / "Phones/Web").glob("*.js"))
FAILURES = re.compile(r"`(\w+)`")


def texts(page, code):
    return json.loads((page / ("texts-%s.json" % code)).read_text())


@pytest.mark.parametrize("code, none, add", [
    ("de", "Noch keine Box", "Box hinzufügen"), ("ru", "Боксов пока нет", "Добавить бокс"), ("fr", "No boxes yet", "Add a box")])
def test_the_page_speaks_the_browsers_language_or_english(web, code, none, add):
    web.launch(code).sees(none)
    web.sees(add)


def test_a_language_that_was_chosen_stays(web):
    web.launch()
    web.tap("Settings")
    web.wait("document.querySelector('select')")
    web.js("""(() => { const s = document.querySelector("select"); s.value = "ru"; s.dispatchEvent(new Event("change")); })()""")
    web.sees("Настройки")
    web.load().sees("Боксов пока нет")
    assert web.js("document.documentElement.lang") == "ru"


def test_every_text_has_the_same_places_in_every_language(page):
    english = texts(page, "en")
    for code in ("de", "ru"):
        for key, text in texts(page, code).items():
            assert set(re.findall(r"\{\d\}", text)) == set(re.findall(r"\{\d\}", english[key])), (code, key)


def test_every_text_that_the_page_asks_for_is_there(page):
    asked = set()
    for path in SOURCES:
        asked |= set(re.findall(r'(?:say|paragraph|plain|field|refused|pinPad)\("([a-z][\w.]*\w)"', path.read_text()))
    assert len(asked) > 60
    assert asked <= texts(page, "en").keys()


def test_every_result_code_and_every_failure_has_a_sentence(page):
    english = texts(page, "en")
    codes = re.findall(r"^\| (\d+) \| [a-z-]+ \|", (ROOT / "docs/reference/protocol.md").read_text().split("## 12.")[1].split("## 13.")[0], re.M)
    assert len(codes) == 38
    # Codes 25 to 32 refuse a grant, which `f.grantRefused` covers.
    assert [code for code in codes if int(code) not in (0, *range(25, 33)) and "r." + code not in english] == []
    failures = (ROOT / "docs/reference/phone-core.md").read_text().split("A failure is a word and texts")[1]
    words = FAILURES.findall(failures)
    assert len(words) > 20
    assert [word for word in words if "f." + word not in english] == []
