"""Blanks out what is not code in Swift text, so that checks can look for words and braces."""

import re

# A string inside an interpolation, and what stands between an interpolation's brackets, so many deep.
_PLAIN = r'"(?:\\.|[^"\\\n])*"'
_INSIDE = r'(?:[^()"]|%s)*' % _PLAIN
for _ in range(5):
    _INSIDE = r'(?:[^()"]|%s|\(%s\))*' % (_PLAIN, _INSIDE)
_INTERPOLATION = r"\\\(%s\)" % _INSIDE
# Block comments are refused by swift-format (NoBlockComments), and code behind one is no code here either.
_NO_CODE = re.compile("|".join([
    r"//[^\n]*", r"/\*.*?\*/",
    r'(#+)""".*?"""\1', r'(#+)".*?"\2',
    r'"""(?:%s|\\.|[^\\])*?"""' % _INTERPOLATION,
    r'"(?:%s|\\.|[^"\\\n])*"' % _INTERPOLATION,
]), re.DOTALL)


def blank(text):
    """The text with the content of comments and strings replaced by spaces; line breaks and positions stay.

    Interpolations in strings are blanked as well: what they call is rarely more than a name.
    """
    return _NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def last_line(lines, first):
    """Where the declaration ends that begins on line `first` (from 0) of blanked text; None when it has no body.

    The formatter has put its closing brace below its beginning, and what goes on with its head begins with one of these.
    """
    if "{" in lines[first] and lines[first].count("{") == lines[first].count("}"):
        return first
    column = len(lines[first]) - len(lines[first].lstrip())
    for number in range(first + 1, len(lines)):
        start = lines[number].lstrip()
        if not start or len(lines[number]) - len(start) > column:
            continue
        if len(lines[number]) - len(start) == column and start.startswith("}"):
            return number
        if not start.startswith((")", "{", "where", "->", "throws", "async", "rethrows")):
            return None
    return None
