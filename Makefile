# strew: make, make doc, make demo, make bench, make clean; make test, make check, make lint and other tests: see
# tests/tests.mk; make install and packages: see scripts/packaging/install.mk; make web: scripts/web/web.mk.
# scripts/setup.sh installs the tools.
# Settings: CC=clang  OPENCL=0 (without OpenCL, the default if its headers are missing)  STRICT=1 (warnings are errors)
# MPICC= (without strew.mpi, the default if mpicc is missing)
# PARTS=core,groups (libstrew_core of these rooms, and of those that they stand on, and a Lua module, in a build folder
# of its own)
# DEBUG=1, SANITIZE=address,undefined or thread (both in build folders of their own)  PYTHON=python3 (of bench-peers)

CC       = cc
hash    := \#
OPENCL  := $(if $(shell echo '$(hash)include <CL/cl.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes),1,0)
SANITIZE =
DEBUG    =
PARTS    =
MPICC   := $(shell command -v mpicc)
STRICT  ?=
PYTHON   = python3
comma    = ,
MAKEFLAGS += --no-print-directory
BUILD    = build$(if $(PARTS),/parts/$(subst $(comma),-,$(PARTS)))$(if $(SANITIZE),/$(firstword $(subst $(comma), ,$(SANITIZE))),$(if $(DEBUG),/debug))

# Sanitizers of older compilers hang in one of six address space layouts: they run without randomisation, if allowed.
FIXED   := $(shell setarch -R true 2>/dev/null && echo setarch -R)
ifneq ($(if $(SANITIZE),$(FIXED)),)
SHELL       := setarch
.SHELLFLAGS := -R /bin/sh -c
endif

WARNINGS = -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes $(if $(STRICT),-Werror)
MACROS  := $(shell echo | $(CC) -std=c11 -dM -E -)
# Results must not depend on the compiler or instruction set: no contraction, no reassociation.
# (Elements of any dtype are copied as words of their size: -fno-strict-aliasing. On s390x C11 computes float32 as double.)
EXACT    = -fno-strict-aliasing -ffp-contract=off -fno-fast-math -fno-math-errno -fno-trapping-math $(EXCESS)
EXCESS   = $(if $(findstring __FLT_EVAL_METHOD__ 1 ,$(MACROS) ),-fexcess-precision=fast)
# Loops compiled for each instruction set, sorts and searches are vectorised without the rest of -O3, which would double their size.
VECTORS := $(if $(shell $(CC) --version | grep clang),-O3,-O2 -ftree-vectorize -fvect-cost-model=dynamic --param vect-epilogues-nomask=0)
# What runs once a call, not for each element, is compiled for size.
SMALL    = $(filter-out %/rearrange.c %/expression.c,$(wildcard $(patsubst %,runtime/%/*.c,reduce order groups linalg programs interchange)) $(wildcard opencl/*/*.c)) \
           $(patsubst %,runtime/%.c,core/base/error core/base/devices elementwise/random linalg/cpu/linalg files/csv_load files/csv_errors files/npy files/npy_header files/npz files/csv_guess files/file files/format files/archive files/chunks files/raw_records files/safetensors) \
           $(filter-out $(patsubst %,lua_bindings/core/strew_%.c,arguments box call family parameters subscript tensor),$(wildcard lua_bindings/*.c lua_bindings/*/*.c))
OPTIMISE = $(if $(SANITIZE),-O1,$(if $(filter $(VECTORISED) runtime/order/cpu/sort.c runtime/order/cpu/search.c,$<),$(VECTORS),$(if $(filter $(SMALL),$<),-Os,\
             $(if $(findstring /cpu/,$<),-O3,-O2))))
# Without gcc's padding before functions, what jumps reach, and loops that run once a call.
TIGHT   := $(if $(shell $(CC) --version | grep clang),,-fno-align-functions -fno-align-jumps -fno-align-labels)
TIGHTER := $(if $(TIGHT),-fno-align-loops)
# The library calls nothing that unwinds: tables for it would be a fifteenth of its size. Debuggers get theirs by DEBUG=1.
LEAN     = $(if $(SANITIZE)$(DEBUG),,$(if $(filter runtime/% opencl/%,$<),-fno-asynchronous-unwind-tables))
INCLUDE  = -I. -Iruntime $(if $(filter-out runtime/% opencl/%,$<),-Ilua_bindings $(LUA_CFLAGS) -DPACKED=$(if $(ZLIB),1,0))
# The user's CFLAGS win, except over flags that results depend on. (-fno-plt: 2 % less time for a scatter of four elements on x86-64.)
ALL_CFLAGS = $(WARNINGS) $(OPTIMISE) $(TIGHT) $(if $(findstring /cpu/,$<),,$(TIGHTER)) $(if $(SANITIZE)$(DEBUG),-g -DSTREW_DEBUG) -fPIC $(if $(ISAS),-fno-plt) \
             -fvisibility=hidden $(LEAN) -pthread -MMD -MP $(if $(findstring __SIZEOF_POINTER__ 4,$(MACROS)),-D_FILE_OFFSET_BITS=64) -DSTREW_OPENCL=$(OPENCL) $(if $(ISAS),-DX86_LOOPS) $(if $(PARTS),-DSTREW_PARTS) \
             $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all) \
             $(INCLUDE) $(CPPFLAGS) $(CFLAGS) $(EXACT)
# Relative relocations take a sixteenth of their space where linker and C library know DT_RELR (musl 1.2.3 ends there).
RELR    := $(if $(shell printf '$(hash)include <stdlib.h>\nint main(void) { return __GLIBC__ < 2; }' | $(CC) -Wl,-z,pack-relative-relocs -x c -o /dev/null - 2>&1 || echo failed),,-Wl,-z,pack-relative-relocs)
# (A thread of musl has 128 KiB of stack unless the program or a library sets a larger size, which glibc ignores.)
ALL_LDFLAGS = -pthread -Wl,-z,stack-size=1048576 $(RELR) $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LDFLAGS)
LIBS     = -lpthreadpool -lm -ldl
# With zlib the texts in Lua are compressed.
ZLIB    := $(strip $(shell pkg-config --libs zlib 2>/dev/null))
LUA        = lua5.4
LUA_CFLAGS := $(shell pkg-config --cflags $(LUA))
LUA_LIBS   := $(shell pkg-config --libs $(LUA))
VERSION    := $(shell sed -n 's/^\#define STREW_VERSION_[MP][A-Z]* *//p' runtime/strew_core.h | paste -sd.)
# Hosts built against one version run with any later one of the same number: what is exported stays so. A change that
# breaks them raises it, in scripts/packaging/debian, too (make release looks).
SOVERSION  = 0

ifeq ($(OPENCL)$(origin OPENCL)$(MAKELEVEL),0file0)
$(info   without OpenCL: its headers are missing (Debian: opencl-headers))
endif

ifeq ($(MPICC)$(MAKELEVEL)$(SANITIZE),0)
$(info   without strew.mpi: mpicc is missing (Debian: libopenmpi-dev, openmpi-bin))
endif

# The rooms of the library: all, or core and those of PARTS, with what they stand on. (Kernels of OpenCL compute copies,
# and all that elementwise operations share.)
order    = elementwise reduce
groups   = order $(order)
linalg   = $(order)
programs = groups $(groups)
files    = text_time
interchange = $(files)
ROOMS    = $(if $(PARTS),$(sort core $(foreach room,$(subst $(comma), ,$(PARTS)),$(room) $($(room)))),*)
CORE     = $(wildcard $(foreach room,$(ROOMS),runtime/$(room)/*.c runtime/$(room)/*/*.c runtime/$(room)/cpu/*/*.c)) \
           $(if $(filter-out 0,$(OPENCL)),$(wildcard $(foreach room,$(ROOMS),opencl/$(room)/*.c opencl/$(room)/*/*.c)) $(BUILD)/kernels.c)
