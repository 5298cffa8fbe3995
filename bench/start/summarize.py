"""Table, CSV and check of start's results. Usage: summarize.py RAW.csv OUT.csv; exit 1 when a figure is missed."""
import csv
import statistics
import sys

PARTS = ("MPI_Init", "call 1", "call 2", "calls 3-10", "calls 11-100", "MPI_Finalize")
MOST = {"MPI_Init": 1.02, "MPI_Finalize": 1.02, "call 1": 2.0}  # of MPI's time; other calls 1.0, and 5% of noise


def told(calls):
    """Of system calls, which the system does not tell every user: below 0 then."""
    return "?" if calls < 0 else f"{calls:.0f}"


runs = {}
for ranks, way, kind, size, *figures in csv.reader(open(sys.argv[1])):
    runs.setdefault((int(ranks), kind, int(size)), {}).setdefault(way, []).append([float(figure) for figure in figures])

missed = []
WAYS = ("mpi", "plugin", "library")
print(f"{'us: median [quartiles], page faults, system calls':52} " + " ".join(f"{way:>34}" for way in WAYS))
with open(sys.argv[2], "w") as out:
    out.write("point,variant,median us,lower quartile us,upper quartile us,rounds,discarded,data\n")
    for (ranks, kind, size), ways in sorted(runs.items()):
        for number, part in enumerate(PARTS):
            point = f"{kind}, {part}, {ranks} ranks, {size} B"
            cells = []
            for way, lines in ways.items():
                times, faults, calls = ([line[3 * number + place] for line in lines] for place in range(3))
                low, middle, high = statistics.quantiles(times, n=4, method="inclusive") if len(times) > 1 else times * 3
                out.write(f'"{point}",{way},{middle:.2f},{low:.2f},{high:.2f},{len(times)},0,right\n')
                cells.append(f"{middle:9.1f} [{low:.1f}, {high:.1f}] {statistics.median(faults):3.0f} {told(statistics.median(calls)):>3}")
                if way != "mpi" and not (way == "library" and part in ("MPI_Init", "MPI_Finalize")):  # which it leaves alone
                    ratios = sorted(time / own[3 * number] for time, own in zip(times, ways["mpi"]))
                    most = MOST.get(part, 1.05)
                    ratio = middle / statistics.median(own[3 * number] for own in ways["mpi"])
                    if ratio > most:
                        missed.append(f"{point}: {way} takes {ratio:.2f} [{ratios[0]:.2f}, {ratios[-1]:.2f}] of MPI's time, "
                                      f"must be at most {most}")
            print(f"{point:52} " + " ".join(f"{cell:>34}" for cell in cells))
for line in missed:
    print("missed:", line)
print("all figures hold" if not missed else f"{len(missed)} figures do not hold")
sys.exit(1 if missed else 0)
