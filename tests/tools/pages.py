"""Checks the pages: README.md has at most 100 lines and shows the first program as it is in examples/, and so does the
page on collectives of one's own; links lead somewhere, and no line of text is longer than 120 characters (tables may
be).
Usage: pages.py ROOT; prints what is wrong.
"""
import os
import re
import sys

ROOT = sys.argv[1]
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def anchors(page):
    """As GitHub makes them of headings: lower case, without punctuation, hyphens for spaces."""
    text = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}


def complaints_about(name):
    page = read(name)
    for number, line in enumerate(page.splitlines(), 1):
        if len(line) > 120 and not line.startswith("|"):
            yield f"{name}:{number}: has {len(line)} characters, must have at most 120"
    for target in LINK.findall(re.sub(r"```.*?```|`[^`\n]*`", "", page, flags=re.DOTALL)):
        path, _, anchor = target.partition("#")
        if ":" in path:
            continue
        file = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if not os.path.exists(os.path.join(ROOT, file)):
            yield f"{name}: links to {target}, which is not there"
        elif anchor and anchor not in anchors(read(file)):
            yield f"{name}: links to {target}, and {file} has no such heading"


def complaints():
    lines = read("README.md").splitlines()
    if len(lines) > 100:
        yield f"README.md: has {len(lines)} lines, must have at most 100"
    shown = re.search(r"```cpp\n(.*?)```", read("README.md"), re.DOTALL)
    program = read("examples", "first_program", "first_program.cpp")
    if shown is None or shown.group(1).replace("\n", "") != re.sub(r"^//.*\n", "", program).replace("\n", ""):
        yield "README.md: its first program is not the one in examples/first_program/first_program.cpp"
    elif len(shown.group(1).splitlines()) > 20:
        yield "README.md: its first program has more than 20 lines"
    names = ("doubling.hpp", "program.cpp", "test.cpp", "choice.cpp", "offer.cpp")
    of_own = [f"examples/own_collective/{name}" for name in names]
    shown = re.findall(r"```cpp\n(.*?)```", read("docs", "own-collectives.md"), re.DOTALL)
    if shown != [re.sub(r"^//.*\n", "", read(file)) for file in of_own]:
        yield "docs/own-collectives.md: its programs are not those in " + ", ".join(of_own)
    pages = [name for name in os.listdir(ROOT) if name.endswith(".md")]
    pages += [os.path.join("docs", name) for name in os.listdir(os.path.join(ROOT, "docs")) if name.endswith(".md")]
    for name in sorted(pages):
        yield from complaints_about(name)


found = list(complaints())
print("\n".join(found) or "all pages are in order")
sys.exit(1 if found else 0)
