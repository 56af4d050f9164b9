"""Blanks out what is not code in Swift text, so that checks can look for words and braces."""


def blank(text):
    """The text with the content of comments and strings replaced by spaces; line breaks and positions stay.

    Interpolations in strings are blanked as well: what they call is rarely more than a name.
    """
    out, at, end = [], 0, len(text)
    while at < end:
        stop = _token_end(text, at)
        if stop is None:
            out.append(text[at])
            at += 1
        else:
            out.append("".join("\n" if c == "\n" else " " for c in text[at:stop]))
            at = stop
    return "".join(out)


def _token_end(text, at):
    """Where the comment or string that begins at `at` ends; None when none begins there."""
    if text.startswith("//", at):
        stop = text.find("\n", at)
        return len(text) if stop < 0 else stop
    if text.startswith("/*", at):
        return _block_comment_end(text, at)
    hashes = 0
    while text.startswith("#", at + hashes):
        hashes += 1
    if text.startswith('"', at + hashes):
        return _string_end(text, at + hashes, "#" * hashes)
    return None


def _block_comment_end(text, at):
    depth = 0
    while at < len(text):
        if text.startswith("/*", at):
            depth, at = depth + 1, at + 2
        elif text.startswith("*/", at):
            depth, at = depth - 1, at + 2
            if depth == 0:
                return at
        else:
            at += 1
    return at


def _string_end(text, at, hashes):
    quote = '"""' if text.startswith('"""', at) else '"'
    close, escape, opening = quote + hashes, "\\" + hashes, "\\" + hashes + "("
    at += len(quote)
    while at < len(text):
        if text.startswith(close, at):
            return at + len(close)
        if text.startswith(opening, at):
            at = _interpolation_end(text, at + len(opening))
        elif text.startswith(escape, at):
            at += len(escape) + 1
        elif quote == '"' and text[at] == "\n":
            return at
        else:
            at += 1
    return at


def _interpolation_end(text, at):
    depth = 1
    while at < len(text) and depth:
        stop = _token_end(text, at)
        if stop is not None:
            at = stop
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at
