"""peers.py: strew beside the peers of this machine: make bench-peers, or
  python3 scripts/bench/peers.py [BUDGET]

Every case is prepared in one process for each library, on one thread and on all; then the libraries take turns in
slices until each has had BUDGET seconds (1), so that a machine that changes its speed does so for all. So with each of
PROCESSES sets of processes (1), for where the system lays a process's memory may decide more than what it does with it:
one sums 40 MB in 0.3 ms, another in 1.1. On one thread all of them share one processor, so that none has a slower one
than another. Medians, as Markdown tables, the second for the rest of the family, the third for questions to tables beside
libraries of tables; "floors" is how many times the floor strew takes: the bytes that must move over the bandwidth of a copy measured in this run. What is not installed is left
out, with a line that says so.

In the environment, or as make's variables: CASES=rows,add_1M words of keys, THREADS=1,2, PEERS=torch,numpy, BUDGET,
PROCESSES, STREW=build/strew, SCALE=1000 for sizes a thousandth as large, CLOCK=cpu for processor time (see timing.lua).
"""

import os
import statistics
import subprocess
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
STREW = os.environ.get("STREW") or os.path.join(FOLDER, "../../build/strew")
PEERS = ["torch", "torch_scatter", "jax", "numpy"]
PEERS_OF_TEXTS = ["torch", "torch_compile", "numexpr", "numpy", "polars"]
PEERS_OF_TABLES = ["polars", "duckdb", "pandas"]
PEERS_OF = {"texts": PEERS_OF_TEXTS, "questions": PEERS_OF_TABLES}
TITLES = {
    "strew": "strew",
    "torch": "PyTorch",
    "torch_scatter": "torch_scatter",
    "jax": "JAX",
    "numpy": "NumPy",
    "torch_compile": "torch.compile",
    "numexpr": "numexpr",
    "polars": "polars",
    "duckdb": "DuckDB",
    "pandas": "pandas",
}
PARTS = {
    "family": "the scatter family",
    "million": "problems of a million",
    "dense": "elementwise and reductions",
    "rest": "the rest of the family",
    "texts": "expressions",
    "exact": "exact sums",
    "questions": "group-by questions",
}
TABLES = ["rest", "texts", "exact", "questions"]  # parts with a table of their own
TURNS = 6
told = set()  # which libraries are absent
PAUSE = 0.05  # seconds after which a library's idle workers no longer spin


class Absent(Exception):
    pass


def keep_to_one_processor():
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


class Library:
    """A process that knows the cases, on a number of threads."""

    def __init__(self, name, threads):
        if name == "strew":
            command = [STREW, "-t", str(threads), os.path.join(FOLDER, "worker.lua")]
        else:
            command = [sys.executable, "-B", os.path.join(FOLDER, "worker.py"), name, str(threads)]
        errors = None if name == "strew" else subprocess.DEVNULL
        self.name = name
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            preexec_fn=keep_to_one_processor if threads == 1 else None,
        )
        self.version = self.answer()

    def answer(self):
        line = self.process.stdout.readline().rstrip("\n")
        if not line or line.startswith("absent"):
            raise Absent(line[7:] or "its process ended")
        return line

    def ask(self, *words):
        try:
            print(*words, file=self.process.stdin, flush=True)
        except BrokenPipeError:
            raise Absent("its process ended") from None
        return self.answer()


def in_turns(libraries, case, budget):
    """Medians in ms by name, and the bytes that strew says must move. A library that cannot do the case is left out.
    One that has had three budgets sits out the turns that are left, maybe all."""
    first, moved = {}, 0
    for library in libraries:
        try:
            _, size, ms = library.ask("prepare", case["key"], case["batch"]).split()
            first[library.name], moved = float(ms), max(moved, int(size))
        except Absent as reason:
            if library.name == "strew":
                sys.exit(f"strew: {case['key']}: {reason}")
    ready = [one for one in libraries if one.name in first]
    times = {name: [] for name in first}
    for _ in range(TURNS):
        for library in ready:
            own = times[library.name]
            if max(first[library.name], sum(own)) * case["batch"] < 3e3 * budget:
                time.sleep(PAUSE)
                own += map(float, library.ask("time", budget / TURNS).split())
    for library in ready:
        library.ask("drop")
    return {name: statistics.median(own or [first[name]]) for name, own in times.items()}, moved


