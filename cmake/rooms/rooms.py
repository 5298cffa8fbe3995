#!/usr/bin/env python3
"""Holds the code to the map of its rooms, docs/rooms.txt. Usage: rooms.py --check | --draw | --update

--check   says where the code, the map, its drawing and its sentences differ, and fails where they do
--draw    draws the map, docs/rooms.svg, and writes its sentences into docs/architecture.md
--update  writes the arrows that the code has into the map, and draws it; arrows that run up stay errors
"""
import os
import sys
import textwrap

sys.dont_write_bytecode = True

from checks import all_complaints
from drawing import draw
from includes import read_code
from room_map import FLOORS, MAP_PATH, WIDTH, parse_map, text_with_arrows

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRAWING_PATH = "docs/rooms.svg"
PAGE_PATH = "docs/architecture.md"
BEGIN, END = "<!-- rooms -->\n", "<!-- /rooms -->"


def read(path):
    full = os.path.join(ROOT, path)
    if not os.path.exists(full):
        return ""
    with open(full, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
        file.write(text)


def sentences(room_map):
    lines = []
    for floor in FLOORS:
        for room in room_map.rooms.values():
            if room.floor == floor:
                lines += textwrap.wrap(f"- `{room.folder}`: {room.sentence}", WIDTH, subsequent_indent="  ",
                                       break_on_hyphens=False, break_long_words=False)
    return "\n".join(lines) + "\n"


def page_with_sentences(page, room_map):
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE_PATH}: lacks the lines {BEGIN.strip()} and {END}, between which sentences are written")
    return before + BEGIN + sentences(room_map) + END + after


def draw_map(room_map):
    write(DRAWING_PATH, draw(room_map))
    write(PAGE_PATH, page_with_sentences(read(PAGE_PATH), room_map))


def stale_pages(room_map):
    complaints = []
    if read(DRAWING_PATH) != draw(room_map):
        complaints.append(f"{DRAWING_PATH}: is not the drawing of {MAP_PATH}: run {command()} --draw")
    if read(PAGE_PATH) != page_with_sentences(read(PAGE_PATH), room_map):
        complaints.append(f"{PAGE_PATH}: does not have the sentences of {MAP_PATH}: run {command()} --draw")
    return complaints


def command():
    return os.path.relpath(os.path.abspath(__file__), ROOT)


def update(room_map, code):
    targets = {folder: set() for folder in room_map.rooms}
    for source, target in code.arrows():
        if source in targets:
            targets[source].add(target)
    write(MAP_PATH, text_with_arrows(room_map, targets))
    return parse_map(read(MAP_PATH))


def fail_with(complaints):
    if complaints:
        raise SystemExit("\n".join(complaints))


def main(arguments):
    if arguments not in (["--check"], ["--draw"], ["--update"]):
        raise SystemExit(__doc__)
    room_map = parse_map(read(MAP_PATH))
    code = read_code(ROOT)
    if arguments == ["--update"]:
        room_map = update(room_map, code)
    if arguments == ["--check"]:
        fail_with(all_complaints(room_map, code) + ([] if room_map.mistakes else stale_pages(room_map)))
    else:
        fail_with(room_map.mistakes)
        draw_map(room_map)
        if arguments == ["--update"]:
            fail_with(all_complaints(room_map, code))


main(sys.argv[1:])
