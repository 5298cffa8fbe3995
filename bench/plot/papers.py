"""Draws the pictures of docs/papers.md from results/papers/*.csv to docs/plots/papers/, as SVG, and prints the figures
that stand in its tables. Usage: papers.py [FOLDER [PLOTS]]   (results/papers and docs/plots/papers where not given)

A picture whose results are not there is left as it is.
"""
import csv
import math
import os
import re
import statistics
import subprocess
import sys

COLORS = ("#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#56b4e9", "#000000", "#8c564b", "#999999")  # Okabe, Ito
REFERENCE = "direct, all in flight"
LIBRARY = "Open MPI 1.10's choice"
PAPER = "as the paper has it"
WINDOW = "window of 8, segments of 8 KiB"


class Results:
    """The rows of one CSV file: by panel and line, a list of (x, value, lower, upper), in the file's order."""

    def __init__(self, path):
        self.panels = {}
        self.rows = []
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["data"] == "wrong":
                    raise SystemExit(f"{path}: some data arrived wrong")
                self.rows.append(row)
                value = float(row["value"])
                point = (float(row["x"]), value, float(row["lower"] or value), float(row["upper"] or value))
                self.panels.setdefault(row["panel"], {}).setdefault(row["line"], []).append(point)

    def relative(self, reference):
        """The same, each panel's values over those of its reference line at the same x."""
        found = {}
        for panel, lines in self.panels.items():
            of = {x: value for x, value, _, _ in lines[reference]}
            found[panel] = {line: [(x, v / of[x], lo / of[x], up / of[x]) for x, v, lo, up in points if x in of]
                            for line, points in lines.items()}
        return found


def quoted(string):
    return '"' + string.replace('"', "'") + '"'


def size_name(size):
    size = int(size)
    for unit, shift in (("MiB", 20), ("KiB", 10)):
        if size >= 1 << shift and size % (1 << shift) == 0:
            return f"{size >> shift} {unit}"
    return f"{size} B"


def gnuplot(commands, out):
    subprocess.run(["gnuplot"], input=commands, text=True, check=True)
    print(f"drawn: {out}")


def terminal(out, width, height):
    return (f'set terminal svg size {width}, {height} font "sans-serif,12" background rgb "white"\nset output {quoted(out)}\n'
            'set border 3 lc rgb "#444444"\nset tics nomirror\n'
            'set grid ytics back lt 1 lw 0.6 lc rgb "#dddddd"\n')