def in_processes(sets, case, budget):
    """The medians of what in_turns says of each set of processes, and the bytes."""
    results = [in_turns(libraries, case, budget) for libraries in sets]
    names = [name for name in results[0][0] if all(name in times for times, _ in results)]
    return {name: statistics.median(times[name] for times, _ in results) for name in names}, results[0][1]


def start_libraries(threads):
    names = (os.environ.get("PEERS") or ",".join(dict.fromkeys(PEERS + PEERS_OF_TEXTS + PEERS_OF_TABLES))).split(",")
    libraries = []
    for name in ["strew"] + names:
        try:
            libraries.append(Library(name, threads))
        except Absent as reason:
            if name == "strew":
                sys.exit(f"{STREW}: {reason}")
            if name not in told:
                print(f"{TITLES.get(name, name)}: absent ({reason})")
            told.add(name)
    return libraries


def thread_counts():
    if os.environ.get("THREADS"):
        return [int(word) for word in os.environ["THREADS"].split(",")]
    return sorted({1, len(os.sched_getaffinity(0))})


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return "a processor"


def start_of_program():
    """ms from nothing to the end of an empty script, in turns."""
    commands = {"strew": [STREW, "-e", ""], "lua5.4": ["lua5.4", "-e", ""]}
    for name in ("torch", "jax", "numpy"):
        commands[name] = [sys.executable, "-c", "import " + name]
    times = {name: [] for name in commands}
    for turn in range(10):
        for name, command in commands.items():
            if turn < 3 or name in ("strew", "lua5.4"):
                start = time.perf_counter()
                try:
                    done = subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0
                except FileNotFoundError:
                    done = False
                if done:
                    times[name].append((time.perf_counter() - start) * 1e3)
    return {name: statistics.median(list_) for name, list_ in times.items() if list_}


def shown(value):
    if value is None:
        return ""
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def both(values):
    """One cell: a figure for each thread count, by slashes."""
    return " / ".join(shown(value) for value in values) if any(value is not None for value in values) else ""


def row(cells):
    return "| " + " | ".join(cells) + " |"


def print_case(case, columns, by_threads, floors):
    """by_threads: for each thread count the times by name."""
    factor = 1e3 if case["part"] == "call" else 1  # microseconds
    strew = [times["strew"] for times in by_threads]
    cells = [case["title"] + (" (us)" if factor > 1 else ""), both([own * factor for own in strew])]
    cells.append(both([own / floor if floor else None for own, floor in zip(strew, floors)]))
    for name in columns[1:]:
        figures = [times.get(name) for times in by_threads]
        times = both([figure and figure * factor for figure in figures])
        ratios = both([figure and figure / own for figure, own in zip(figures, strew)])
        cells.append(f"{times} ({ratios})" if times else "")
    print(row(cells), flush=True)


def print_ratios(results, k, part, name, peers):
    """How the best of some peers stands beside strew, over the cases of a part that they have."""
    ratios = []
    for case, by_threads in results:
        times = [by_threads[k][peer] for peer in peers if peer in by_threads[k]]
        if case["part"] == part and times:
            ratios.append((min(times) / by_threads[k]["strew"], case["title"]))
    if ratios:
        mean, (worst, title) = statistics.geometric_mean([ratio for ratio, _ in ratios]), min(ratios)
        print(f"  {name} / strew: geometric mean {mean:.2f} over {len(ratios)} cases, worst {worst:.2f} ({title})")


