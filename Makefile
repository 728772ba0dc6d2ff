# strew: make, make doc, make demo, make test, make lint, make bench, make clean; make install and what else ships it, see
# scripts/packaging/install.mk. What these need is installed by scripts/setup.sh, never from here.
# (make bench-peers: beside what PYTHON=python3 finds of PyTorch, torch_scatter, JAX and NumPy.)
# Settings: CC=clang  OPENCL=0 (without OpenCL, as where its headers are missing)  SANITIZE=address,undefined or thread,
# DEBUG=1 (these in build folders of their own)

CC       = cc
OPENCL  := $(if $(shell echo '\#include <CL/cl.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes),1,0)
SANITIZE =
DEBUG    =
PYTHON   = python3
comma    = ,
BUILD    = build$(if $(SANITIZE),/$(firstword $(subst $(comma), ,$(SANITIZE))),$(if $(DEBUG),/debug))

# Where the kernel lays out programs with 32 random bits, sanitizers of older compilers go round for ever in one layout of
# six: what runs under them has the fixed one, where that is allowed.
FIXED    = $(shell setarch -R true 2>/dev/null && echo setarch -R)
ifneq ($(if $(SANITIZE),$(FIXED)),)
SHELL       := setarch
.SHELLFLAGS := -R /bin/sh -c
endif

WARNINGS = -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Werror
# The bits must not depend on compiler or instruction set: nothing is contracted or reassociated.
# (Elements are moved as words of their size, whatever their dtype: -fno-strict-aliasing.)
EXACT    = -fno-strict-aliasing -ffp-contract=off -fno-fast-math -fno-math-errno -fno-trapping-math
# Loops that are there several times, one for each instruction set, are vectorised without the rest of -O3, which would
# double their size.
VECTORS := $(if $(shell $(CC) --version | grep clang),-O3,-O2 -ftree-vectorize -fvect-cost-model=dynamic --param vect-epilogues-nomask=0)
OPTIMISE = $(if $(SANITIZE),-O1,$(if $(filter $(VECTORISED),$<),$(VECTORS),$(if $(filter runtime/cpu/%,$<),-O3,-O2)))
CFLAGS  += $(CPPFLAGS) $(WARNINGS) $(EXACT) $(OPTIMISE) $(if $(SANITIZE)$(DEBUG),-g) -fPIC $(if $(ISAS),-fno-plt) -fvisibility=hidden -pthread -MMD -MP -DSTREW_OPENCL=$(OPENCL) \
           $(if $(SANITIZE)$(DEBUG),-DSTREW_DEBUG) $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all)
# (Without the PLT's jump into other libraries a scatter of four elements takes 0.98 of the time on x86-64, where linkers
# undo it for calls within one.)
# (What is shipped is small: names for debuggers and profilers come with DEBUG=1.)
LDFLAGS += -pthread $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(STRIP)
STRIP    = $(if $(SANITIZE)$(DEBUG),,-Wl,-s)
LIBS     = -lpthreadpool -lm -ldl
LUA        = lua5.4
LUA_CFLAGS := $(shell pkg-config --cflags $(LUA))
LUA_LIBS   := $(shell pkg-config --libs $(LUA))
VERSION    := $(shell sed -n 's/^\#define STREW_VERSION *"\([^"]*\)".*/\1/p' runtime/strew.h)
# Hosts that were built against one version run with any later one of the same number.
SOVERSION  = 0
MAKEFLAGS  += --output-sync=target --no-print-directory $(if $(filter 0,$(MAKELEVEL)),-j$(shell nproc))

ifeq ($(OPENCL)$(origin OPENCL)$(MAKELEVEL),0file0)
$(info   without OpenCL: its headers are missing (Debian: opencl-headers))
endif

# Kernels are real files, with the headers that they share with the C side; the library carries them as texts.
KERNELS  = $(wildcard opencl/kernels/*.cl opencl/kernels/*.h) $(wildcard $(addprefix runtime/,tables.h scalar.h softfloat.h arithmetic.h arithmetic.inc horner.h exponential.h pairs.h philox.h normal.h uniform.h))
CORE     = $(wildcard runtime/*.c runtime/cpu/*.c) \
           $(if $(filter-out 0,$(OPENCL)),$(wildcard opencl/*.c) $(BUILD)/kernels.c)
PROGRAM  = $(addprefix lua_bindings/,main.c call.c interrupt.c hint.c devices.c output.c progress.c repl.c prompt.c line.c history.c)
# What the prompt is made of beside repl.c and prompt.c, in the order of loading.
PROMPT   = $(patsubst %,lua_bindings/prompt/%.lua,tokens entry show commands read complete)
# The text behind strew.help, the reference and the manual page, and what reads it.
TEXTS    = $(wildcard lua_bindings/*.lua)
BINDINGS = $(filter-out $(PROGRAM),$(wildcard lua_bindings/*.c)) $(BUILD)/texts.c
CHECKS   = $(filter-out tests/check_opencl.c,$(wildcard tests/check_*.c))
DEVICE_CHECKS = $(patsubst %,tests/check_%.c,scatter group elementwise elementwise_rules reduce sort random matmul view copy \
                  scalar overlap misuse interrupt file opencl)
DEVICE_SPECS = cases error hint print view file text show
HOSTS    = $(wildcard tests/host/*.c)
FUZZ     = $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
SHARED   = $(filter-out $(wildcard tests/check_*.c tests/*opencl*.c tests/system_*.c),$(wildcard tests/*.c))
# What is compiled once more for each instruction set that a processor may have beyond its architecture's plain one: see
# runtime/cpu/isa.h.
VECTORISED = $(patsubst %,runtime/cpu/%_loops.c,copy elementwise index reduce row)
ISAS    := $(if $(shell echo | $(CC) -dM -E - | grep __x86_64__),avx2 avx512)
LOOPS    = $(foreach isa,$(ISAS),$(patsubst %.c,$(BUILD)/obj/%.$(isa).o,$(VECTORISED)))
objects  = $(patsubst %.c,$(BUILD)/obj/%.o,$(patsubst $(BUILD)/%,%,$(1)))
programs = $(patsubst tests/%.c,$(BUILD)/tests/%,$(1))
seeds    = $(addsuffix /$(1),tests/fuzz/seeds tests/fuzz/found) $(addprefix tests/data/,$(patsubst np%,numpy,$(filter np% png,$(1))))
say      = @printf '  %-5s %s\n' $(1) $@;

# The program and the Lua module stand alone; libstrew is for hosts in C, and with libstrew_lua for those with a Lua
# state of their own. A library takes what it can from itself, whatever of the same name a host brings.
all: $(BUILD)/strew $(BUILD)/strew.so $(foreach library,libstrew libstrew_lua,$(BUILD)/$(library).a $(BUILD)/$(library).so) $(BUILD)/strew.1
shared = $(CC) -shared -Wl,-Bsymbolic $(LDFLAGS)

# A host sees of an archive what it sees of the shared library: all of it is one object, in which hidden names are local.
# (Tests, and what is linked here, take the objects by themselves.)
OBJCOPY := $(shell $(CC) -print-prog-name=objcopy)
$(BUILD)/obj/libstrew.a: $(call objects,$(CORE)) $(LOOPS)
	$(call say,AR) rm -f $@ && ar rcs $@ $^
$(BUILD)/libstrew.a: $(call objects,$(CORE)) $(LOOPS)
$(BUILD)/libstrew_lua.a: $(call objects,$(BINDINGS))
$(BUILD)/libstrew.a $(BUILD)/libstrew_lua.a: $(BUILD)/%.a:
	$(call say,AR) $(CC) -r -nostdlib -o $(BUILD)/obj/$*.o $^ && $(OBJCOPY) --localize-hidden $(BUILD)/obj/$*.o && \
	  rm -f $@ && ar rcs $@ $(BUILD)/obj/$*.o
$(BUILD)/libstrew.so: $(call objects,$(CORE)) $(LOOPS)
	$(call say,LD) $(shared) -Wl,-soname,$(@F).$(SOVERSION) -o $@ $^ $(LIBS)
$(BUILD)/libstrew_lua.so: $(call objects,$(BINDINGS)) $(BUILD)/libstrew.so
	$(call say,LD) $(shared) -Wl,-soname,$(@F).$(SOVERSION) -o $@ $^ -lm
$(BUILD)/strew.so: $(call objects,$(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(shared) -Wl,--exclude-libs,libstrew.a -o $@ $^ $(LIBS)
$(BUILD)/strew: $(call objects,$(PROGRAM) $(BUILD)/prompts.c $(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) -Wl,-E $(LDFLAGS) -o $@ $^ $(LUA_LIBS) $(LIBS)
# Libraries of one file: the plain C loops, what stands in the place of OpenCL's loader, what delays reads.
$(BUILD)/plain_loop.so: $(BUILD)/obj/scripts/bench/plain_loop.o
$(BUILD)/tests/fake/libOpenCL.so.1: $(BUILD)/obj/tests/fake_opencl.o
$(BUILD)/tests/terminal/late_read.so: $(BUILD)/obj/tests/terminal/late_read.o
$(patsubst %,$(BUILD)/%,plain_loop.so tests/fake/libOpenCL.so.1 tests/terminal/late_read.so):
	@mkdir -p $(@D)
	$(call say,LD) $(CC) -shared $(LDFLAGS) -o $@ $<
$(BUILD)/tests/shared.a: $(call objects,$(SHARED))
	@mkdir -p $(@D)
	$(call say,AR) rm -f $@ && ar rcs $@ $^
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(BUILD)/tests/shared.a $(BUILD)/obj/libstrew.a
	@mkdir -p $(@D)
	$(call say,LD) $(CC) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs check) $(LIBS)
# The program plays OpenCL's functions for the library, and has to be seen doing so.
$(BUILD)/tests/check_opencl: LDFLAGS += -Wl,-E
$(BUILD)/tests/check_opencl: $(BUILD)/obj/tests/opencl_faults.o
# The program plays the operating system's functions for files.
PLAYED   = $(patsubst %,-Wl$(comma)--wrap=%,open pread pwrite close fstat lstat fsync fchmod rename mmap dlopen)
$(BUILD)/tests/check_file: LDFLAGS += $(PLAYED)
$(BUILD)/tests/check_file: $(BUILD)/obj/tests/system_faults.o
$(BUILD)/tests/terminal/driver: $(BUILD)/obj/tests/terminal/driver.o
	@mkdir -p $(@D)
	$(call say,LD) $(CC) $(LDFLAGS) -o $@ $^
$(BUILD)/tests/host/%: $(BUILD)/obj/tests/host/%.o $(call objects,$(BINDINGS)) $(BUILD)/obj/libstrew.a
	@mkdir -p $(@D)
	$(call say,LD) $(CC) $(LDFLAGS) -o $@ $^ $(LUA_LIBS) $(LIBS)
$(BUILD)/tests/endless/endless: $(call objects,tests/endless/endless.c $(BINDINGS)) $(BUILD)/libstrew.a
	@mkdir -p $(@D)
	$(call say,LD) $(CC) $(LDFLAGS) -o $@ $^ $(LUA_LIBS) $(LIBS)
# Here it plays all of them.
$(BUILD)/tests/faults/faults: LDFLAGS += -Wl,-E $(PLAYED)
$(BUILD)/tests/faults/faults: $(call objects,$(wildcard tests/faults/*.c) tests/system_faults.c $(if $(filter-out 0,$(OPENCL)),tests/opencl_faults.c) $(BINDINGS)) $(BUILD)/obj/libstrew.a
	@mkdir -p $(@D)
	$(call say,LD) $(CC) $(LDFLAGS) -o $@ $^ $(LUA_LIBS) $(LIBS)
# With libFuzzer, where the build is one for it (make fuzz), or with a driver that replays files.
$(BUILD)/tests/fuzz/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(call objects,tests/fuzz/fuzz.c tests/fuzz/script.c $(if $(FUZZER),,tests/fuzz/replay.c) $(BINDINGS)) $(BUILD)/obj/libstrew.a
	@mkdir -p $(@D)
	$(call say,LD) $(CC) $(LDFLAGS) $(if $(FUZZER),-fsanitize=fuzzer) -o $@ $^ $(LUA_LIBS) $(LIBS)
$(BUILD)/kernels.c: $(KERNELS)
$(BUILD)/texts.c: $(TEXTS)
$(BUILD)/prompts.c: $(PROMPT)
$(BUILD)/kernels.c $(BUILD)/texts.c $(BUILD)/prompts.c: scripts/embed.sh
	@mkdir -p $(@D)
	$(call say,EMBED) sh $< $(patsubst %s,%,$(basename $(@F))) $(filter-out $<,$^) >$@.new && mv $@.new $@
$(BUILD)/obj/kernels.o $(BUILD)/obj/texts.o $(BUILD)/obj/prompts.o: $(BUILD)/obj/%.o: $(BUILD)/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CFLAGS) -Iopencl -Ilua_bindings -c -o $@ $<
$(BUILD)/obj/%.avx2.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CFLAGS) -DISA=avx2 -mavx2 -mf16c -Iruntime -Iruntime/cpu -c -o $@ $<
$(BUILD)/obj/%.avx512.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CFLAGS) -DISA=avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512 -Iruntime -Iruntime/cpu -c -o $@ $<
$(BUILD)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CFLAGS) -Iruntime -Iruntime/cpu $(if $(filter lua_bindings/% scripts/% tests/host/% tests/endless/% tests/fuzz/% tests/faults/%,$<),-Ilua_bindings $(LUA_CFLAGS)) $(if $(filter tests/opencl_%,$<),-Iopencl) $(if $(filter tests/faults/%,$<),-Itests) -c -o $@ $<

# The manual page, and the reference: one page for browsers.
REFERENCE = $(wildcard scripts/reference/*) $(TEXTS)
doc: $(BUILD)/doc/index.html
$(BUILD)/strew.1: scripts/reference/manual.lua $(REFERENCE) $(BUILD)/strew
	$(call say,MAN) $(BUILD)/strew -E $< $@
$(BUILD)/doc/index.html: scripts/reference/html.lua $(REFERENCE) $(BUILD)/strew
	@mkdir -p $(@D)
	$(call say,HTML) $(BUILD)/strew -E $< $@

include scripts/packaging/install.mk

# ------------------------------------------------------------------------------------------------------- try and test

# Each runs on the CPU and through OpenCL, and checks what it finds; pictures and files go to build/demo.
DEMOS    = karate debrank groupby voxels hough
demo: all
	@mkdir -p $(BUILD)/demo
	@for demo in $(DEMOS); do echo "---- $(BUILD)/strew scripts/demos/$$demo.lua $(BUILD)/demo"; \
	  $(BUILD)/strew scripts/demos/$$demo.lua $(BUILD)/demo || exit 1; done

# BUDGET seconds for each case, CASES=words,of,keys; DEVICE=opencl: that device beside the CPU.
bench: all $(BUILD)/plain_loop.so
	+$(BUILD)/strew scripts/bench/bench.lua $(BUDGET) $(DEVICE)
bench-peers: all
	+STREW=$(BUILD)/strew $(PYTHON) -B scripts/bench/peers.py $(BUDGET)

# Each Check program and each host; all of it again under ASan and UBSan, without OpenCL, whose loader and drivers
# LeakSanitizer does not bear; what threads do under TSan.
checks: $(patsubst tests/%.c,run-%,$(CHECKS)) hosts replay
run-%: $(BUILD)/tests/%
	@$<
hosts: $(patsubst %.c,$(BUILD)/%,$(HOSTS))
	@for host in $^; do $$host || exit 1; done
# What fuzzing begins with, and what it once found.
replay: $(patsubst %,$(BUILD)/tests/fuzz/fuzz_%,$(FUZZ))
	@$(foreach target,$(FUZZ),$(BUILD)/tests/fuzz/fuzz_$(target) $(call seeds,$(target)) &&) true
# (All cases of the sweeps: make OPENCL=0 SANITIZE=address,undefined checks.)
sanitized:
	@STREW_TEST_FEW=1 $(MAKE) OPENCL=0 SANITIZE=address,undefined checks specs program
threads:
	@$(MAKE) SANITIZE=thread run-check_pool
	@CC='$(CC)' MAKE='$(MAKE)' $(FIXED) sh tests/hosts_test.sh build/thread thread

# Installed, and used by programs of others; what the libraries show of themselves.
installed: all
	@CC='$(CC)' MAKE='$(MAKE)' sh tests/hosts_test.sh $(BUILD)
exports: all
	@CC='$(CC)' sh tests/exports_test.sh $(BUILD)

# The Lua module in the stock interpreter; under a sanitizer its runtime has to come first.
sanitizer = $(if $(SANITIZE),LD_PRELOAD=$(shell $(CC) -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1)
specs: $(BUILD)/strew.so
	@$(sanitizer) PYTHON='$(PYTHON)' LUA_CPATH='$(BUILD)/?.so;/usr/lib/$(shell $(CC) -print-multiarch)/lua/5.4/?.so' \
	  lua5.4 /usr/bin/busted --output=plainTerminal tests/spec
program: all $(BUILD)/plain_loop.so
	@sh tests/program_test.sh $(BUILD)/strew
# The prompt, typed at.
terminal: all $(patsubst %,$(BUILD)/tests/terminal/%,driver late_read.so)
	@sh tests/terminal_test.sh $(BUILD)
reference: all doc
	@$(BUILD)/strew -E tests/reference_test.lua $(BUILD)
readme: all
	@MAKEFLAGS= $(BUILD)/strew tests/readme_test.lua $(BUILD)
# Drivers that lie.
driver: $(if $(filter-out 0,$(OPENCL)),all $(BUILD)/tests/fake/libOpenCL.so.1)
	@$(if $^,sh tests/driver_test.sh $(BUILD),echo 'driver: left out, built without OpenCL')
limits: all
	@sh tests/limits_test.sh $(BUILD)/strew
# Calls that mean to run for ever, each with a twentieth of a second, and strings of 64 MiB. FULL=1: with a second, and
# strings of 1 GiB (an hour, 10 GiB of memory). NAMES: functions with this in their names. endless-pocl: of tensors there.
endless: $(BUILD)/tests/endless/endless
	@OCL_ICD_VENDORS=/dev/null/none $< cpu $(ENDLESS) '$(NAMES)'
endless-pocl: $(BUILD)/tests/endless/endless
	@POCL_MAX_PTHREAD_COUNT=1 sh tests/endless/pocl.sh $(BUILD) $(ENDLESS) '$(NAMES)'
ENDLESS  = $(if $(FULL),1 30 1,0.05 26 2)
digest: all instruction_sets
	@$(BUILD)/strew tests/digest.lua 600 1 2 3 7 16
instruction_sets: all
	@sh tests/isas.sh $(BUILD) plain $(ISAS)
# On each OpenCL implementation that is there; kernels compiled by earlier runs are kept in the build folder.
devices: $(addprefix devices-,$(if $(filter-out 0,$(OPENCL)),pocl rusticl oclgrind intel others))
devices-%: all $(call programs,$(DEVICE_CHECKS))
	@SPECS='$(DEVICE_SPECS)' sh tests/devices.sh $(BUILD) $*
rules:
	@sh tests/include_rules.sh
	@sh tests/setup_test.sh
	@luacheck -q scripts tests lua_bindings/help.lua lua_bindings/prompt
	@! command -v shellcheck >/dev/null || shellcheck scripts/*.sh scripts/packaging/*.sh tests/*.sh tests/*/*.sh .ci/run
# What takes longest comes first, so that no processor waits at the end.
test: all devices sanitized checks exports installed specs program terminal limits endless driver faults-few reference readme digest rules threads
sanitized: | $(if $(filter test,$(MAKECMDGOALS)),$(if $(filter-out 0,$(OPENCL)),devices-rusticl))

# For hardware that need not be here: see the script.
kernels: all
	@sh scripts/compile_kernels.sh

# The Lua suite and the demonstrations, with everything that can fail made to fail in turn, of each place of a body the
# first EACH events; and once more under ASan and UBSan. A few bodies are among the tests.
EACH     = 1
faults: all $(BUILD)/tests/faults/faults
	@SPECS='$(DEVICE_SPECS)' DEMOS='$(DEMOS)' PYTHON='$(PYTHON)' sh tests/faults/run.sh $(BUILD) $(BUILD) $(EACH)
faults-sanitized: all
	@$(MAKE) BUILD=build/faults SANITIZE=address,undefined $(patsubst %,build/faults/%,strew tests/faults/faults tests/fake/libOpenCL.so.1)
	@SPECS='$(DEVICE_SPECS)' DEMOS='$(DEMOS)' PYTHON='$(PYTHON)' $(FIXED) sh tests/faults/run.sh build/faults $(BUILD) $(EACH)
	@$(FIXED) sh tests/driver_test.sh build/faults
faults-few: $(BUILD)/tests/faults/faults
	@OCL_ICD_VENDORS=/dev/null/none LUA_CPATH='$(BUILD)/?.so' $< $(patsubst %,tests/spec/%_spec.lua,call error index view)

# Inputs that clang's libFuzzer invents, under ASan and UBSan: for SECONDS each, or RUNS of them. TARGETS: some only.
SECONDS  = 60
RUNS     =
TARGETS  = $(FUZZ)
CLANG := $(if $(findstring clang,$(CC)),$(CC),clang)
fuzz:
	@echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | $(CLANG) -fsanitize=fuzzer -x c -o /dev/null - 2>/dev/null || \
	  { echo "fuzz: needs clang and its libFuzzer (Debian: clang)"; exit 1; }
	@$(MAKE) BUILD=build/fuzz FUZZER=1 CC='$(CLANG)' OPENCL=0 SANITIZE=address,undefined,fuzzer-no-link $(addprefix fuzz-,$(TARGETS))
fuzz-%: $(BUILD)/tests/fuzz/fuzz_%
	@sh tests/fuzz/run.sh $(BUILD) $* '$(if $(RUNS),-runs=$(RUNS),-max_total_time=$(SECONDS))' $(call seeds,$*)

# Check programs, specs and a few calls of each family while Valgrind, ThreadSanitizer or Oclgrind watch; long. NAMES: some
# only, see the script.
NAMES    =
WATCHED  = sh tests/watched.sh
valgrind:
	@$(MAKE) BUILD=build/valgrind DEBUG=1 OPENCL=0 all $(patsubst tests/%.c,build/valgrind/tests/%,$(CHECKS))
	@$(WATCHED) valgrind build/valgrind $(NAMES)
tsan: all
	@$(MAKE) BUILD=build/tsan SANITIZE=thread OPENCL=0 all $(patsubst tests/%.c,build/tsan/tests/%,$(CHECKS))
	@$(FIXED) $(WATCHED) thread build/tsan $(NAMES)
oclgrind: all $(call programs,$(DEVICE_CHECKS))
	@SPECS='$(DEVICE_SPECS)' $(WATCHED) oclgrind $(BUILD) $(NAMES)

# All ways through each file that gcc's analyser finds: none uses what is freed, not set, not there or never given back.
# And clang's, with what else clang-tidy looks for: see .clang-tidy. (A process each: of several files its analyser takes
# the va_list in all but the first for not set.)
analyze: tidy
	@CFLAGS=-fanalyzer $(MAKE) ANALYZE=1 BUILD=build/analyze CC='$(if $(findstring gcc,$(CC)),$(CC),gcc)' build/analyze/obj/libstrew.a build/analyze/strew

ifdef ANALYZE # it does not see that two loops run equally often, nor what an array keeps at an index that it does not know
$(BUILD)/obj/runtime/cpu/row_loops.%: CFLAGS += -Wno-analyzer-use-of-uninitialized-value
$(BUILD)/obj/lua_bindings/history.%: CFLAGS += -Wno-analyzer-malloc-leak
endif

# The branches that tests take, of runtime/ and lua_bindings/, by clang's and LLVM's means. (Not optimised: clang 14's -O1
# makes wrong code where it counts branches. Each program knows where its counts go: what tests do to the environment or
# to the folder leaves none elsewhere.)
PROFILES = $(CURDIR)/build/coverage/profiles
coverage:
	@rm -rf $(PROFILES)
	@CFLAGS='-fprofile-instr-generate=$(PROFILES)/%4m -fcoverage-mapping' LDFLAGS='-fprofile-instr-generate=$(PROFILES)/%4m' CK_TIMEOUT_MULTIPLIER=20 \
	  $(MAKE) BUILD=build/coverage CC='$(CLANG)' OPTIMISE=-O0 OPENCL=0 all checks specs program limits terminal reference instruction_sets
	@sh tests/coverage.sh build/coverage

tidy:
	@command -v clang-tidy >/dev/null || { echo "tidy: clang-tidy is absent (Debian: clang-tidy)"; exit 1; }
	@mkdir -p $(BUILD)
	@printf '%s\n' $(filter-out $(BUILD)/%,$(CORE) $(PROGRAM) $(BINDINGS)) | xargs -P $(shell nproc) -I FILE \
	  clang-tidy -quiet FILE -- -std=c11 -pthread -DSTREW_OPENCL=$(OPENCL) -Iruntime -Iruntime/cpu $(LUA_CFLAGS) 2>$(BUILD)/tidy.log
	@echo "clang-tidy: $(words $(filter-out $(BUILD)/%,$(CORE) $(PROGRAM) $(BINDINGS))) files, nothing found"

lint: rules tidy
	clang-format --dry-run -Werror runtime/*.[ch] runtime/cpu/*.[ch] opencl/*.[ch] opencl/kernels/*.h lua_bindings/*.[ch] tests/*.[ch] tests/*/*.[ch]

clean:
	rm -rf build

.PHONY: all doc kernels demo bench bench-peers checks hosts installed exports limits endless endless-pocl driver faults faults-few faults-sanitized replay fuzz coverage sanitized threads specs program terminal reference readme digest instruction_sets devices rules test lint tidy analyze valgrind tsan oclgrind clean
.SECONDARY:
-include $(patsubst %.o,%.d,$(LOOPS) $(call objects,$(CORE) $(PROGRAM) $(BINDINGS) $(CHECKS) $(HOSTS) $(SHARED) $(wildcard tests/*opencl*.c tests/system_*.c tests/endless/*.c tests/fuzz/*.c tests/faults/*.c)))
