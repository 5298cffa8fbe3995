#!/usr/bin/env python3
"""Breaks copies of the code in one way each, and looks whether the check of its rooms says so.

The check may find something in the code as it is; what counts here is what it says beyond that.
"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("include", "datatypes", "runtime", "collectives", "tests", "bench", "examples", "cmake")
PAGES = ("docs/rooms.txt", "docs/rooms.svg", "docs/architecture.md")
SOURCES = (".h", ".hpp", ".c", ".cpp", ".py")
LAYOUT = "datatypes/layout/layout.hpp"


def copy_code(root, target, copy):
    """The pages are copied in any case, as rooms.py writes them."""
    for folder in FOLDERS:
        shutil.copytree(os.path.join(root, folder), os.path.join(target, folder), ignore=all_but_sources,
                        copy_function=copy)
    os.mkdir(os.path.join(target, "docs"))
    for page in PAGES:
        shutil.copy(os.path.join(root, page), os.path.join(target, page))


def all_but_sources(folder, names):
    return [name for name in names
            if not name.endswith(SOURCES) and not os.path.isdir(os.path.join(folder, name)) or name == "corpus"]


def run(tree, option):
    result = subprocess.run([sys.executable, os.path.join(tree, "cmake/rooms/rooms.py"), option],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return result.returncode, set(result.stdout.splitlines())


def read(tree, file):
    with open(os.path.join(tree, file), encoding="utf-8") as source:
        return source.read()


def write(tree, file, text):
    """Leaves other trees alone that share the file."""
    path = os.path.join(tree, file)
    if os.path.exists(path):
        os.remove(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as target:
        target.write(text)


def append(tree, file, text):
    write(tree, file, read(tree, file) + text)


def replace(tree, file, old, new):
    text = read(tree, file)
    if old not in text:
        raise SystemExit(f"{file} lacks {old!r}, which this test replaces")
    write(tree, file, text.replace(old, new, 1))


def add_include(tree, file, header):
    """Says where the include is."""
    append(tree, file, f'#include "{header}"\n')
    return f"{file}:{len(read(tree, file).splitlines())}: includes \"{header}\""


def add_to_map(tree, room, line):
    replace(tree, "docs/rooms.txt", f"\n{room}\n", f"\n{room}\n  {line}\n")


def add_room(tree, room):
    """As the highest of runtime."""
    replace(tree, "docs/rooms.txt", "\ncollectives/", f"\n{room}\n  Made up.\n\ncollectives/")
    run(tree, "--draw")


# Each breaks the copy of the code, and returns the parts of the one complaint that is due.

def include_without_arrow(tree):
    write(tree, "runtime/made_up/header.hpp", "")
    write(tree, "runtime/made_up/source.cpp", '#include "runtime/made_up/header.hpp"\n')
    write(tree, "runtime/made_up/other.cpp", '#include "runtime/made_up/header.hpp"\n')
    add_room(tree, "runtime/made_up")
    return [add_include(tree, "runtime/made_up/source.cpp", LAYOUT),
            "no arrow from runtime/made_up to datatypes/layout", '"  -> datatypes/layout" after docs/rooms.txt:']


def include_upwards(tree):
    return [add_include(tree, "runtime/base/log.cpp", "runtime/schedule/schedule.hpp"),
            "runtime/schedule (docs/rooms.txt:", "stands above runtime/base (docs/rooms.txt:"]


def include_of_higher_floor(tree):
    return [add_include(tree, "datatypes/layout/layout.cpp", "collectives/blocks/strided.hpp"),
            "collectives/blocks", "stands above datatypes/layout"]


def private_header_in_public_one(tree):
    return [add_include(tree, "include/rondo/error.hpp", LAYOUT), "a public header includes public headers only"]


def header_of_tests_in_library(tree):
    return [add_include(tree, "runtime/base/log.cpp", "tests/support/cases/byte_op.hpp"), "outside the library"]


def header_for_tests_only(tree):
    write(tree, "runtime/trace/made_up.hpp", "")
    write(tree, "runtime/trace/made_up.cpp", '#include "runtime/trace/made_up.hpp"\n')
    append(tree, "tests/runtime/trace/trace_text.cpp", '#include "runtime/trace/made_up.hpp"\n')
    return ["runtime/trace/made_up.hpp: only tests, benches or examples use it"]


def missing_room(tree):
    write(tree, "runtime/made_up/source.cpp", "")
    return ["runtime/made_up: has sources (runtime/made_up/source.cpp), and is not a room of docs/rooms.txt"]


def room_without_sources(tree):
    add_room(tree, "runtime/made_up")
    return ["docs/rooms.txt:", "runtime/made_up has no sources"]


def unused_arrow(tree):
    add_to_map(tree, "runtime/check", "-> datatypes/copying")
    run(tree, "--draw")
    return ["docs/rooms.txt:", "no include goes from runtime/check to datatypes/copying any more"]


def arrow_upwards(tree):
    add_to_map(tree, "runtime/base", "-> collectives/blocks")
    return ["docs/rooms.txt:", "the arrow from runtime/base to collectives/blocks does not run down"]


def full_room(tree):
    for number in range(26):
        write(tree, f"datatypes/layout/made_up_{number}.cpp", "")
    return ["datatypes/layout: has ", " source files, and a room at most 25"]


def private_header_in_example(tree):
    return [add_include(tree, "examples/first_program/first_program.cpp", LAYOUT),
            "examples include public headers only"]


def test_folder_without_room(tree):
    write(tree, "tests/collectives/made_up/source.cpp", "")
    return ["tests/collectives/made_up: there is no room collectives/made_up"]


def stale_drawing(tree):
    append(tree, "docs/rooms.svg", "<!-- -->")
    return ["docs/rooms.svg: is not the drawing of docs/rooms.txt"]


def stale_sentences(tree):
    add_to_map(tree, "runtime/check", "Made up.")
    return ["docs/architecture.md: does not have the sentences of docs/rooms.txt"]


CASES = (include_without_arrow, include_upwards, include_of_higher_floor, private_header_in_public_one,
         header_of_tests_in_library, header_for_tests_only, missing_room, room_without_sources, unused_arrow,
         arrow_upwards, full_room, private_header_in_example, test_folder_without_room, stale_drawing, stale_sentences)


def failure_of(case, root, as_it_is):
    with tempfile.TemporaryDirectory() as tree:
        copy_code(root, tree, os.link)
        expected = case(tree)
        code, said = run(tree, "--check")
    new = [line for line in sorted(said) if line not in as_it_is]
    if code == 1 and len(new) == 1 and all(part in new[0] for part in expected):
        return None
    return f"{case.__name__}: expected one complaint with {expected}, got {new} and exit code {code}"


def update_restores_arrows(root):
    with tempfile.TemporaryDirectory() as tree:
        copy_code(root, tree, os.link)
        run(tree, "--update")
        right = read(tree, "docs/rooms.txt")
        lines = [line for line in right.splitlines(keepends=True) if "->" not in line or line.startswith("#")]
        write(tree, "docs/rooms.txt", "".join(lines))
        run(tree, "--update")
        return read(tree, "docs/rooms.txt") == right


def main():
    with tempfile.TemporaryDirectory() as root:
        copy_code(ROOT, root, shutil.copy)
        run(root, "--draw")
        _, as_it_is = run(root, "--check")
        failures = [failure for failure in (failure_of(case, root, as_it_is) for case in CASES) if failure]
        if not update_restores_arrows(root):
            failures.append("--update does not restore the arrows of docs/rooms.txt")
    if failures:
        raise SystemExit("\n".join(failures))


main()
