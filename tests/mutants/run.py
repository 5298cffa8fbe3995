#!/usr/bin/env python3
"""Breaks a copy of the tree, one mutant after the other, and demands that the test which each names fails.

Usage: tests/mutants/run.py [--jobs N] [--tree DIRECTORY] [ROOM or FILE...]

A mutant is a patch, tests/mutants/ROOM/NAME.patch, behind lines of a header:

    Test: runtime/engine/poller_1        the test that must fail, by CTest's name
    Why: what a user would suffer
    Equivalent: why no test can tell     in place of Test: it is counted apart, and not run

The copy and its build are build/mutants; they are kept, so that a second run need not compile everything. It is
compiled without optimization, as compiling is what takes the time. First the tests must pass without mutants. A test
that takes ten times as long with one, and a minute at least, is taken to hang, which is a failure. Exits 0 only
where every mutant was found. A patch that does not apply or compile, and a test that fails without it, are errors.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUTANTS = ROOT / "tests" / "mutants"


def run(command, directory, **options):
    return subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


class Mutant:
    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(MUTANTS).with_suffix(""))
        header = path.read_text().split("\n--- ", 1)[0]
        fields = dict(line.split(": ", 1) for line in header.splitlines() if ": " in line)
        self.test = fields.get("Test")
        self.equivalent = fields.get("Equivalent")
        if "Why" not in fields or (self.test is None) == (self.equivalent is None):
            sys.exit(f"{self.name}: must have a line Why, and a line Test or Equivalent")


class Copy:
    """The tree and its build, where mutants live for as long as they are looked at."""

    def __init__(self, directory, jobs):
        self.tree = directory
        self.build = directory / "build" / "openmpi"
        self.jobs = str(jobs)
        self.seconds = {}  # of tests without mutants, that were timed
        self.update()
        self.must(["cmake", "--preset", "openmpi", "-DCMAKE_CXX_FLAGS_RELEASE=-O0"], self.tree)
        self.tests = {test["name"]: test for test in self.known_tests()}

    def update(self):
        """Copies what git knows or would add. Files that are the same keep their time, and are not compiled again."""
        self.tree.mkdir(parents=True, exist_ok=True)
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True,
                                text=True, check=True).stdout.splitlines()
        wanted = {name for name in listed if (ROOT / name).exists()}
        for name in wanted:
            source, target = ROOT / name, self.tree / name
            if target.exists() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)
        for path in self.tree.rglob("*"):
            name = str(path.relative_to(self.tree))
            if path.is_file() and name not in wanted and not name.startswith("build/"):
                path.unlink()

    def must(self, command, directory):
        result = run(command, directory)
        if result.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{result.stdout}")
        return result.stdout

    def known_tests(self):
        return json.loads(self.must(["ctest", "--show-only=json-v1"], self.build))["tests"]

    def compile(self, test):
        """Builds what a test runs: its command names files of the build."""
        files = [word for word in self.tests[test].get("command", []) if word.startswith(str(self.build))]
        targets = sorted({os.path.relpath(file, self.build) for file in files})
        return run(["ninja", "-j", self.jobs, *targets], self.build)

    def fails(self, test, limit):
        """Whether it does, or takes longer; and for how long it ran, in seconds."""
        since = time.monotonic()
        exact = "^" + test.replace("+", "\\+") + "$"
        result = run(["ctest", "-R", exact, "--timeout", str(limit), "--output-on-failure"], self.build)
        return result.returncode != 0, time.monotonic() - since, result.stdout

    def time_without_mutants(self, test):
        if test not in self.tests:
            sys.exit(f"no test is called {test}")
        made = self.compile(test)
        if made.returncode != 0:
            sys.exit(made.stdout)
        failed, seconds, output = self.fails(test, 1500)
        if failed:
            sys.exit(f"{test} fails without any mutant:\n{output}")
        self.seconds[test] = seconds

    def patch(self, mutant, *options):
        return run(["patch", "-p1", "-F0", "--no-backup-if-mismatch", *options, "-i", str(mutant.path)], self.tree)

    def judge(self, mutant):
        """found, SURVIVED or what went wrong."""
        limit = max(60, 10 * self.seconds[mutant.test])
        applied = self.patch(mutant, "--dry-run")
        if applied.returncode != 0:
            return f"ERROR: does not apply\n{applied.stdout}"
        self.patch(mutant)
        try:
            made = self.compile(mutant.test)
            if made.returncode != 0:
                return f"ERROR: does not compile\n{made.stdout}"
            failed, seconds, _ = self.fails(mutant.test, limit)
            return ("found, by a hang" if seconds >= limit else "found") if failed else "SURVIVED"
        finally:
            self.patch(mutant, "-R")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--tree", type=pathlib.Path, default=ROOT / "build" / "mutants")
    arguments.add_argument("only", nargs="*", help="rooms, or patches")
    given = arguments.parse_args()
    os.environ.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    prefixes = tuple(word.removeprefix("tests/mutants/").removesuffix(".patch") for word in given.only)
    mutants = [Mutant(path) for path in sorted(MUTANTS.rglob("*.patch"))]
    mutants = [one for one in mutants if not prefixes or one.name.startswith(prefixes)]
    if not mutants:
        sys.exit(f"no mutant's name begins with {' or '.join(prefixes)}")
    copy = Copy(given.tree.resolve(), given.jobs)
    found = 0
    equivalent = sum(one.equivalent is not None for one in mutants)
    trouble = []
    to_try = [one for one in mutants if one.test]
    for test in sorted({one.test for one in to_try}):
        copy.time_without_mutants(test)
    print(f"{len(copy.seconds)} tests pass without mutants", flush=True)
    for one in to_try:  # by room: what one leaves is compiled with the next
        since = time.monotonic()
        verdict = copy.judge(one)
        found += verdict.startswith("found")
        if not verdict.startswith("found"):
            trouble.append(f"{one.name}: {verdict}")
        print(f"{time.monotonic() - since:4.0f} s  {verdict.splitlines()[0]:17} {one.name} ({one.test})", flush=True)
    print(f"{found} of {len(mutants) - equivalent} mutants were found, {equivalent} more are equivalent")
    for line in trouble:
        print(line)
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
