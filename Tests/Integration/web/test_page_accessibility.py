"""Every screen, in every language, light and dark: axe-core reports nothing, and a screen reader gets every control."""

import pytest
import screens
from thorough import cases

PARTS = {part.__name__: part for part in (screens.before_there_is_a_box, screens.about_a_login, screens.about_a_box)}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", cases(["en"], ["de", "ru"]))
def test_axe_finds_nothing_on_any_screen_and_every_control_has_a_name(used, language, part):
    person = used.in_language(language)
    used.browser.call("Browser.setPermission", permission={"name": "camera"}, setting="granted")
    used.load()
    found = {}
    for name in PARTS[part](used, person):
        for scheme in ("light", "dark"):
            used.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            found[name, scheme] = person.complaints_of_axe()
        found[name, "tree"] = person.complaints_of_tree()
    assert {where: complaints for where, complaints in found.items() if complaints} == {}
    assert len(found) > 15
