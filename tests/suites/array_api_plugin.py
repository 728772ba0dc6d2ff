# The plugin of pytest by which the array API's suite runs on strew, see python.sh: what strew has not, and where
# it follows another rule. A test that such a rule explains must fail; if it passes, the rule is to be deleted here.
import builtins
import re

# The suite takes for granted that there is a widest complex dtype, and that it has a name.
largest = builtins.max
builtins.max = lambda *x, **options: ("complex128", 128) if x == ([],) else largest(*x, **options)
from array_api_tests import dtype_helpers  # noqa: E402
builtins.max = largest
dtype_helpers.dtype_to_name._key_value_pairs.append(("complex128", "complex128"))

LACKING = {
    r"(real|imag)\(x|test_eig\b|test_eigvals\b|test_vecdot_conj": "complex numbers",
    r"\[fft-": "fft",
}
RULES = {
    r"floor_?div.*\((x1_i is .infinity and isfinite\(x2|isfinite.*(> 0 and x2_i is -|< 0 and x2_i is \+)infinity)":
        "floor_divide of or by an infinity is NaN or -1, as PyTorch's and Python's",
    r"(remainder|mod__)\(x1_i is (-0 and x2_i >|\+0 and x2_i <)":
        "remainder: a zero keeps the sign of the dividend, as fmod's",
    r"signbit\(x_i is -NaN": "signbit of NaN is false: the sign of a NaN depends on the processor",
}


def reason(rules, item):
    return next((why for pattern, why in rules.items() if re.search(pattern, item.nodeid)), None)


def pytest_collection_modifyitems(config, items):
    import pytest
    from hypothesis import Phase, settings
    for item in items:
        if why := reason(LACKING, item): item.add_marker(pytest.mark.skip(reason=why))
        elif why := reason(RULES, item): item.add_marker(pytest.mark.xfail(reason=why, strict=True))
    # Failures are not made smaller, which takes most of the time.
    settings.register_profile("whole", settings.get_profile("array-api-tests"), phases=[Phase.explicit, Phase.generate])
    settings.load_profile("whole")


def pytest_terminal_summary(terminalreporter):
    counts = {}
    for outcome in "skipped", "xfailed":
        for report in terminalreporter.getreports(outcome):
            why = report.longrepr[2] if outcome == "skipped" else getattr(report, "wasxfail", "")
            counts[outcome, why[:100]] = counts.get((outcome, why[:100]), 0) + 1
    for (outcome, why), n in sorted(counts.items()): print("not run:" if outcome == "skipped" else "by rule:", n, why)
    number = {outcome: len(terminalreporter.getreports(outcome)) for outcome in ("passed", "failed", "error")}
    print(f"array_api: {number['passed']} passed, {number['failed'] + number['error']} failed")
