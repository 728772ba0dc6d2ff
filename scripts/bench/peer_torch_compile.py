"""peer_torch_compile.py: the cases of expressions, compiled by torch.compile at the first call."""

import torch

import texts
from peer_torch import VERSION, operand, use_threads  # noqa: F401

# Each formula is compiled for each length: beyond 8 compilations of the function in texts.py, torch would not compile.
torch._dynamo.config.recompile_limit = 64
CALLS = texts.of_module(torch, lambda call: torch.compile(call, dynamic=False))
