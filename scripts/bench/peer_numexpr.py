"""peer_numexpr.py: the cases of expressions as texts for numexpr, whose reductions are those of NumPy where it has none."""

import numexpr

import texts

VERSION = "numexpr " + numexpr.__version__


def use_threads(threads):
    numexpr.set_num_threads(threads)


def operand(array):
    return array


# Numbers with a fraction, float64 in a text, by names: of float32.
NUMBERS = {"a": 0.7978845608, "b": 0.044715, "c": 0.07, "d": 0.2, "e": -0.05, "h": 0.5, "l": 0.3, "u": 0.8, "v": 0.6}
NUMBERS = {name: texts.numpy.float32(value) for name, value in NUMBERS.items()}


def evaluate(text):
    return lambda *operands: numexpr.evaluate(text, local_dict=dict(zip("xyz", operands), **NUMBERS))


def cdf(x):
    return f"(h + h * tanh(a * ({x} + b * {x} * {x} * {x})))"


FIRST = "((log(x / y) + c * z) / (d * sqrt(z)))"
SECOND = f"({FIRST} - d * sqrt(z))"
masks = evaluate("(x > l) & (x < u) | (y > v)")
squares = evaluate("sum((x - y) ** 2)")

CALLS = texts.calls(
    {
        "polynomial": evaluate("(((((2*x + 3)*x - 1)*x + h)*x - 4)*x + 1)*x + 7"),
        "black_scholes": evaluate(f"x * {cdf(FIRST)} - y * exp(e * z) * {cdf(SECOND)}"),
        "sigmoid": evaluate("1 / (1 + exp(-x))"),
        "gelu": evaluate("h * x * (1 + tanh(a * (x + b * x * x * x)))"),
        "masks": lambda *operands: masks(*operands).sum(),
        "squares": lambda *operands: squares(*operands) / len(operands[0]),
    }
)
