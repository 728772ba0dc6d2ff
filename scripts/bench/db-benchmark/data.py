"""data.py: files of the scheme of db-benchmark's _data/*.R, from other random numbers.

usage: python3 data.py groupby ROWS K NAS SORT FOLDER, as 1e7 1e2 0 0 data: FOLDER/G1_1e7_1e2_0_0.csv
       python3 data.py join ROWS NAS SORT FOLDER, as 1e7 0 0 data: FOLDER/J1_1e7_*_0_0.csv, four of them
"""

import os
import sys

import numpy
import polars

draws = numpy.random.default_rng(108)


def name_of(n):
    return f"{n:.0e}".replace("e+0", "e").replace("e+", "e")


def with_missing(x, columns, nas, values=()):
    """Of each column all rows of some of its different elements, of the others some rows."""
    for column in columns if nas else ():
        unique = x[column].unique().sort().to_numpy()
        gone = draws.choice(unique, int(len(unique) * nas / 100), replace=False)
        x = x.with_columns(polars.when(~polars.col(column).is_in(polars.Series(gone, dtype=x[column].dtype).implode()))
                           .then(polars.col(column)))
    for column in values if nas else ():
        keep = numpy.ones(len(x), bool)
        keep[draws.choice(len(x), len(x) * nas // 100, replace=False)] = False
        x = x.with_columns(polars.when(polars.Series(keep)).then(polars.col(column)))
    return x


def words(n, width=0):
    return polars.Series([f"id{i:0{width}d}" for i in range(1, n + 1)])


def groupby(rows, k, nas, sort, folder):
    many = rows // k
    path = os.path.join(folder, f"G1_{name_of(rows)}_{name_of(k)}_{nas}_{sort}.csv")
    step = rows if nas or sort else min(rows, 10**7)
    few, lots = words(k, 3), words(many, 10)
    with open(path, "wb") as file:
        for first in range(0, rows, step):
            n = min(step, rows - first)
            x = polars.DataFrame({
                "id1": few[draws.integers(0, k, n)], "id2": few[draws.integers(0, k, n)],
                "id3": lots[draws.integers(0, many, n)], "id4": draws.integers(1, k + 1, n),
                "id5": draws.integers(1, k + 1, n), "id6": draws.integers(1, many + 1, n),
                "v1": draws.integers(1, 6, n), "v2": draws.integers(1, 16, n), "v3": draws.uniform(0, 100, n).round(6)})
            x = with_missing(x, [f"id{i}" for i in range(1, 7)], nas, ["v1", "v2", "v3"])
            if sort:
                x = x.sort([f"id{i}" for i in range(1, 7)])
            x.write_csv(file, include_header=first == 0)
    return path


def keys(n):
    """Keys of both sides (nine tenths), of the left alone, of the right alone (a tenth each)."""
    key = draws.permutation(int(n * 1.1)) + 1
    return key[: int(n * 0.9)], key[int(n * 0.9): n], key[n: int(n * 1.1)]


def sample_all(x, n):
    return draws.permutation(numpy.concatenate([x, draws.choice(x, n - len(x))]) if n > len(x) else x)


def join(rows, nas, sort, folder):
    parts = [keys(rows // 10**6), keys(rows // 1000), keys(rows)]
    for side, n, ids in ((0, rows, 3), (1, rows // 10**6, 1), (1, rows // 1000, 2), (1, rows, 3)):
        x = polars.DataFrame({f"id{i + 1}": sample_all(numpy.concatenate([parts[i][0], parts[i][1 + side]]), n)
                              for i in range(ids)})
        if sort:
            x = x.sort(x.columns if side == 0 else x.columns[-1])
        values = "v2" if side else "v1"
        x = x.with_columns(polars.Series(values, draws.uniform(0, 100, n).round(6)))
        if side == 0:
            x = with_missing(x, x.columns[:3], nas, [values])
        x = x.select(
            *x.columns[:-1],
            *[polars.concat_str(polars.lit("id"), polars.col(f"id{i + 1}").cast(str)).alias(f"id{i + 4}")
              for i in range(ids)], values)
        size = name_of(n) if side else "NA"
        x.write_csv(os.path.join(folder, f"J1_{name_of(rows)}_{size}_{nas}_{sort}.csv"))


if sys.argv[1] == "groupby":
    groupby(int(float(sys.argv[2])), int(float(sys.argv[3])), int(sys.argv[4]), int(sys.argv[5]), sys.argv[6])
else:
    join(int(float(sys.argv[2])), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
