from ipykernel.kernelapp import IPKernelApp

from . import StrewKernel

IPKernelApp.launch_instance(kernel_class=StrewKernel)
