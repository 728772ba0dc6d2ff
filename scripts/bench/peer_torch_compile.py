"""peer_torch_compile.py: the cases of expressions, compiled by torch.compile at the first call."""

import torch

import texts
from peer_torch import VERSION, operand, use_threads  # noqa: F401

CALLS = texts.of_module(torch, torch.compile)
