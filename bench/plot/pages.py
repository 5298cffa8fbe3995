"""Draws the pictures of README.md and docs/benchmarks.md from results/*.csv to docs/plots/, as SVG.

Usage: pages.py MACHINE   (its name, which stands in every picture; `bench/run.sh plots` gives it). A picture whose results
are not there is left as it is.
Ratios are of medians: Rondo's auto over the best rival, which is MPI's own collective or an exchange written by hand.
"""
import csv
import os
import re
import subprocess
import sys

RESULTS = "results"
PLOTS = os.path.join("docs", "plots")
COLORS = ("#0072b2", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#56b4e9")  # Okabe and Ito: everybody can tell them apart
BLOCK = re.compile(r", (\d+) B\b")


def size_name(size):
    return f"{size >> 10} KiB" if size >= 1024 and size % 1024 == 0 else f"{size} B"


def medians(name):
    """The medians of results/NAME.csv in us: {point: {variant: time}}, of variants that delivered right data."""
    points = {}
    with open(os.path.join(RESULTS, name + ".csv"), newline="") as file:
        for row in csv.DictReader(file):
            time = float(row["median us"])
            if row["data"] == "right" and time == time:
                # Without what auto chose at this point.
                variant = re.sub(r"\bauto \(.*\)$", "auto", row["variant"])
                points.setdefault(row["point"], {})[variant] = time
    return points


def best_rival(variants):
    times = [time for variant, time in variants.items() if not variant.startswith("rondo")]
    return min(times) if times else None


def ratios(points, pattern, variant):
    """[(bytes, Rondo's time over the best rival's)] of the points whose names match `pattern` but for their bytes."""
    found = []
    for point, variants in points.items():
        size = BLOCK.search(point)
        if size is None or point.replace(size.group(0), "") != pattern:
            continue
        rival = best_rival(variants)
        if variant in variants and rival is not None:
            found.append((int(size.group(1)), variants[variant] / rival))
    return sorted(found)


def draw(commands, out):
    subprocess.run(["gnuplot"], input=commands, text=True, check=True)
    print(f"drawn: {out}")


def data_block(name, lines):
    return f"${name} << EOD\n" + "\n".join(lines) + "\nEOD\n"


def text(string):
    return '"' + string.replace('"', "'") + '"'


def terminal(out, width, height):
    return (f'set terminal svg size {width}, {height} font "sans-serif,12" background rgb "white"\nset output {text(out)}\n'
            'set border 3 lc rgb "#444444"\nset tics nomirror\n'
            'set grid ytics back lt 1 lw 0.6 lc rgb "#dddddd"\n')


def ratio_panels(out, title, panels):
    """Ratios over block size: `panels` are (title, [(name of a line, [(bytes, ratio)])]). Gray: as fast, within 10%."""
    ratios = [ratio for _, lines in panels for _, line in lines for _, ratio in line]
    lowest = min(0.25, 0.9 * min(ratios, default=1))
    commands = terminal(out, 310 * len(panels) + 70, 340)
    commands += ("set logscale x 2\nset logscale y 2\n"
                 f"set yrange [{lowest}:2]\n"
                 'set ytics ("1/32" 0.03125, "1/16" 0.0625, "1/8" 0.125, "1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2)\n'
                 'set object 1 rectangle from graph 0, first 0.9091 to graph 1, first 1.1 behind fillstyle solid 1 noborder '
                 'fillcolor rgb "#e8e8e8"\n'
                 "set key top right maxrows 2 samplen 1 font \",10\" noenhanced\n"
                 f"set multiplot layout 1, {len(panels)} title {text(title)} noenhanced font \",13\"\n"
                 'set ylabel "time of Rondo / of the best rival"\n')
    for number, (panel_title, lines) in enumerate(panels):
        sizes = sorted({size for _, line in lines for size, _ in line})
        commands += "set xtics rotate by -45 (" + ", ".join(f"{text(size_name(size))} {size}" for size in sizes) + ")\n"
        commands += f"set xrange [{sizes[0] / 1.3}:{sizes[-1] * 1.3}]\nset title {text(panel_title)} noenhanced font \",12\"\n"
        parts = []
        for index, (name, line) in enumerate(lines):
            commands += data_block(f"line{number}_{index}", [f"{size} {ratio:.3f}" for size, ratio in line])
            parts.append(f'$line{number}_{index} using 1:2 with linespoints lc rgb "{COLORS[index]}" pt 7 ps 0.5 lw 2 '
                         f"title {text(name)}")
        commands += "plot 1 notitle lw 1 lc rgb \"#666666\", " + ", ".join(parts) + "\nunset ylabel\nunset key\n"
    draw(commands + "unset multiplot\n", out)


def bars(panel_title, groups, names, label):
    """Commands for bars: `groups` are (label, [time of each of `names`, or None]), relative to the first of each group."""
    lines = []
    tics = []
    width = 1 / (len(names) + 1)
    marks = ""
    for place, (group, times) in enumerate(groups):
        tics.append(f"{text(group)} {place}")
        for index, time in enumerate(times):
            if time is None:
                continue
            ratio = time / times[0]
            x = place + (index - (len(names) - 1) / 2) * width
            lines.append(f"{x:.3f} {ratio:.4f} {width * 0.92:.3f} {index}")
            shown = f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"
            if index > 0:
                marks += f'set label "{shown}x" at {x:.3f}, {ratio:.4f} center offset 0, 0.5 font ",10"\n'
    commands = data_block("bars_" + label, lines) + marks
    commands += f"set xtics norotate ({', '.join(tics)})\nset xrange [-0.6:{len(groups) - 0.4}]\n"
    commands += f"set title {text(panel_title)} noenhanced font \",12\"\n"
    parts = [f'$bars_{label} using 1:($4 == {index} ? $2 : 1/0):3 with boxes fs solid 1 noborder lc rgb "{COLORS[(0, 3, 2)[index]]}" '
             f"title {text(name)}" for index, name in enumerate(names)]
    return commands + "plot " + ", ".join(parts) + "\n"


def front(machine):
    """README's picture: where Rondo stands beside MPI's collectives and code written by hand."""
    names = ("Rondo", "MPI's collective", "written by hand")

    def group(label, points, point, mpi, hand):
        variants = points[point]
        times = [variants[next(name for name in ("rondo auto", "rondo auto, persistent") if name in variants)]]
        for prefixes in (mpi, hand):
            of_rivals = [time for variant, time in variants.items() if variant.startswith(prefixes)]
            times.append(min(of_rivals) if of_rivals else None)
        return label, times

    halo = medians("halo-openmpi")
    cartesian = medians("cartesian-openmpi")
    reduce = medians("reduce-openmpi")
    hand = ("Isend", "persistent p2p")
    groups = [
        group("9-point halo\\n8 B, 16 ranks", halo, "9-point, 16 ranks, 8 B", ("MPI_N", "MPI_I"), hand),
        group("27-point halo\\n8 B, 2 ranks", halo, "27-point, 2 ranks, 8 B", ("MPI_N", "MPI_I"), hand),
        group("27-point halo\\n512 B, 4 ranks", halo, "27-point, 4 ranks, 512 B", ("MPI_N", "MPI_I"), hand),
        group("27-point halo\\n4 KiB, 16 ranks", halo, "27-point, 16 ranks, 4096 B", ("MPI_N", "MPI_I"), hand),
        group("124 neighbors\\n4 B, 16 ranks", cartesian, "d=3 n=5 m=1, 16 ranks", ("MPI_N",), hand),
        group("1023 neighbors\\n400 B, 16 ranks", cartesian, "d=5 n=4 m=100, 16 ranks", ("MPI_N",), hand),
        group("sum over 27\\n800 B, 4 ranks", reduce, "reduce d=3 n=3 m=100, 4 ranks", ("MPI_N",), hand),
    ]
    out = os.path.join(PLOTS, "front.svg")
    commands = terminal(out, 1000, 360) + "set bmargin 4\n"
    commands += ("set logscale y 10\nset yrange [0.7:30]\nset ytics (\"1x\" 1, \"10x\" 10, \"30x\" 30)\n"
                 'set ylabel "time, relative to Rondo"\nset key top left noenhanced\nset boxwidth 1 absolute\n')
    commands += bars(f"Persistent exchanges, Open MPI 4.1.4, {machine}: lower is better", groups, names, "front")
    draw(commands, out)


def of_ranks(points, pattern, variant, ranks):
    lines = []
    for count in ranks:
        line = ratios(points, pattern.format(count), variant)
        if line:
            lines.append((f"{count} ranks", line))
    return lines


def halo(machine, mpi, title):
    points = medians("halo-" + mpi)
    ranks = (2, 4, 8, 16)
    panels = [(f"{shape}, {form}", of_ranks(points, shape + ", {} ranks" + regime, variant, ranks))
              for shape in ("9-point", "27-point")
              for form, regime, variant in (("persistent", "", "rondo auto"), ("blocking, alone", ", alone", "rondo auto, blocking"))]
    ratio_panels(os.path.join(PLOTS, f"halo-{mpi}.svg"), f"Halo exchanges, {title}, {machine}: lower is better", panels)


def alltoall(machine, mpi, title):
    points = medians("alltoall-" + mpi)
    ranks = (2, 4, 8, 16, 32)
    panels = [(form, of_ranks(points, "{} ranks" + regime, variant, ranks))
              for form, regime, variant in (("persistent", "", "rondo auto"), ("blocking", "", "rondo auto, blocking"),
                                            ("persistent, alone", ", alone", "rondo auto"))]
    ratio_panels(os.path.join(PLOTS, f"alltoall-{mpi}.svg"), f"Dense alltoall, {title}, {machine}: lower is better", panels)


def time_until(points, ranks, way):
    """[(n, us until n alltoalls of 4 KiB are made)] from the means of a process's first hundred calls."""
    found = []
    spent = made = 0
    for last, part in ((1, "call 1"), (2, "call 2"), (10, "calls 3-10"), (100, "calls 11-100")):
        each = points[f"alltoall, {part}, {ranks} ranks, 4096 B"][way]
        while made < last:
            made += 1
            spent += each
            found.append((made, spent))
    return found


def first_calls(machine):
    points = medians("start-openmpi")
    ranks = (2, 4, 8)
    out = os.path.join(PLOTS, "start-openmpi.svg")
    title = f"Alltoalls of 4 KiB from the first on, Open MPI 4.1.4, {machine}: lower is better"
    commands = terminal(out, 310 * len(ranks) + 70, 340)
    commands += ("set logscale xy\nset xrange [1:100]\nset yrange [10:30000]\nset xlabel \"alltoalls made\"\n"
                 'set ytics ("10 us" 10, "100 us" 100, "1 ms" 1000, "10 ms" 10000)\n'
                 "set key bottom right samplen 1 font \",10\" noenhanced\n"
                 f"set multiplot layout 1, {len(ranks)} title {text(title)} noenhanced font \",13\"\n"
                 'set ylabel "time since the first began"\n')
    for count in ranks:
        parts = []
        for index, (way, name) in enumerate((("mpi", "MPI"), ("plugin", "with the plug-in"), ("library", "library"))):
            line = time_until(points, count, way)
            commands += data_block(f"{way}{count}", [f"{made} {us:.1f}" for made, us in line])
            parts.append(f'${way}{count} using 1:2 with lines lc rgb "{COLORS[(3, 0, 1)[index]]}" lw 2 title {text(name)}')
        commands += f"set title \"{count} ranks\" noenhanced font \",12\"\nplot " + ", ".join(parts) + "\nunset ylabel\nunset key\n"
    draw(commands + "unset multiplot\n", out)


def main():
    (machine,) = sys.argv[1:]
    os.makedirs(PLOTS, exist_ok=True)
    pictures = [("front", lambda: front(machine)), ("start-openmpi", lambda: first_calls(machine))]
    for mpi, title in (("openmpi", "Open MPI 4.1.4"), ("mpich", "MPICH 4.0.2")):
        pictures.append((f"halo-{mpi}", lambda mpi=mpi, title=title: halo(machine, mpi, title)))
        pictures.append((f"alltoall-{mpi}", lambda mpi=mpi, title=title: alltoall(machine, mpi, title)))
    for name, picture in pictures:
        try:
            picture()
        except FileNotFoundError as error:
            print(f"{name}: left as it is, as there is no {error.filename}")


main()