def print_summary(results, peers, threads):
    """results: (case, times by name for each thread count). A ratio is a peer's time over strew's."""
    for k, count in enumerate(threads):
        for part, called in PARTS.items():
            if not any(case["part"] == part for case, _ in results):
                continue
            print(f"\n{called}, on {count} thread{'s' if count > 1 else ''}:")
            for name in peers:
                print_ratios(results, k, part, TITLES[name], [name])
            print_ratios(results, k, part, "the fastest of them", peers)
            for case, by_threads in results:
                times = by_threads[k]
                ahead = [name for name in peers if times.get(name, times["strew"]) < times["strew"]]
                if case["part"] == part and ahead:
                    ratios = ", ".join(f"{TITLES[name]} {times[name] / times['strew']:.2f}" for name in ahead)
                    print(f"  ahead of strew in {case['title']}: {ratios}")


def print_head(libraries, budget, threads):
    """The machine and what is there; gives the bandwidth in bytes per ms on each thread count."""
    print(f"{processor()}, {threads[-1]} thread{'s' if threads[-1] > 1 else ''}")
    print("; ".join(one.version for one in libraries[0][0]))
    bandwidth = []
    for count, sets in zip(threads, libraries):
        times, moved = in_processes([own[:1] for own in sets], {"key": "copy", "batch": 1}, budget)
        bandwidth.append(moved / times["strew"])
        print(f"copy of 40 MB on {count}: {times['strew']:.2f} ms, {bandwidth[-1] / 1e6:.1f} GB/s read and written")
    print(f"ms on {' / '.join(map(str, threads))} threads (how many times strew's), each the median of its turns")
    return bandwidth


def cases_of(library):
    for line in library.ask("list", os.environ.get("CASES") or "").split("\t"):
        key, title, part, batch = line.split("|")
        yield {"key": key, "title": title, "part": part, "batch": int(batch)}


def print_start(columns):
    times = start_of_program()
    cells = [shown(times.get(name)) for name in columns]
    print(row(["start of the program", cells[0], ""] + cells[1:]))
    print(f"\nlua5.4 alone starts in {shown(times.get('lua5.4')) or '(absent)'} ms")


def print_table(cases, columns, libraries, bandwidth, budget):
    """Measures the cases; gives (case, times by name for each thread count) of each."""
    part = cases[0]["part"]
    heads = [PARTS[part] if part in TABLES else "case", "strew", "floors"]
    heads += [TITLES[name] for name in columns[1:]]
    print("\n" + row(heads))
    print(row(["---"] * len(heads)))
    results = []
    for case in cases:
        by_threads, floors = [], []
        for sets, bytes_per_ms in zip(libraries, bandwidth):
            times, moved = in_processes(sets, case, budget)
            by_threads.append(times)
            floors.append(moved / bytes_per_ms if case["part"] != "call" else None)
        print_case(case, columns, by_threads, floors)
        results.append((case, by_threads))
    return results


def main():
    budget = float(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BUDGET") or 1)
    threads = thread_counts()
    processes = int(os.environ.get("PROCESSES") or 1)
    libraries = [[start_libraries(count) for _ in range(processes)] for count in threads]
    columns = [one.name for one in libraries[0][0]]
    bandwidth = print_head(libraries, budget, threads)
    cases = list(cases_of(libraries[0][0][0]))
    results = []
    for name in [None] + TABLES:
        table = [case for case in cases if (case["part"] if case["part"] in TABLES else None) == name]
        shown_columns = [one for one in columns if one in ["strew"] + PEERS_OF.get(name, PEERS)]
        if table:
            results += print_table(table, shown_columns, libraries, bandwidth, budget)
        if not name and not os.environ.get("CASES"):
            print_start(shown_columns)
    print_summary(results, columns[1:], threads)


try:
    main()
except Absent as reason:
    sys.exit(f"peers: strew: {reason}")
