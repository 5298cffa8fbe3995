"""What the code includes, as its text says."""
import os
import re
from dataclasses import dataclass

from room_map import FLOORS

OUTSIDE = ("tests", "bench", "examples")
SOURCE = re.compile(r"\.(h|hpp|c|cpp)$")
HEADER = re.compile(r"\.(h|hpp)$")
INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')


@dataclass(frozen=True)
class Include:
    file: str
    line: int
    header: str  # from the root of the repository
    written: str


def room_of(file):
    """A file belongs to its folder; that of the public headers is called as their floor."""
    folder = os.path.dirname(file)
    return "include" if folder == "include/rondo" else folder


def floor_of(file):
    return file.split("/")[0]


@dataclass
class Code:
    files: list
    includes: list
    folders: set  # all of them, whether or not sources lie in them

    def inner_includes(self):
        """Those of the library itself."""
        return [include for include in self.includes if floor_of(include.file) in FLOORS]

    def files_of_rooms(self):
        rooms = {}
        for file in self.files:
            if floor_of(file) in FLOORS:
                rooms.setdefault(room_of(file), []).append(file)
        return rooms

    def arrows(self):
        """From room to room: the first include of each."""
        arrows = {}
        for include in self.inner_includes():
            ends = room_of(include.file), room_of(include.header)
            if ends[0] != ends[1]:
                arrows.setdefault(ends, include)
        return arrows


def read_code(root):
    files, folders = [], set()
    for top in (*FLOORS, *OUTSIDE):
        for folder, inner, names in os.walk(os.path.join(root, top)):
            inner.sort()
            here = os.path.relpath(folder, root).replace(os.sep, "/")
            folders.add(here)
            files += [f"{here}/{name}" for name in sorted(names) if SOURCE.search(name)]
    known = set(files)
    includes = [include for file in files for include in includes_of(root, file, known)]
    return Code(files, includes, folders)


def includes_of(root, file, known):
    with open(os.path.join(root, file), encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            match = INCLUDE.match(line)
            header = match and find_header(file, match[1], match[2], known)
            if header:
                yield Include(file, number, header, match[1] + match[2] + ('"' if match[1] == '"' else ">"))


def find_header(file, quote, name, known):
    """The file of the repository that the compiler finds, if any: beside the file, in include/ or from the root."""
    places = ["include/" + name, name]
    if quote == '"':
        places.insert(0, os.path.normpath(os.path.join(os.path.dirname(file), name)).replace(os.sep, "/"))
    return next((place for place in places if place in known), None)
