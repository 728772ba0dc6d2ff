"""texts.py: the cases of expressions (cases.lua) for the peers: as calls of a library with NumPy's names, and as texts."""

import numpy

from operands import floats, size, uniform

LENGTHS = {"1k": (1000, 100), "100k": (100000, 1), "10M": (10000000, 1)}  # elements, and calls in one run


def operands(length, with_groups):
    def make():
        n = size(length)
        x, y, z = (floats(n) + numpy.float32(0.1) for _ in range(3))
        if not with_groups:
            return x, y, z
        g = uniform(n, max(n // 1000, 1))
        count = numpy.maximum(numpy.bincount(g), 1)
        mean = numpy.bincount(g, x) / count
        std = numpy.sqrt(numpy.bincount(g, (x - mean[g]) ** 2) / numpy.maximum(count - 1, 1))
        return x, y, z, g, mean.astype(numpy.float32), std.astype(numpy.float32)

    return make


def cdf(m, d):
    return 0.5 + 0.5 * m.tanh(0.7978845608 * (d + 0.044715 * d * d * d))


def black_scholes(m, x, y, z):
    first = (m.log(x / y) + 0.07 * z) / (0.2 * m.sqrt(z))
    second = first - 0.2 * m.sqrt(z)
    return x * cdf(m, first) - y * m.exp(-0.05 * z) * cdf(m, second)


FORMULAS = {
    "polynomial": lambda m, x, y, z: (((((2 * x + 3) * x - 1) * x + 0.5) * x - 4) * x + 1) * x + 7,
    "black_scholes": black_scholes,
    "sigmoid": lambda m, x, y, z: 1 / (1 + m.exp(-x)),
    "gelu": lambda m, x, y, z: 0.5 * x * (1 + m.tanh(0.7978845608 * (x + 0.044715 * x * x * x))),
    "masks": lambda m, x, y, z: ((x > 0.3) & (x < 0.8) | (y > 0.6)).sum(),
    "squares": lambda m, x, y, z: ((x - y) ** 2).mean(),
    "scores": lambda m, x, y, z, g, mean, std: (x - mean[g]) / std[g],
}
OPERANDS = {
    f"text_{name}_{length}": operands(n, name == "scores") for name in FORMULAS for length, (n, _) in LENGTHS.items()
}


def repeated(times, call):
    def run(*arguments):
        for _ in range(times - 1):
            call(*arguments)
        return call(*arguments)

    return run


def calls(formulas):
    """Calls by key; formulas: functions of the operands by name."""
    return {
        f"text_{name}_{length}": repeated(times, call)
        for name, call in formulas.items()
        for length, (_, times) in LENGTHS.items()
    }


def of_module(module, compiled=lambda call: call):
    def bound(formula):
        return compiled(lambda *arguments: formula(module, *arguments))

    return calls({name: bound(formula) for name, formula in FORMULAS.items()})
