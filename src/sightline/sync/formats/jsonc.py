"""Owned keys in a JSON file with comments: get, set, remove; every byte outside the touched places is unchanged.

`set_value` replaces the span of a value, or adds a member after the last one in the style of its object. What it
added, `remove_value` takes away to the byte. An entry of a list is named by what it says (`entry_step`), so that the
others may come, go and move. Comments beside a removed member stay; those inside it go.
Each edit is read again and compared with what it should have changed before it is returned.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial

from sightline.sync.formats.delimited import ListStyle, insertion, removal
from sightline.sync.formats.failures import NotEditable, WouldDamage
from sightline.sync.formats.json_text import JsonStyle, json_string, json_text
from sightline.sync.formats.jsonc_scanner import Document, Node, scan
from sightline.sync.formats.jsonc_style import style_of
from sightline.sync.formats.splices import (
    Splice,
    body_start,
    decode,
    encode,
    indent_of,
    line_ending,
    newline_before,
    own_line_indent,
    position,
    splice,
)
from sightline.sync.formats.values import (
    MISSING,
    Edited,
    KeyPath,
    Missing,
    Value,
    index_of,
    is_entry,
    is_list,
    is_mapping,
    nested,
    overlapping,
    same_value,
    shown_path,
)


def read_value(content: bytes) -> Value | Missing:
    """The whole value; `MISSING` for a file that is empty but for comments. Raises `Malformed`."""
    root = scan(decode(content)).root
    return MISSING if root is None else root.value


def get_value(content: bytes, path: KeyPath) -> Value | Missing:
    """The value at the path; raises `Malformed`."""
    found = _find(scan(decode(content)), path)
    return MISSING if found is None else found.value


def locate(content: bytes, path: KeyPath) -> tuple[int, int] | None:
    """Line and column of the value at the path."""
    document = scan(decode(content))
    found = _find(document, path)
    return None if found is None else position(document.text, found.start)


def parents_to_make(content: bytes, path: KeyPath, _value: Value | Missing = MISSING) -> tuple[KeyPath, ...]:
    """The objects around the value that `set_value` will have to make; an empty path stands for the root.

    The value makes no difference here; in TOML it does, and both editors are called alike.
    """
    return _parents_to_make(scan(decode(content)), path)


def set_value(content: bytes, path: KeyPath, value: Value) -> bytes:
    """Write the value, with the objects that it needs around it; unchanged if it is there, in the same order of keys.

    A number as the path's last step that is the length of a list adds to the list. Raises `Malformed`,
    `NotEditable`, `Unrenderable`.
    """
    return encode(_set(scan(decode(content)), path, value).text)


def set_values(content: bytes, values: Mapping[KeyPath, Value]) -> Edited:
    """`set_value` for many, in their order; new members of one object are written in one go."""
    if (path := overlapping(values)) is not None:
        raise NotEditable(path, "two edits at once would overlap")
    made: dict[KeyPath, None] = {}
    waiting: dict[KeyPath, Value] = dict(values)
    document = scan(decode(content))
    while waiting:
        path = next(iter(waiting))
        parent = _find(document, path[:-1]) if path else None
        together = {path: waiting[path]}
        if parent is not None and parent.keys is not None and path[-1] not in parent.keys:
            together = {each: value for each, value in waiting.items() if _is_new_member(each, path, parent)}
            document = _checked(document, _new_elements(document, parent, path, len(path) - 1, together), together)
        else:
            made.update(dict.fromkeys(_parents_to_make(document, path)))
            document = _set(document, path, waiting[path])
        waiting = {each: value for each, value in waiting.items() if each not in together}
    return Edited(encode(document.text), tuple(made))


def _parents_to_make(document: Document, path: KeyPath) -> tuple[KeyPath, ...]:
    parents = (path[:length] for length in range(len(path)))
    return tuple(parent for parent in parents if _find(document, parent) is None)


def _set(document: Document, path: KeyPath, value: Value) -> Document:
    found = _find(document, path)
    if found is not None and same_value(found.value, value, ordered=True):
        return document
    if found is not None:
        splices = [Splice(found.start, found.end, _replacement(document, path, found, value))]
    else:
        splices = _addition(document, path, value)
    return _checked(document, splices, {path: value})


def _is_new_member(path: KeyPath, sibling: KeyPath, parent: Node) -> bool:
    is_sibling = len(path) == len(sibling) and path[:-1] == sibling[:-1]
    return is_sibling and isinstance(path[-1], str) and path[-1] not in (parent.keys or ())


def remove_value(content: bytes, path: KeyPath, made: Collection[KeyPath] = ()) -> bytes:
    """Take the value out; unchanged if it is not there.

    `made` are objects that are there for our sake (see `parents_to_make`): those that are left empty, with no comment
    inside, go as well.
    """
    content = _removed(content, path)
    for length in range(len(path) - 1, -1, -1):
        parent = _find(scan(decode(content)), path[:length]) if path[:length] in made else None
        if parent is None or parent.box is None or parent.items or parent.box.comments:
            break
        content = _removed(content, path[:length])
    return content


def _find(document: Document, path: KeyPath) -> Node | None:
    node = document.root
    for step in path:
        node = None if node is None else _child(node, step)
    return node


def _child(node: Node, step: str | int) -> Node | None:
    index = _index(node, step)
    return None if index is None else node.items[index]


def _index(node: Node, step: str | int) -> int | None:
    if isinstance(step, int):
        is_list_there = node.box is not None and node.keys is None
        return index_of([item.value for item in node.items], step) if is_list_there else None
    return node.keys.index(step) if node.keys is not None and step in node.keys else None


def _replacement(document: Document, path: KeyPath, node: Node, value: Value) -> str:
    text = document.text
    is_one_line_list = bool(node.items) and "\n" not in text[node.start : node.end]
    parent = _find(document, path[:-1])
    index = None if parent is None or not path else _index(parent, path[-1])
    if parent is None or parent.box is None or index is None:
        begins_line = True
    else:
        begins_line = own_line_indent(text, parent.box.elements[index].start) is not None
    indent = indent_of(text, node.start) if begins_line and not is_one_line_list else None
    return json_text(value, style_of(document, node), indent)


def _addition(document: Document, path: KeyPath, value: Value) -> list[Splice]:
    node = document.root
    if node is None:
        return [_new_root(document.text, nested(path, value))]
    for depth, step in enumerate(path):
        child = _child(node, step)
        if child is None:
            return _new_elements(document, node, path, depth, {path: value})
        node = child
    raise WouldDamage("the value to add is there")


def _new_root(text: str, value: Value) -> Splice:
    if not is_mapping(value):
        raise NotEditable((), "an empty file can only become an object")
    style = JsonStyle(eol=line_ending(text))
    rendered = json_text(value, style, "")
    # A file without a last line end stays one, which also tells how it was before.
    is_complete = len(text) == body_start(text) or text[-1] in "\r\n"
    return Splice(len(text), len(text), rendered + style.eol if is_complete else style.eol + rendered)


def _new_elements(
    document: Document, node: Node, path: KeyPath, depth: int, values: Mapping[KeyPath, Value]
) -> list[Splice]:
    """Add to the node at `path[:depth]` what the paths of the values, alike up to there, lead to."""
    step = path[depth]
    if node.box is None or (node.keys is None) != isinstance(step, int):
        raise NotEditable(path, f"`{shown_path(path[:depth])}` is not {_wanted(step)}")
    if isinstance(step, int) and step != len(node.items) and not is_entry(step):
        raise NotEditable(path, "the list is not that long")
    if any(isinstance(each, int) and not is_entry(each) for each in path[depth + 1 :]):
        raise NotEditable(path, "a new list cannot be addressed by number")
    style = style_of(document, node)
    members = [(each[depth], nested(each[depth + 1 :], value)) for each, value in values.items()]
    is_scalar_list = node.keys is None and not any(is_mapping(value) or is_list(value) for _, value in members)
    list_style = ListStyle(style.eol, style.unit, style.comma[1:], breaks_when_empty=not is_scalar_list)
    renders = [partial(_member_text, key, value, style) for key, value in members]
    return insertion(document.text, node.box, renders, list_style)


def _member_text(key: str | int, value: Value, style: JsonStyle, indent: str | None) -> str:
    name = "" if isinstance(key, int) else json_string(key) + style.colon
    return name + json_text(value, style, indent)


def _wanted(step: str | int) -> str:
    return "a list" if isinstance(step, int) else "an object"


def _removed(content: bytes, path: KeyPath) -> bytes:
    document = scan(decode(content))
    if _find(document, path) is None:
        return content
    if not path:
        return _without_root(document)
    parent = _find(document, path[:-1])
    index = None if parent is None else _index(parent, path[-1])
    if parent is None or parent.box is None or index is None:
        raise WouldDamage("a value without a parent")
    return encode(_checked(document, removal(document.text, parent.box, index), {path: MISSING}).text)


def _without_root(document: Document) -> bytes:
    text, root = document.text, document.root
    if root is None:
        return encode(text)
    if root.end == len(text):
        return encode(text[: newline_before(text, root.start)])
    eol = line_ending(text)
    end = root.end + len(eol) if text.startswith(eol, root.end) else root.end
    return encode(text[: root.start] + text[end:])


def _checked(document: Document, splices: list[Splice], values: Mapping[KeyPath, Value | Missing]) -> Document:
    after = scan(splice(document.text, splices))
    wanted: Value = {} if document.root is None else document.root.value
    for path, value in values.items():
        wanted = _changed(wanted, path, value)
    if after.root is None or not same_value(after.root.value, wanted, ordered=True):
        raise WouldDamage("the text would not say what it should after the edit")
    return after


def _changed(before: Value, path: KeyPath, value: Value | Missing) -> Value:
    """What the whole file should say after the edit."""
    if not path:
        return None if isinstance(value, Missing) else value
    step, rest = path[0], path[1:]
    entries: Value = () if is_entry(step) and not is_list(before) else before
    if is_list(entries) and isinstance(step, int):
        at = index_of(entries, step)
        if at is None:
            return [*entries, *([] if isinstance(value, Missing) else [nested(rest, value)])]
        changed = [_changed(entries[at], rest, value)] if rest or value is not MISSING else []
        return [*entries[:at], *changed, *entries[at + 1 :]]
    members = dict(before) if is_mapping(before) else {}
    key = str(step)
    if not rest and isinstance(value, Missing):
        members.pop(key, None)
    else:
        members[key] = _changed(members.get(key, {}), rest, value)
    return members
