"""The page names the items of the core's lists, and some result codes, as the core does."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
NAMED = (ROOT / "Phones/Web/named.js").read_text()


def of_page(what):
    return re.search(r'const %s = list => named\(list, "([^"]*)"\)' % what, NAMED)[1].split()


def of_core(file, kind):
    """Returns the names of the values that the type's `write` writes, in their order."""
    text = (ROOT / "Sources/PhoneABI" / file).read_text()
    body = re.search(r"^extension %s \{.*?^    func write\(.*?\) \{\n(.*?)^    \}" % kind, text, re.MULTILINE | re.DOTALL)[1]
    written = re.findall(r"writer\.(?!array|null)\w+\((\w+(?:\.\w+)*)", body)
    assert len(written) == int(re.search(r"array\((\d+)\)", body)[1]) if "Self.fields" not in body else len(written) == 11, written
    return [re.sub(r"^(autoLogout|detail)\.|\.(rawValue|word)$", "", each) for each in written]


def test_the_items_of_a_box_a_state_and_a_warning_are_named_in_the_cores_order():
    assert of_page("box") == of_core("KnownBox+Coding.swift", "KnownBox")
    assert of_page("state") == of_core("RequestOutcome+Writing.swift", "BoxState")
    assert of_page("warning") == of_core("RequestOutcome+Writing.swift", "LogoutWarning")


def test_a_refusal_has_a_word_a_code_and_two_details():
    text = (ROOT / "Sources/PhoneABI/RequestOutcome+Writing.swift").read_text()
    refused = text.split("case .refused")[1].split("}")[0]
    names = re.findall(r"writer\.\w+\((?:detail\.)?(\w+)(?:\.rawValue)?\)", refused.replace('"refused"', "word"))
    assert names == ["4", *of_page("outcome")]


def test_the_pages_result_codes_are_the_protocols():
    text = (ROOT / "Sources/PhoneMessages/ResultCode.swift").read_text()
    core = {name: int(number) for name, number in re.findall(r"case (\w+) = (\d+)", text)}
    page = {name: int(number) for name, number in re.findall(r"(\w+): (\d+)", re.search(r"CODES = \{(.*?)\}", NAMED)[1])}
    assert len(page) == 7 and page == {name: core[name] for name in page}
