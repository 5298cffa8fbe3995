#!/usr/bin/env python3
"""Shows Doxygen the public headers as it wants them. Usage: filter.py HEADER

- What the C headers say in ordinary comments it takes for documentation.
- A comment is for all declarations up to the next comment or empty line: they become a group, whose first comment counts
  for all of it (DISTRIBUTE_GROUP_DOC).
- Indented tables of arguments stay tables.
- Functions that every class has are told in a word.
"""
import re
import sys


def escape(text, marks):
    """What is no markup, outside of code: the comments have none but backquotes."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(f"({marks})", r"\\\1", part) for part in parts)


EMPHASIS = r"(?<!\w)_|_(?!\w)|\*"


def c_comment(lines, is_file):
    """A comment of the C headers, as documentation; tables in it as they are."""
    text = [re.sub(r"^(/\*| \*/| \*)", "", line) for line in lines]
    text[-1] = re.sub(r"\s*\*/\s*$", "", text[-1])
    result = ["/** @file" if is_file else "/**"]
    in_table = False
    for line in text:
        is_table = line.startswith("   ") if line.strip() else in_table
        if is_table != in_table:
            result.append(" * @verbatim" if is_table else " * @endverbatim")
            in_table = is_table
        result.append(" *" + (line if is_table else escape(line, r"[<>#@\\]|" + EMPHASIS)))
    if in_table:
        result.append(" * @endverbatim")
    return result + [" */"]


def filtered_c(lines):
    result = []
    i = 0
    is_first = True
    while i < len(lines):
        if not lines[i].startswith("/*"):
            result.append(lines[i])
            i += 1
            continue
        end = next(j for j in range(i, len(lines)) if "*/" in lines[j])
        comment = lines[i : end + 1]
        code = []
        for line in lines[end + 1 :]:
            in_type = bool(code) and code[0].endswith("{") and not code[-1].startswith("}")
            if not in_type and (not line.strip() or line.startswith(("/*", "#if", "#endif", "}"))):
                break
            # What a structure's fields are, the comment above it says.
            said = "" if not in_type or "/*" in line or line.startswith("}") else " /**< See the structure. */"
            code.append(line + said)
        i = end + 1 + len(code)
        if comment[0].startswith("/* ----"):
            continue
        # One that stands alone is about all that follows.
        if not code or is_first:
            result += c_comment(comment, True) + code
        elif code[0].endswith("{") or sum(line.endswith(";") or line.startswith("#define") for line in code) == 1:
            result += c_comment(comment, False) + code
        else:
            result += ["///@{"] + c_comment(comment, False) + code + ["///@}"]
        is_first = False
    return result


COMMON = [
    (re.compile(r"\s*(\w+)\(\1&& other\)"), "Takes over what the other one has."),
    (re.compile(r"\s*(\w+)& operator=\(\1&& other\)"), "Takes over what the other one has."),
    (re.compile(r"\s*(\w+)\(const \1&\) = delete"), "There are no copies."),
    (re.compile(r"\s*(\w+)& operator=\(const \1&\) = delete"), "There are no copies."),
    (re.compile(r"\s*friend bool operator==\("), "Whether they are equal."),
    (re.compile(r"\s*explicit \w+Awaiter\("), "Of the request that is waited for."),
    (re.compile(r"\s*(\[\[nodiscard\]\] )?(bool|void) await_\w+\("), "Called by `co_await`."),
]


def indentation(line):
    return len(line) - len(line.lstrip())


def filtered_cpp(lines):
    # Comments where there are none.
    commented = []
    for line in lines:
        known = next((text for pattern, text in COMMON if pattern.match(line)), None)
        if known and not (commented and commented[-1].lstrip().startswith("///")):
            commented.append(" " * indentation(line) + "/// " + known)
        if line.strip().startswith("// A temporary"):
            line = line.replace("//", "///")
        said = re.match(r"(\s*///)( \S.*)$", line)
        if said and "@file" not in line:
            line = said.group(1) + escape(said.group(2), EMPHASIS)
        commented.append(line)
    # Groups.
    result = []
    i = 0
    while i < len(commented):
        start = commented[i]
        if not start.lstrip().startswith("///") or start.lstrip().startswith("/// @file"):
            result.append(start)
            i += 1
            continue
        indent = indentation(start)
        end = i
        while end < len(commented) and commented[end].lstrip().startswith("///"):
            end += 1
        comment = commented[i:end]
        code = []
        for line in commented[end:]:
            if not line.strip() or indentation(line) < indent or line.startswith(" " * indent + "//"):
                break
            code.append(line)
        starts = [
            j
            for j, line in enumerate(code)
            if indentation(line) == indent and (j == 0 or re.search(r"[;}]\s*(///<.*)?$", code[j - 1]))
        ]
        is_type = bool(code) and re.match(r"\s*(template.*)?(class|struct|enum|namespace)\b", code[0])
        if len(starts) > 1 and not is_type:
            pad = " " * indent
            result += [pad + "///@{"] + comment + code + [pad + "///@}"]
        else:
            result += comment + code
        i = end + len(code)
    return result


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    print("\n".join(filtered_c(lines) if path.endswith(".h") else filtered_cpp(lines)))


main()
