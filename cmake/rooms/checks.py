"""Where the code and the map of its rooms differ. Each check gives a list of complaints."""
import os

from includes import HEADER, floor_of, room_of
from room_map import FLOORS, MAP_PATH

MOST_FILES = 25
# What tests/ has beside the rooms: tests of the whole library, and what tests are made of.
OTHER_TEST_FOLDERS = {"faces", "mutants", "whole", "tools", "support", "plugin", "fuzz", "package"}


def all_complaints(room_map, code):
    complaints = list(room_map.mistakes)
    for check in (missing_rooms, empty_rooms, full_rooms, forbidden_includes, unused_arrows, idle_headers,
                  examples_inside, tests_without_room):
        complaints += check(room_map, code)
    return complaints


def missing_rooms(room_map, code):
    return [f"{folder}: has sources ({files[0]}), and is not a room of {MAP_PATH}"
            for folder, files in code.files_of_rooms().items() if folder not in room_map.rooms]


def empty_rooms(room_map, code):
    return [f"{MAP_PATH}:{room.line}: {room.folder} has no sources"
            for room in room_map.rooms.values() if room.folder not in code.files_of_rooms()]


def full_rooms(_, code):
    return [f"{folder}: has {len(files)} source files, and a room at most {MOST_FILES}: divide it"
            for folder, files in code.files_of_rooms().items() if len(files) > MOST_FILES]


def forbidden_includes(room_map, code):
    complaints = []
    for include in code.inner_includes():
        source, target = room_of(include.file), room_of(include.header)
        if source == target or (source in room_map.rooms and target in room_map.rooms[source].arrows):
            continue
        where = f"{include.file}:{include.line}: includes {include.written}"
        complaints.append(f"{where}, {reason_against(room_map, source, target)}")
    return complaints


def reason_against(room_map, source, target):
    if floor_of(source) == "include" and floor_of(target) != "include":
        return "which is private: a public header includes public headers only"
    if floor_of(target) not in FLOORS:
        return f"which lies in {target}, outside the library"
    for folder in (source, target):
        if folder not in room_map.rooms:
            return f"and {folder} is not a room of {MAP_PATH}"
    if not room_map.stands_below(target, source):
        return (f"and {target} ({MAP_PATH}:{room_map.rooms[target].line}) stands above {source} "
                f"({MAP_PATH}:{room_map.rooms[source].line}): arrows run down only")
    return (f"and {MAP_PATH} has no arrow from {source} to {target}; to allow it: "
            f"{place_for_arrow(room_map.rooms[source], target)}, or rooms.py --update")


def place_for_arrow(room, target):
    lines = [line for other, line in room.arrows.items() if floor_of(other) == floor_of(target)]
    if lines:
        return f'add "{target}" to {MAP_PATH}:{max(lines)}'
    return f'add a line "  -> {target}" after {MAP_PATH}:{room.last_line}'


def unused_arrows(room_map, code):
    """Those that run up are mistakes already."""
    used = code.arrows()
    return [f"{MAP_PATH}:{line}: no include goes from {room.folder} to {target} any more; take the arrow out "
            "(rooms.py --update)"
            for room in room_map.rooms.values() for target, line in room.arrows.items()
            if (room.folder, target) not in used and target in room_map.rooms
            and room_map.stands_below(target, room.folder)]


def idle_headers(_, code):
    """Private headers that the library does not need: that their own source files include them does not count."""
    used = {include.header for include in code.inner_includes() if stem(include.file) != stem(include.header)}
    outside = {include.header for include in code.includes if floor_of(include.file) not in FLOORS}
    return [f"{file}: {'only tests, benches or examples use it' if file in outside else 'nothing uses it'}"
            for file in code.files
            if HEADER.search(file) and floor_of(file) in FLOORS[1:] and file not in used]


def stem(file):
    return os.path.splitext(file)[0]


def examples_inside(_, code):
    return [f"{include.file}:{include.line}: includes {include.written}, and examples include public headers only"
            for include in code.includes
            if floor_of(include.file) == "examples" and floor_of(include.header) not in ("examples", "include")]


def tests_without_room(room_map, code):
    parents = {parent for folder in room_map.rooms for parent in parents_of(folder)}
    complaints = []
    for folder in sorted(code.folders):
        top, _, mirrored = folder.partition("/")
        if top != "tests" or not mirrored:
            continue
        mirrors = mirrored in room_map.rooms or mirrored in parents
        if not mirrors and mirrored.split("/")[0] not in OTHER_TEST_FOLDERS:
            complaints.append(f"{folder}: there is no room {mirrored} in {MAP_PATH} that it could test")
    return complaints


def parents_of(folder):
    parts = folder.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]
