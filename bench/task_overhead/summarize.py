"""Table, CSV and check of task_overhead's results. Usage: summarize.py RESULTS.json OUT.csv; exit 1 when a figure is missed."""
import json
import sys

times = {}
for run in json.load(open(sys.argv[1]))["benchmarks"]:
    if run.get("aggregate_name") in ("median", "stddev"):
        name = run["run_name"].split("/")[0]
        times.setdefault(run["label"], {}).setdefault(name, {})[run["aggregate_name"]] = run["s/task"] * 1e9

missed = []
print(f"{'ns per task':16} {'engine':>16} {'by hand':>16} {'flow graph':>16} {'building':>16}")
with open(sys.argv[2], "w") as out:
    out.write("shape,variant,median ns per task,standard deviation\n")
    for shape, row in times.items():
        cells = []
        for name in ("engine", "by_hand", "flow_graph", "building"):
            value = row[name]
            cells.append(f"{value['median']:8.2f} +-{value['stddev']:5.2f}")
            out.write(f"{shape},{name},{value['median']:.3f},{value['stddev']:.3f}\n")
        print(f"{shape:16} " + " ".join(cells))
        engine, flow = row["engine"]["median"], row["flow_graph"]["median"]
        if engine > 6:
            missed.append(f"{shape}: {engine:.2f} ns a task, must be at most 6")
        if flow / engine < 5:
            missed.append(f"{shape}: {flow / engine:.1f}x less than the flow graph, must be at least 5x")
for line in missed:
    print("missed:", line)
print("all figures hold" if not missed else f"{len(missed)} figures do not hold")
sys.exit(1 if missed else 0)
