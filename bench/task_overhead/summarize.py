"""Table, CSV and check of task_overhead's results.
Usage: summarize.py RESULTS.json TRACED_MARKS.json OUT.csv; exit 1 when a figure is missed."""
import json
import sys

times = {}
for run in json.load(open(sys.argv[1]))["benchmarks"] + json.load(open(sys.argv[2]))["benchmarks"]:
    if run.get("aggregate_name") in ("median", "stddev"):
        name = run["run_name"].split("/")[0]
        times.setdefault(run["label"], {}).setdefault(name, {})[run["aggregate_name"]] = run["s/task"] * 1e9

missed = []
others = {label: next(iter(times.pop(label).values())) for label in ("clock", "untraced mark", "traced mark")}
VARIANTS = ("engine", "traced", "by_hand", "flow_graph", "computing", "on_workers", "calls", "building")
print(f"{'ns per task':16} " + " ".join(f"{name.replace('_', ' '):>16}" for name in VARIANTS))
with open(sys.argv[3], "w") as out:
    out.write("shape,variant,median ns per task,standard deviation\n")
    for shape, row in times.items():
        cells = []
        for name in VARIANTS:
            value = row[name]
            cells.append(f"{value['median']:8.2f} +-{value['stddev']:5.2f}")
            out.write(f"{shape},{name},{value['median']:.3f},{value['stddev']:.3f}\n")
        print(f"{shape:16} " + " ".join(cells))
        engine, flow = row["engine"]["median"], row["flow_graph"]["median"]
        if engine > 6:
            missed.append(f"{shape}: {engine:.2f} ns a task, must be at most 6")
        if flow / engine < 5:
            missed.append(f"{shape}: {flow / engine:.1f}x less than the flow graph, must be at least 5x")
        computing = row["computing"]["median"]
        over_a_call = computing - row["calls"]["median"]
        if over_a_call > 12:
            missed.append(f"{shape}: {over_a_call:.1f} ns for a function over a call, must be at most 12")
        on_worker_over_a_call = row["on_workers"]["median"] - row["calls"]["median"]
        if on_worker_over_a_call > 250:
            missed.append(f"{shape}: {on_worker_over_a_call:.0f} ns for a function on a worker over a call, "
                          "must be at most 250")
        if flow / computing < 5:
            missed.append(f"{shape}: {flow / computing:.1f}x less for a function than the flow graph, must be at least 5x")
        event = row["traced"]["median"] - engine
        if event > 20:
            missed.append(f"{shape}: {event:.1f} ns an event of a trace, must be at most 20")
    for label, value in others.items():
        print(f"{label:16} {value['median']:8.2f} +-{value['stddev']:5.2f}")
        out.write(f"{label},,{value['median']:.3f},{value['stddev']:.3f}\n")
    beyond = others["traced mark"]["median"] - others["clock"]["median"]
    if beyond > 12:
        missed.append(f"traced mark: {beyond:.1f} ns more than reading the clock, must be at most 12")
    if others["untraced mark"]["median"] > 4:
        missed.append(f"untraced mark: {others['untraced mark']['median']:.1f} ns, must be at most 4")
for line in missed:
    print("missed:", line)
print("all figures hold" if not missed else f"{len(missed)} figures do not hold")
sys.exit(1 if missed else 0)
