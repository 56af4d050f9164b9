#!/usr/bin/env python3
"""Writes nfc.txt: texts and their Unicode normalisation form C, computed by Python's unicodedata, not by utf8proc. Some texts are
chosen. The others are random sequences of letters, Hangul and combining marks from a fixed seed.

    python3 generate_nfc.py
"""
import pathlib
import random
import unicodedata

CHOSEN = {
    "ASCII": "1234 abcd",
    "empty": "",
    "decomposed e acute": "cafe\u0301",
    "precomposed e acute": "caf\u00e9",
    "angstrom sign": "\u212b",
    "ohm sign": "\u2126",
    "two marks in wrong order": "q\u0307\u0323",
    "marks that block each other": "a\u0315\u0300\u05ae\u0300b",
    "Vietnamese": "Vie\u0323\u0302t Nam",
    "Hangul jamo": "\u1112\u1161\u11ab\u1100\u1173\u11af",
    "Hangul syllables": "\ud55c\uae00",
    "composition exclusion": "\u0958\ufb1d",
    "non-starter decomposition": "\u0344",
    "compatibility forms stay": "\ufb01\u00b2\uff11\u2460",
    "Cyrillic": "\u0438\u0306\u0451",
    "emoji with joiners": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "outside the basic plane": "\U0001109a\U0001d15e\U00011131\U00011127",
    "ignorable soft hyphen stays": "a\u00adb",
    "no-break space stays": "a\u00a0b",
    "private use stays": "\ue000",
}


def main():
    rng = random.Random(20261121)
    alphabet = [chr(c) for c in list(range(0x41, 0x5B)) + list(range(0xC0, 0x180)) + list(range(0x300, 0x345))
                + list(range(0x1100, 0x1113)) + list(range(0x1161, 0x1176)) + list(range(0x11A8, 0x11C3))
                + list(range(0x1E00, 0x1F00)) + list(range(0x0915, 0x0960)) + list(range(0x0653, 0x0656))]
    cases = dict(CHOSEN)
    for number in range(100):
        cases[f"random {number}"] = "".join(rng.choice(alphabet) for _ in range(rng.randint(1, 16)))
    lines = ["# Unicode normalisation form C, in UTF-8; written by generate_nfc.py, which says how."]
    for name, text in cases.items():
        lines += ["", f"[{name}]", f"text = {text.encode().hex()}".rstrip(),
                  f"nfc = {unicodedata.normalize('NFC', text).encode().hex()}".rstrip()]
    (pathlib.Path(__file__).parent / "nfc.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
