"""Variants of our release of the page: one with a different text, and one with a core that traps."""

import importlib.util
import pathlib
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[3]


def release(folder, page, change=lambda source: None, core=None):
    """Puts a release into `folder`. Scripts/web_page.py makes it from the page's sources after `change` has edited them."""
    source = folder.parent / (folder.name + "-source")
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "Phones/Web", source)
    change(source)
    folder.mkdir(exist_ok=True)
    (folder / "boxphone.wasm").write_bytes((page / "boxphone.wasm").read_bytes() if core is None else core)
    specification = importlib.util.spec_from_file_location("web_page", ROOT / "Scripts/web_page.py")
    maker = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(maker)
    maker.SOURCE, maker.PLACE = source, folder
    maker.main()
    return folder


def number(data, place):
    """Reads an unsigned LEB128 number. Returns (value, position after it)."""
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place


def leb(value):
    out = bytearray()
    while True:
        out.append(value & 0x7F | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            return bytes(out)


def sections(module):
    place = 8
    while place < len(module):
        size, start = number(module, place + 1)
        yield module[place], module[start:start + size]
        place = start + size


def exported(section, name):
    """Returns the index of the function that is exported under that name."""
    count, place = number(section, 0)
    for _ in range(count):
        size, place = number(section, place)
        found = section[place:place + size].decode()
        kind = section[place + size]
        index, place = number(section, place + size + 1)
        if kind == 0 and found == name:
            return index
    raise LookupError(name)


def with_prefix(code, index, prefix):
    """Returns the code section with instructions inserted at the start of one function."""
    count, place = number(code, 0)
    bodies = []
    for each in range(count):
        size, start = number(code, place)
        body = code[start:start + size]
        if each == index:
            groups, after = number(body, 0)
            for _ in range(groups):
                _, after = number(body, after)
                after += 1
            body = body[:after] + prefix + body[after:]
        bodies.append(leb(len(body)) + body)
        place = start + size
    return leb(count) + b"".join(bodies)


def that_traps(core, count, later):
    """Returns the core with a `boxphone_event` that traps (WebAssembly core specification 1.0, section 5.4) at an event of `count`
    bytes, or at the next one if `later`. The first bytes of its memory, to which no pointer leads, record the event."""
    trap = bytes([0x00])
    mark = bytes([0x41, 8, 0x41, 1, 0x36, 2, 0])
    is_it = bytes([0x20, 1, 0x41]) + signed(count) + bytes([0x46, 0x04, 0x40])
    prefix = is_it + trap + b"\x0b"
    if later:
        prefix = bytes([0x41, 8, 0x28, 2, 0, 0x04, 0x40]) + trap + b"\x0b" + is_it + mark + b"\x0b"
    parts = list(sections(core))
    imports, exports = (next(content for kind, content in parts if kind == wanted) for wanted in (2, 7))
    # The index counts the imported functions first, and all imports of the core are functions.
    index = exported(exports, "boxphone_event") - number(imports, 0)[0]
    parts = [(kind, with_prefix(content, index, prefix) if kind == 10 else content) for kind, content in parts]
    return core[:8] + b"".join(bytes([kind]) + leb(len(content)) + content for kind, content in parts)


def signed(value):
    """Encodes a number below 64 as signed LEB128."""
    assert value < 64
    return bytes([value])
