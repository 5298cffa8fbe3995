"""Draws a benchmark's CSV file by gnuplot, as SVG and PNG. Usage: draw.py RESULTS.csv FOLDER

A file of medians and quartiles gives a plot of time over block size for each set of points that differ in nothing but the
bytes of a block ("9-point, 16 ranks, 64 B" and "9-point, 16 ranks, 512 B"). A file of speed-ups (a column of that name, as
the benchmark `randomized` writes) gives a heat map over block size and ranks for each variant. Prints what was drawn.
"""
import csv
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
BLOCK = re.compile(r"(?:, |^)(\d+) (B|KiB|MiB)\b(?: blocks?)?")


def size_name(size):
    for unit in ("MiB", "KiB"):
        if size >= UNITS[unit] and size % UNITS[unit] == 0:
            return f"{size // UNITS[unit]} {unit}"
    return f"{size} B"


def file_name(text):
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower()


def gnuplot(script, data, *arguments):
    with tempfile.NamedTemporaryFile("w", suffix=".dat") as file:
        file.write(data)
        file.flush()
        subprocess.run(["gnuplot", "-c", os.path.join(HERE, script), file.name, *arguments], check=True)


def draw_lines(rows, name, folder):
    sets = {}
    drawn = 0
    for row in rows:
        found = (list(BLOCK.finditer(row["point"])) or [None])[-1]  # the last: a name may have another before it
        figures = [float(row[column]) for column in ("median us", "lower quartile us", "upper quartile us")]
        if found is None or row["data"] != "right" or any(figure != figure for figure in figures):
            continue
        rest = (row["point"][: found.start()] + row["point"][found.end() :]).removeprefix(", ")
        size = int(found.group(1)) * UNITS[found.group(2)]
        variant = re.sub(r"\bauto \(.*\)$", "auto", row["variant"])  # without what it chose at this point
        sets.setdefault(rest, {}).setdefault(variant, []).append((size, figures))
    for rest, variants in sets.items():
        if all(len(points) < 2 for points in variants.values()):
            continue
        data = ""
        for variant, points in variants.items():
            data += f'"{variant}"\n'
            for size, figures in sorted(points):
                data += " ".join(f"{figure:g}" for figure in (size, *figures)) + "\n"
            data += "\n\n"
        out = os.path.join(folder, file_name(f"{name} {rest}"))
        sizes = sorted({size for points in variants.values() for size, _ in points})
        tics = ", ".join(f'"{size_name(size)}" {size}' for size in sizes)
        gnuplot("lines.gp", data, str(len(variants)), tics, f"{name}: {rest}", out)
        print(f"drawn: {out}.svg, .png")
        drawn += 1
    if drawn == 0:
        print(f"{name}: nothing to draw, as no two points with a figure differ in the bytes of a block only")


def draw_heat_maps(rows, name, folder):
    cells = {}
    for row in rows:
        cells.setdefault(row["variant"], {})[int(row["ranks"]), int(row["bytes"])] = row
    for variant, of_variant in cells.items():
        ranks = sorted({key[0] for key in of_variant})
        sizes = sorted({key[1] for key in of_variant})
        data = ""
        for column, count in enumerate(ranks):
            measured = [of_variant[count, size] for size in sizes if (count, size) in of_variant]
            measured = [row for row in measured if float(row["speed-up"]) == float(row["speed-up"])]
            both = [sum(float(row[time]) for row in measured) for time in ("reference us", "median us")]
            total = both[0] / both[1] if measured else "?"
            label = f"{total:.2f}" if measured else "?"
            data += f'{column} 0 {total} "{label}" "{count}" "total"\n'
            for line, size in enumerate(sizes):
                row = of_variant.get((count, size))
                speed_up = float(row["speed-up"]) if row else float("nan")
                value, label = "?", "?"
                if speed_up == speed_up:
                    value = speed_up
                    # As in the paper's figure 2: the size of the interval in percent, where it is more than 1.
                    spread = (float(row["upper"]) - float(row["lower"])) / speed_up * 100
                    label = f"{speed_up:.2f}" + (f" ({spread:.0f}%)" if spread > 1 else "")
                data += f'{column} {line + 1} {value} "{label}" "{count}" "{size_name(size)}"\n'
        out = os.path.join(folder, file_name(f"{name} {variant}"))
        title = f"{name}: {variant}, speed-up over {rows[0]['reference']}"
        gnuplot("heatmap.gp", data, str(len(ranks)), str(len(sizes) + 1), title, out)
        print(f"drawn: {out}.svg, .png")


def main():
    path, folder = sys.argv[1:]
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    os.makedirs(folder, exist_ok=True)
    name = os.path.splitext(os.path.basename(path))[0]
    if rows and "speed-up" in rows[0]:
        draw_heat_maps(rows, name, folder)
    else:
        draw_lines(rows, name, folder)


main()