BINDINGS = $(filter-out lua_bindings/program/% lua_bindings/mpi/%,$(wildcard lua_bindings/*.c lua_bindings/*/*.c)) $(BUILD)/texts.c
PROGRAM  = $(wildcard lua_bindings/program/*.c) $(BUILD)/prompts.c $(BUILD)/digests.c
RANKS    = $(wildcard lua_bindings/mpi/*.c) $(BUILD)/mpis.c
# Files embedded in the library and the program: kernels with the headers that C and OpenCL C share; the help and the
# operations written in Lua; the prompt, in the order of loading.
KERNELS  = $(wildcard $(foreach room,$(ROOMS),opencl/$(room)/kernels/*) $(foreach room,$(sort $(ROOMS) $(if $(PARTS),elementwise)),runtime/$(room)/shared/*))
TEXTS    = $(filter-out lua_bindings/mpi/%,$(wildcard lua_bindings/*.lua lua_bindings/*/*.lua))
PROMPT   = $(patsubst %,lua_bindings/program/prompt/%.lua,tokens foreign entry show pager commands read complete settings)
DIGEST   = tests/calls.lua tests/digest.lua
# Compiled again for each instruction set beyond the architecture's baseline: see isa.h.
VECTORISED = $(wildcard $(foreach room,$(ROOMS),runtime/$(room)/cpu/*_loops.c))
ISAS    := $(if $(findstring __x86_64__,$(MACROS)),avx2 avx512)
avx2     = -mavx2 -mfma -mf16c
avx512   = -mfma -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512
LOOPS    = $(foreach isa,$(ISAS),$(patsubst %.c,$(BUILD)/obj/%.$(isa).o,$(VECTORISED)))
# The compiler of the other files, with MPI's flags (of Open MPI and MPICH).
mpicc    = OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC)
objects  = $(patsubst %.c,$(BUILD)/obj/%.o,$(patsubst $(BUILD)/%,%,$(1)))
say      = @mkdir -p $(@D); printf '  %-5s %s\n' $(1) $@;

# The program and the Lua module are self-contained. libstrew is for hosts in C; libstrew_lua is for hosts with a Lua
# state. A library binds to its own symbols, whatever names a host has (-Bsymbolic).
ifdef PARTS
all: $(BUILD)/libstrew_core.a $(BUILD)/libstrew_core.so $(BUILD)/strew.so
else
all: $(BUILD)/strew $(BUILD)/strew.so $(if $(MPICC),$(if $(SANITIZE),,$(BUILD)/modules/strew/mpi.so)) $(foreach library,libstrew libstrew_lua,$(BUILD)/$(library).a $(BUILD)/$(library).so) $(BUILD)/strew.1 $(BUILD)/luacats/strew.lua
endif
# (Without the names of hidden functions, which are a twelfth of libstrew.)
shared = $(CC) -shared -Wl,-Bsymbolic $(if $(SANITIZE)$(DEBUG),,-Wl,-s) $(ALL_LDFLAGS)

# An archive exports the same names as the shared library: it is one object, in which hidden names are local.
# (Tests and the programs here link the objects themselves; where tables of rooms are weak, all as one: a weak name takes
# nothing from an archive.)
OBJCOPY := $(shell $(CC) -print-prog-name=objcopy)
$(BUILD)/obj/libstrew.a: $(call objects,$(CORE)) $(LOOPS)
	$(call say,AR) rm -f $@ $(if $(PARTS),&& $(CC) -r -nostdlib -o $(@:.a=.o) $^) && ar rcs $@ $(if $(PARTS),$(@:.a=.o),$^)
$(BUILD)/libstrew.a: $(call objects,$(CORE)) $(LOOPS)
$(BUILD)/libstrew_lua.a: $(call objects,$(BINDINGS))
$(BUILD)/libstrew_core.a: $(call objects,$(CORE)) $(LOOPS)
$(BUILD)/libstrew.a $(BUILD)/libstrew_core.a $(BUILD)/libstrew_lua.a: $(BUILD)/%.a:
	$(call say,AR) $(CC) -r -nostdlib -o $(BUILD)/obj/$*.o $^ && $(OBJCOPY) --localize-hidden $(BUILD)/obj/$*.o && \
	  rm -f $@ && ar rcs $@ $(BUILD)/obj/$*.o
$(BUILD)/libstrew.so $(BUILD)/libstrew_core.so: $(call objects,$(CORE)) $(LOOPS)
	$(call say,LD) $(shared) -Wl,-z,defs -Wl,-soname,$(@F).$(SOVERSION) -o $@ $^ $(LIBS) && ln -sf $(@F) $@.$(SOVERSION)
$(BUILD)/libstrew_lua.so: $(call objects,$(BINDINGS)) $(BUILD)/libstrew.so
	$(call say,LD) $(shared) -Wl,-soname,$(@F).$(SOVERSION) -o $@ $^ $(ZLIB) -lm && ln -sf $(@F) $@.$(SOVERSION)
# These two have all functions of strew.h and strew_lua.h, for modules in C that a script requires.
whole    = -Wl,--whole-archive $^ -Wl,--no-whole-archive
$(BUILD)/strew.so: $(call objects,$(BINDINGS) $(if $(PARTS),$(BUILD)/absent.c)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(shared) -Wl,-soname,$(@F) -o $@ $(whole) $(ZLIB) $(LIBS)
$(BUILD)/strew: $(call objects,$(PROGRAM) $(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) -Wl,-E $(ALL_LDFLAGS) -o $@ $(whole) $(LUA_LIBS) $(ZLIB) $(LIBS)
# Modules lie in a folder of their own: a folder strew cannot stand beside the program. They use the program's functions,
# else those of the strew.so beside their folder.
$(BUILD)/modules/strew/mpi.so: $(call objects,$(RANKS)) $(BUILD)/strew.so
	$(call say,LD) ln -sf ../strew.so $(BUILD)/modules/strew.so && $(mpicc) -shared -Wl,-Bsymbolic -Wl,-z,nodelete \
	  '-Wl,-rpath,$$ORIGIN/..' $(ALL_LDFLAGS) -o $@ $(call objects,$(RANKS)) $(BUILD)/strew.so
$(call objects,$(RANKS)): private override CC := $(mpicc)
$(BUILD)/plain_loop.so: $(BUILD)/obj/scripts/bench/plain_loop.o
	$(call say,LD) $(CC) -shared $(ALL_LDFLAGS) -o $@ $<

$(BUILD)/kernels.c: $(KERNELS)
$(BUILD)/texts.c: $(TEXTS)
$(BUILD)/prompts.c: $(PROMPT)
$(BUILD)/digests.c: $(DIGEST)
$(BUILD)/mpis.c: lua_bindings/mpi/distributed.lua
$(BUILD)/texts.c $(BUILD)/prompts.c $(BUILD)/digests.c: export PACKED := $(if $(ZLIB),1,0)
$(BUILD)/kernels.c $(BUILD)/texts.c $(BUILD)/prompts.c $(BUILD)/digests.c $(BUILD)/mpis.c: scripts/embed.sh
	$(call say,EMBED) sh $< $(patsubst %s,%,$(basename $(@F))) $(filter-out $<,$^) >$@.new && mv $@.new $@
# What the bindings call and a build of some rooms lacks.
$(BUILD)/absent.c: scripts/absent.sh runtime/strew.h runtime/strew_core.h $(call objects,$(CORE))
	$(call say,EMBED) CC='$(CC)' sh $< $(PARTS) $(call objects,$(CORE)) >$@.new && mv $@.new $@
$(BUILD)/obj/%.o: $(BUILD)/%.c Makefile
	$(call say,CC) $(CC) $(ALL_CFLAGS) -c -o $@ $<
define compile_for # ISA
$(BUILD)/obj/%.$(1).o: %.c Makefile
	$$(call say,CC) $$(CC) -DISA=$(1) $($(1)) $$(ALL_CFLAGS) -c -o $$@ $$<
endef
$(foreach isa,$(ISAS),$(eval $(call compile_for,$(isa))))
$(BUILD)/obj/%.o: %.c Makefile
	$(call say,CC) $(CC) $(ALL_CFLAGS) -c -o $@ $<

# The manual page, the text for language servers, and the references of Lua and C as HTML pages.
REFERENCE = $(wildcard scripts/reference/* scripts/hosts/*) $(TEXTS) README.md
HEADERS  = runtime/strew_core.h runtime/strew.h runtime/strew.hpp lua_bindings/strew_lua.h
OWN      = $(wordlist 1,$(words $(wordlist 1,2,$(ROOMS))),$(HEADERS))
doc: $(if $(PARTS),,$(BUILD)/doc/index.html) $(BUILD)/doc/c.html
$(BUILD)/strew.1: scripts/reference/manual.lua $(REFERENCE) $(BUILD)/strew
	$(call say,MAN) $(BUILD)/strew -E $< $@
$(BUILD)/luacats/strew.lua: scripts/reference/luacats.lua $(REFERENCE) $(BUILD)/strew
	$(call say,LUA) $(BUILD)/strew -E $< $@
ifdef PARTS # those of these rooms
$(BUILD)/doc/c.html: scripts/reference/c.lua $(REFERENCE) $(OWN) $(BUILD)/strew.so
	$(call say,HTML) LUA_CPATH='$(BUILD)/?.so' $(LUA) $< $@ $(OWN)
else
$(BUILD)/doc/index.html $(BUILD)/doc/c.html: $(BUILD)/doc/%.html: scripts/reference/%.lua $(REFERENCE) $(HEADERS) $(BUILD)/strew
	$(call say,HTML) $(BUILD)/strew -E $< $@
endif

# Each demonstration runs on the CPU and through OpenCL, and checks its results; its files go to build/demo.
DEMOS    = karate debrank groupby voxels hough florence gcn attention stream questions slits weather graphs stations
demo: all
	@mkdir -p $(BUILD)/demo
	@for demo in $(DEMOS); do echo "---- $(BUILD)/strew scripts/demos/$$demo.lua $(BUILD)/demo"; \
	  $(BUILD)/strew scripts/demos/$$demo.lua $(BUILD)/demo || exit 1; done
	@echo 'All $(words $(DEMOS)) demonstrations passed. Next: $(BUILD)/strew (the prompt), or $(BUILD)/strew first.lua (the script in README.md)'

# BUDGET: seconds for each case; CASES=words,of,keys; DEVICE=opencl: that device beside the CPU.
bench: all $(BUILD)/plain_loop.so
	+$(BUILD)/strew scripts/bench/bench.lua $(BUDGET) $(DEVICE)
bench-peers: all
	+STREW=$(BUILD)/strew $(PYTHON) -B scripts/bench/peers.py $(BUDGET)

# Compiles the kernels for hardware that this machine need not have: see the script.
kernels: all
	@sh scripts/compile_kernels.sh

clean:
	rm -rf build

include scripts/packaging/install.mk
include scripts/web/web.mk
include tests/tests.mk

.PHONY: all doc kernels demo bench bench-peers clean
.SECONDARY:
-include $(patsubst %.o,%.d,$(LOOPS) $(call objects,$(CORE) $(PROGRAM) $(BINDINGS) $(RANKS)))
