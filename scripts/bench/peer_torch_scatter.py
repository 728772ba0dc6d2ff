"""peer_torch_scatter.py: the group form as one writes it with torch_scatter, on PyTorch's tensors."""

import torch_scatter

from operands import M, PLACES_OF_ROWS
from peer_torch import operand, use_threads  # noqa: F401: the worker asks this module for them

VERSION = "torch_scatter " + torch_scatter.__version__

SHAPE = {"dim": 0, "dim_size": PLACES_OF_ROWS}
CALLS = {
    "group_sum": lambda src, index: torch_scatter.scatter_sum(src, index, **SHAPE),
    "group_mean": lambda src, index: torch_scatter.scatter_mean(src, index, **SHAPE),
    "group_max": lambda src, index: torch_scatter.scatter_max(src, index, **SHAPE),
    "group_sorted": lambda src, index, starts: torch_scatter.segment_csr(src, starts),
    **{
        f"{form}_{size}_{reduce}": getattr(torch_scatter, f"segment_{reduce}_{form}")
        for form in ("csr", "coo")
        for size in ("wide", "long")
        for reduce in ("sum", "mean", "max")
    },
    "scatter_softmax": lambda src, index: torch_scatter.scatter_softmax(src, index, dim_size=M),
    "scatter_std": lambda src, index: torch_scatter.scatter_std(src, index, dim_size=M),
}
