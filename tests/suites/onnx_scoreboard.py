# usage: python3 tests/suites/onnx_scoreboard.py   (STREW_LIBRARY=build/strew.so PYTHONPATH=scripts/hosts)
# ONNX's scoreboard of backends, onnx.backend.test, on scripts/hosts/onnx_backend.py: the node tests and the small
# models; what strew has no operator or dtype for is skipped.
import os
import sys
import unittest

import onnx
from onnx.backend.test import BackendTest
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

import onnx_backend

run = onnx_backend.called


def called(*arguments):
    try: return run(*arguments)
    except NotImplementedError as error: raise BackendIsNotSupposedToImplementIt(str(error)) from None


onnx_backend.called = called
board = BackendTest(onnx_backend.StrewBackend, __name__)
board.include("_cpu$")
for name in "vgg resnet alexnet inception densenet squeezenet shufflenet zfnet bvlc rcnn".split(): board.exclude(name)
result = unittest.TextTestRunner(sys.stdout, verbosity=0).run(board.test_suite)
wrong = len(result.failures) + len(result.errors)
print(f"ONNX {onnx.__version__}: {len(result.skipped)} skipped")
print(f"onnx: {result.testsRun - len(result.skipped) - wrong} passed, {wrong} failed")
sys.stdout.flush()
os._exit(wrong != 0)  # without what libraries do at exit