def grid_of_panels(out, title, panels, settings, columns, labels=("", ""), tics=str, level=None, shade=True):
    """`panels`: {title: {line: [(x, value, lower, upper)]}}; a line has one color in all of them. `level`: a line there."""
    names = list(dict.fromkeys(line for lines in panels.values() for line in lines))
    rows = -(-len(panels) // columns)
    per_row = min(columns, 3)
    legend = 26 + 18 * -(-len(names) // per_row)
    width = 350 * columns + 40 if columns > 1 else 600
    below = 85 if "rotate" in settings else 45  # of a row of panels
    height = (210 + below) * rows + 40 + legend
    commands = terminal(out, width, height)
    commands += settings + "\nunset key\n"
    top = 1 - 34 / height
    commands += (f"set multiplot layout {rows}, {columns} title {quoted(title)} noenhanced font \",13\" "
                 f"margins {76 / width:.3f}, {1 - 34 / width:.3f}, {(legend + below) / height:.3f}, {top - 26 / height:.3f} "
                 f"spacing {80 / width:.3f}, {(below + 30) / height:.3f}\n")
    for number, (panel, lines) in enumerate(panels.items()):
        xs = sorted({x for points in lines.values() for x, _, _, _ in points})
        commands += f"set title {quoted(panel)} noenhanced font \",12\" offset 0,-0.5\n"
        lowest = number >= len(panels) - columns
        commands += f"set xlabel {quoted(labels[0])} noenhanced offset 0,{0 if 'rotate' in settings else 0.5}\n" if lowest else "unset xlabel\n"
        commands += f"set ylabel {quoted(labels[1])} noenhanced offset 1,0\n" if number % columns == 0 else "unset ylabel\n"
        if tics:
            commands += "set xtics (" + ", ".join(f"{quoted(tics(x))} {x}" for x in xs) + ")\n"
        logarithmic = re.search(r"logscale \w*x", settings) is not None
        commands += f"set xrange [{xs[0] / 1.25}:{xs[-1] * 1.25}]\n" if logarithmic else f"set xrange [{xs[0] - 0.5}:{xs[-1] + 0.5}]\n"
        parts = [f'{level} lw 1 lc rgb "#666666" notitle'] if level is not None else []
        for line, points in lines.items():
            color = COLORS[names.index(line) % len(COLORS)]
            name = f"$p{number}_{names.index(line)}"
            commands += f"{name} << EOD\n" + "\n".join(" ".join(f"{f:.6g}" for f in point) for point in points) + "\nEOD\n"
            if shade and any(point[2] != point[3] for point in points):
                parts.append(f'{name} using 1:3:4 with filledcurves fs transparent solid 0.2 noborder fc rgb "{color}" notitle')
            parts.append(f'{name} using 1:2 with linespoints lc rgb "{color}" pt 7 ps 0.5 lw 2 notitle')
        commands += "plot " + ", ".join(parts) + "\n"
    for index, name in enumerate(names):
        x, y = (index % per_row) / per_row + 0.03, (legend - 14 - 18 * (index // per_row)) / height
        commands += (f"set arrow {index + 1} from screen {x:.3f}, screen {y:.3f} to screen {x + 0.03:.3f}, screen {y:.3f} "
                     f'nohead lw 3 lc rgb "{COLORS[index % len(COLORS)]}"\n'
                     f"set label {index + 1} {quoted(name)} at screen {x + 0.04:.3f}, screen {y:.3f} noenhanced\n")
    # Labels belong to a plot: an empty one over all of it.
    commands += ("set margins screen 0, screen 1, screen 0, screen 1\nset size 1, 1\nset origin 0, 0\nunset title\n"
                 "unset border\nunset tics\nunset grid\nunset xlabel\nunset ylabel\nunset logscale\nset xrange [0:1]\n"
                 "set yrange [0:1]\nplot 2 notitle\nunset multiplot\n")
    gnuplot(commands, out)


def ratio_settings(lowest, highest):
    powers = range(math.floor(math.log2(lowest)), math.ceil(math.log2(highest)) + 1)
    tics = ", ".join(f'"{2 ** power if power >= 0 else f"1/{2 ** -power}"}" {2.0 ** power}' for power in powers)
    return f"set logscale xy\nset yrange [{lowest}:{highest}]\nset ytics ({tics})"


def span(panels):
    values = [point[1] for lines in panels.values() for points in lines.values() for point in points]
    return min(values) / 1.3, max(values) * 1.3


def ratios(results, reference, out, title, columns, label, tics=lambda x: f"{x:g}"):
    panels = results.relative(reference)
    longest = max(len(tics(point[0])) for lines in panels.values() for points in lines.values() for point in points)
    rotated = "\nset xtics rotate by -45" if longest > 4 else ""
    grid_of_panels(out, title, panels, ratio_settings(*span(panels)) + rotated, columns,
                   (label, f"time / {reference.split(',')[0].split(':')[-1].strip()}"), tics, 1)
    return panels


def times(results, out, title, columns, label, tics=size_name):
    settings = 'set logscale xy\nset format y "%g"\nset xtics rotate by -45'
    grid_of_panels(out, title, results.panels, settings, columns, (label, "us"), tics)


# --- One function for each picture

HYDRA = "36 nodes of 32 ranks, fat tree, Omni-Path (simulated)"


def boxes(results, out, title):
    panels = ratios(results, REFERENCE, out, title, 3, "m (ints)")
    for panel, lines in panels.items():
        print("  " + panel + ": " + "; ".join(f"{line} " + " ".join(f"{point[1]:.2f}" for point in points)
                                             for line, points in lines.items() if line != REFERENCE))


def icpp_alltoall(results, out):
    boxes(results, out, f"Alltoall of boxes, time over the direct algorithm's: {HYDRA}")


def icpp_allgather(results, out):
    boxes(results, out, f"Allgather of boxes, time over the direct algorithm's: {HYDRA}")


def icpp_alltoallv(results, out):
    boxes(results, out, f"Alltoallv, blocks of m^(d-z) ints: {HYDRA}")


def icpp_titan(results, out):
    boxes(results, out, "Alltoall of boxes: 1024 nodes of 16 ranks, torus, Gemini (simulated)")


def icpp_cut_off(results, out):
    boxes_found = list(dict.fromkeys(row["plan"] for row in results.rows))
    panels = {}
    for row in results.rows:
        place = boxes_found.index(row["plan"]) + 1
        per_ratio = float(row["value"]) / float(row["x"])
        panels.setdefault(row["panel"], {}).setdefault(row["line"], []).append((place, per_ratio, per_ratio, per_ratio))
    grid_of_panels(out, "Cut-off block size over (t - C) / (V - t)", panels,
                   'set logscale y\nset format y "%g"\nset xtics rotate by -45', 2, ("", "bytes / ratio"),
                   lambda x: boxes_found[int(x) - 1])
    for panel, lines in results.panels.items():
        for line, points in lines.items():
            per_ratio = [value / x for x, value, _, _ in points]
            print(f"  {panel}, {line}: bytes / ratio {min(per_ratio):.0f} to {max(per_ratio):.0f}, "
                  f"median {statistics.median(per_ratio):.0f}; bytes " + " ".join(f"{p[1]:g}" for p in points))


def eurompi_algorithms(results, out):
    times(results, out, "The three algorithms of EuroMPI 2015: 30 nodes of 16 ranks, InfiniBand QDR (simulated)", 4, "block size")
    shown = set()
    for row in results.rows:
        if (row["panel"], row["line"]) not in shown and row["line"] != "auto":
            shown.add((row["panel"], row["line"]))
            print(f"  {row['panel']}, {row['line']}: {row['messages']} messages a rank")
    relative = results.relative("1: direct")
    for panel, lines in relative.items():
        for line, points in lines.items():
            print(f"  {panel}, {line}: " + " ".join(f"{size_name(p[0])} {p[1]:.2f}" for p in points))


def eurompi_orders(results, out):
    ratios(results, "row major", out, "Order of 48 neighbors: 30 nodes of 16 ranks, 24 x 20, direct (simulated)", 3,
           "block size", size_name)
    for panel, lines in results.relative("row major").items():
        for line, points in lines.items():
            print(f"  {panel}, {line}: {min(p[1] for p in points):.3f} to {max(p[1] for p in points):.3f}")


def eurompi_halos(results, out):
    panels = results.relative("direct")
    grid_of_panels(out, "Halos, time over the direct algorithm's: InfiniBand QDR (simulated)", panels,
                   "set yrange [0:*]", 4, ("nodes, or depth of the halo", "time / direct"), lambda x: f"{x:g}", 1)
    for panel, lines in results.panels.items():
        for line, points in lines.items():
            print(f"  {panel}, {line}: us " + " ".join(f"{p[0]:g}:{p[1]:.1f}" for p in points))


def eurompi_reductions(results, out):
    ratios(results, "direct", out, "Sum over a neighborhood: 30 nodes of 16 ranks, InfiniBand QDR (simulated)", 3, "doubles")
    for panel, lines in results.relative("direct").items():
        for line, points in lines.items():
            print(f"  {panel}, {line}: " + " ".join(f"{p[0]:g}:{p[1]:.2f}" for p in points))


def ics_variants(results, out):
    panels = ratios(results, "basic-bruck", out, "Bruck's algorithm in six variants, time over Basic Bruck's (simulated)", 3,
                    "element", lambda x: f"{x:g}")
    for panel, lines in panels.items():
        for line, points in lines.items():
            print(f"  {panel}, {line}: " + " ".join(f"{p[0]:g}:{p[1]:.2f}" for p in points))


def ics_library(results, out):
    grid_of_panels(out, "Modified over Basic Bruck (simulated)",
                   results.relative("basic-bruck-ix"), "set yrange [0.6:1.1]", 1, ("element (B)", "time / Basic Bruck"),
                   lambda x: f"{x:g}", 1)
    for line, points in results.relative("basic-bruck-ix").popitem()[1].items():
        print(f"  {line}: " + " ".join(f"{p[0]:g}:{p[1]:.3f}" for p in points))


def speed_ups(results, line):
    """{nodes: {bytes: (speed-up, interval's width)}}, and {nodes: speed-up of the sums of all times}."""
    found, totals = {}, {}
    for panel, lines in results.panels.items():
        nodes = int(re.search(r"(\d+) nodes", panel).group(1))
        library = {x: value for x, value, _, _ in lines[LIBRARY]}
        found[nodes] = {x: (library[x] / v, library[x] / lo - library[x] / up) for x, v, lo, up in lines[line]}
        totals[nodes] = sum(library.values()) / sum(value for _, value, _, _ in lines[line])
    return found, totals


def heat_maps(results, out, title):
    maps = [(line, *speed_ups(results, line)) for line in (PAPER, WINDOW)]
    columns = sorted(maps[0][1])
    sizes = sorted({size for of_nodes in maps[0][1].values() for size in of_nodes})
    width, height = 130 + 2 * (92 * len(columns) + 90), 140 + 30 * (len(sizes) + 1)
    commands = terminal(out, width, height)
    commands += ("set logscale cb 2\nset cbrange [0.25:4]\nunset colorbox\n"
                 'set palette defined (0 "#b2182b", 0.5 "#f4a582", 1 "#f7f7f7", 1.5 "#92c5de", 2 "#2166ac")\n'
                 "set tics scale 0\nunset grid\nunset key\n"
                 f"set xrange [-0.5:{len(columns) - 0.5}]\nset yrange [-0.5:{len(sizes) + 0.5}]\n"
                 "set arrow 1 from graph 0, first 0.5 to graph 1, first 0.5 nohead lw 1.5 front\n"
                 f"set multiplot layout 1, 2 title {quoted(title)} noenhanced font \",13\"\n")
    for number, (line, cells, totals) in enumerate(maps):
        data = []
        for column, nodes in enumerate(columns):
            data.append(f'{column} 0 {totals[nodes]} "{totals[nodes]:.2f}" "{nodes}" "total"')
            for place, size in enumerate(sizes):
                if size not in cells[nodes]:
                    continue
                value, spread = cells[nodes][size]
                label = f"{value:.2f}" + (f" ({spread / value * 100:.0f}%)" if spread / value > 0.01 else "")
                data.append(f'{column} {place + 1} {value} "{label}" "{nodes}" "{size_name(size)}"')
        commands += f"$map{number} << EOD\n" + "\n".join(data) + "\nEOD\n"
        commands += f"set title {quoted(line)} noenhanced font \",12\"\nset xlabel \"nodes\"\n"
        commands += (f"plot $map{number} using 1:2:($1 - 0.5):($1 + 0.5):($2 - 0.5):($2 + 0.5):3:xticlabels(5):yticlabels(6) "
                     f"with boxxyerror fs solid 1 noborder fc palette, "
                     f'$map{number} using 1:2:4 with labels font ",10" noenhanced\n')
        for nodes in columns:
            best = max(cells[nodes].items(), key=lambda cell: cell[1][0])
            first = next((size for size in sizes if size in cells[nodes] and
                          all(cells[nodes][s][0] > 1.02 for s in cells[nodes] if s >= size)), None)
            print(f"  {line}, {nodes} nodes: total {totals[nodes]:.2f}, most {best[1][0]:.2f} at {size_name(best[0])}, "
                  f"faster from {size_name(first) if first else 'never'}; " +
                  " ".join(f"{size_name(s)} {cells[nodes][s][0]:.2f}" for s in sizes if s in cells[nodes]))
    gnuplot(commands + "unset multiplot\n", out)


def fit(points, first=32768):
    """C and K of time = C * size^K, from `first` on."""
    logs = [(math.log(x), math.log(value)) for x, value, _, _ in points if x >= first]
    if len(logs) < 2:
        return float("nan"), float("nan")
    mx, my = statistics.mean(x for x, _ in logs), statistics.mean(y for _, y in logs)
    slope = sum((x - mx) * (y - my) for x, y in logs) / sum((x - mx) ** 2 for x, _ in logs)
    return math.exp(my - slope * mx), slope


def slimfly_speed_up(results, out):
    heat_maps(results, out, "Randomized alltoall over Open MPI's choice: Slim Fly, 1 rank a node (simulated)")
    panels = {}
    for line in (LIBRARY, PAPER):
        panels[line] = {panel.split(", ")[1]: lines[line] for panel, lines in results.panels.items()}
    grid_of_panels(out.replace("speed-up", "times"), "Time of an alltoall by block size: Slim Fly, 1 rank a node (simulated)",
                   panels, 'set logscale xy\nset format y "%g"\nset xtics rotate by -45', 2, ("block size", "us"),
                   lambda x: size_name(x) if math.log2(x) % 3 == 0 else "")
    shares = []
    for panel, lines in results.panels.items():
        (c0, k0), (c1, k1), (c2, k2) = fit(lines[LIBRARY]), fit(lines[PAPER]), fit(lines[WINDOW])
        print(f"  {panel}: K {k0:.3f}, {k1:.3f}, {k2:.3f}; R {c1 / c0:.2f}, window {c2 / c0:.2f}")
        if k0 == k0:
            shares.append(c1 / c0)
    print(f"  mean R {statistics.mean(shares):.2f}" if shares else "  no fit")


def slimfly_speed_up_10(results, out):
    heat_maps(results, out, "Randomized alltoall over Open MPI's choice: Slim Fly, 10 ranks a node (simulated)")


def slimfly_study(results, out):
    panels = list(results.panels.items())
    names = [line for line in dict.fromkeys(line for _, lines in panels for line in lines) if line != "bound"]
    names = [name for name in panels[-1][1] if name != "bound"] if len(panels[-1][1]) >= len(names) else names
    sets = {}
    for panel, lines in panels:
        nodes, size = panel.split(", ")
        sets.setdefault(size, []).append((nodes, lines))
    height = 110 + 26 * len(names)
    commands = terminal(out, 1340, height)
    commands += ('set grid xtics ytics back lt 1 lw 0.6 lc rgb "#dddddd"\nset xrange [0:1.02]\n'
                 f"set yrange [{len(names) - 0.5}:-0.5]\nset key bottom right noenhanced\n"
                 f"set multiplot layout 1, {len(sets)} title \"Share of what the busiest port or link allows: Slim Fly, "
                 "1 rank a node (simulated), medians and 95% intervals over random orders\" noenhanced font \",13\"\n"
                 'set xlabel "bound / time"\n')
    for number, (size, of_nodes) in enumerate(sets.items()):
        left = 0.355 if number == 0 else 0.69
        commands += f"set lmargin at screen {left}\nset rmargin at screen {left + 0.3}\n"
        commands += f"set title {quoted('blocks of ' + size)} noenhanced font \",12\"\n"
        commands += ("set ytics (" + ", ".join(f"{quoted(name)} {place}" for place, name in enumerate(names)) + ") noenhanced\n"
                     if number == 0 else 'set ytics ("" 0)\n')
        parts = []
        for index, (nodes, lines) in enumerate(of_nodes):
            bound = lines["bound"][0][1]
            data = []
            for place, name in enumerate(names):
                for _, value, lower, upper in lines.get(name, []):
                    data.append(f"{bound / value:.4f} {place + (index - 1) * 0.22:.2f} {bound / upper:.4f} {bound / lower:.4f}")
            commands += f"$s{number}_{index} << EOD\n" + "\n".join(data) + "\nEOD\n"
            parts.append(f'$s{number}_{index} using 1:2:3:4 with xerrorbars pt 7 ps 0.6 lw 1.5 lc rgb "{COLORS[index]}" '
                         f"title {quoted(nodes)}")
        commands += "plot " + ", ".join(parts) + "\nunset key\n"
    gnuplot(commands + "unset multiplot\n", out)
    for panel, lines in panels:
        bound, pairwise = lines["bound"][0][1], lines[names[0]][0][1]
        print(f"  {panel}: bound {bound:.0f} us")
        for name in names:
            for _, value, lower, upper in lines.get(name, []):
                print(f"    {name}: {pairwise / value:.2f} [{pairwise / upper:.2f}, {pairwise / lower:.2f}], "
                      f"{bound / value:.2f} of the bound")


def slimfly_placement(results, out):
    grid_of_panels(out, "Alltoall of 64 KiB: Slim Fly, 1 rank a node (simulated)", results.panels,
                   'set logscale xy\nset format y "%g"', 2, ("nodes", "us"), lambda x: f"{x:g}")
    for panel, lines in results.panels.items():
        for line, points in lines.items():
            print(f"  {panel}, {line}: " + " ".join(f"{p[0]:g}:{p[1]:.0f} [{p[2]:.0f}, {p[3]:.0f}]" for p in points))


def slimfly_crowding(results, out):
    grid_of_panels(out, "Crowding of one iteration: Slim Fly, 1 rank a node (computed)", results.panels,
                   "set logscale x\nset yrange [0:*]", 1,
                   ("nodes", "messages"), lambda x: f"{x:g}")
    for lines in results.panels.values():
        for line, points in lines.items():
            print(f"  {line}: " + " ".join(f"{p[0]:g}:{p[1]:.2f}" for p in points))


def icpp_table_1(results, _):
    differ = [f"{panel}, {what}: the paper has {points[0][1]:g}, ours {points[1][1]:g}"
              for panel, lines in results.panels.items() for what, points in lines.items()
              if abs(points[0][1] - points[1][1]) > 0.0005]
    print("  differs: " + "; ".join(differ))


PICTURES = (icpp_table_1, icpp_alltoall, icpp_allgather, icpp_alltoallv, icpp_titan, icpp_cut_off, eurompi_algorithms,
            eurompi_orders, eurompi_halos, eurompi_reductions, ics_variants, ics_library, slimfly_speed_up,
            slimfly_speed_up_10, slimfly_study, slimfly_placement, slimfly_crowding)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join("results", "papers")
    plots = sys.argv[2] if len(sys.argv) > 2 else os.path.join("docs", "plots", "papers")
    os.makedirs(plots, exist_ok=True)
    for picture in PICTURES:
        name = picture.__name__.replace("_", "-")
        path = os.path.join(folder, name + ".csv")
        if not os.path.exists(path):
            print(f"{name}: left as it is, as there is no {path}")
            continue
        print(f"{name}:")
        picture(Results(path), os.path.join(plots, name + ".svg"))


main()
