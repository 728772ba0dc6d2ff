# tests.mk: the tests and the static analysis, included by the Makefile. tests/README.md describes the kinds of tests.

CHECKS   = $(filter-out tests/check_opencl.c,$(wildcard tests/check_*.c))
# Check programs and specs that also run on OpenCL devices: see devices.sh.
DEVICE_CHECKS = scatter group grouping index segment elementwise elementwise_rules functions reduce sort search statistics random \
                matmul view copy scalar overlap misuse interrupt file chunks opencl
DEVICE_SPECS  = cases samples rows grouping group_numbers error hint print tables tables_group view file chunks keys text show
HOSTS    = $(wildcard tests/host/*.c)
FUZZ     = $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
SHARED   = $(filter-out $(wildcard tests/check_*.c tests/*opencl*.c tests/system_*.c),$(wildcard tests/*.c))
seeds    = $(addsuffix /$(1),tests/fuzz/seeds tests/fuzz/found) $(addprefix tests/data/,$(patsubst np%,numpy,$(filter np% png,$(1))))

# ------------------------------------------------------------------------------------------------------------- building

$(BUILD)/tests/fake/libOpenCL.so.1: $(BUILD)/obj/tests/fake_opencl.o
$(BUILD)/tests/terminal/late_read.so: $(BUILD)/obj/tests/terminal/late_read.o
$(patsubst %,$(BUILD)/%,tests/fake/libOpenCL.so.1 tests/terminal/late_read.so):
	$(call say,LD) $(CC) -shared $(ALL_LDFLAGS) -o $@ $<
$(BUILD)/tests/shared.a: $(call objects,$(SHARED))
	$(call say,AR) rm -f $@ && ar rcs $@ $^
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(BUILD)/tests/shared.a $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(shell pkg-config --libs check) $(LIBS)
# The program replaces OpenCL's functions, and exports them for that.
$(BUILD)/tests/check_opencl: ALL_LDFLAGS += -Wl,-E
$(BUILD)/tests/check_opencl: $(BUILD)/obj/tests/opencl_faults.o
# These programs replace the operating system's functions for files.
REPLACED = $(patsubst %,-Wl$(comma)--wrap=%,open poll read recv preadv2 pread pwrite close fstat lstat fsync fchmod rename mmap dlopen)
$(patsubst %,$(BUILD)/tests/check_%,file chunks): ALL_LDFLAGS += $(REPLACED)
$(patsubst %,$(BUILD)/tests/check_%,file chunks): $(BUILD)/obj/tests/system_faults.o
$(BUILD)/tests/terminal/driver: $(BUILD)/obj/tests/terminal/driver.o
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^
$(BUILD)/tests/host/%: $(BUILD)/obj/tests/host/%.o $(call objects,$(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(LUA_LIBS) $(LIBS)
$(BUILD)/tests/endless/endless: $(BUILD)/obj/tests/endless/endless.o $(call objects,$(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(LUA_LIBS) $(LIBS)
# This one replaces all of them.
$(BUILD)/tests/faults/faults: ALL_LDFLAGS += -Wl,-E $(REPLACED)
$(BUILD)/tests/faults/faults: $(call objects,$(wildcard tests/faults/*.c) tests/system_faults.c $(if $(filter-out 0,$(OPENCL)),tests/opencl_faults.c) $(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(LUA_LIBS) $(LIBS)
# This one makes reads short.
$(BUILD)/tests/fuzz/fuzz_chunks: ALL_LDFLAGS += -Wl,--wrap=read
# With libFuzzer in its own build (make fuzz), else with a driver that replays files.
$(BUILD)/tests/fuzz/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(call objects,tests/fuzz/fuzz.c tests/fuzz/script.c $(if $(FUZZER),,tests/fuzz/replay.c) $(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) $(if $(FUZZER),-fsanitize=fuzzer) -o $@ $^ $(LUA_LIBS) $(LIBS)
# -------------------------------------------------------------------------------------------------------------- running

# Each Check program and each host. sanitized: all of it again under ASan and UBSan, without OpenCL, because LeakSanitizer
# reports its loader and drivers. threads: under ThreadSanitizer.
checks: $(patsubst tests/%.c,run-%,$(CHECKS)) hosts replay
run-%: $(BUILD)/tests/%
	@$<
hosts: $(patsubst %.c,$(BUILD)/%,$(HOSTS))
	@for host in $^; do $$host || exit 1; done
# The seeds and the findings of fuzzing, and random inputs of the generators of scripts. RANDOM: their count and seed.
RANDOM   = 2000,1
replay: $(patsubst %,$(BUILD)/tests/fuzz/fuzz_%,$(FUZZ))
	@$(foreach target,$(FUZZ),$(BUILD)/tests/fuzz/fuzz_$(target) $(call seeds,$(target)) $(if $(filter calls tensor views,$(target)),random=$(RANDOM)) &&) true
# (All cases of the sweeps: make OPENCL=0 SANITIZE=address,undefined checks.)
sanitized:
	@STREW_TEST_FEW=1 $(MAKE) OPENCL=0 SANITIZE=address,undefined checks specs program
threads:
	@$(MAKE) SANITIZE=thread run-check_pool run-check_claim && \
	CC='$(CC)' MAKE='$(MAKE)' $(FIXED) sh tests/hosts_test.sh build/thread thread

# The installed files, used by other programs; the exported symbols.
installed: all
	@CC='$(CC)' MAKE='$(MAKE)' sh tests/hosts_test.sh $(BUILD)
exports: all
	@CC='$(CC)' sh tests/exports_test.sh $(BUILD)

# The Lua module in the stock interpreter; a sanitizer's runtime must be loaded first.
sanitizer = $(if $(SANITIZE),LD_PRELOAD=$(shell $(CC) -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=1)
MODULES := $(shell pkg-config --variable=INSTALL_CMOD lua5.4)/?.so
specs: $(BUILD)/strew.so
	@$(sanitizer) PYTHON='$(PYTHON)' LUA_CPATH='$(BUILD)/?.so;$(MODULES)' \
	  lua5.4 /usr/bin/busted --output=plainTerminal tests/spec
program: all $(BUILD)/plain_loop.so
	@sh tests/program_test.sh $(BUILD)/strew
# The prompt at a pseudo-terminal.
terminal: all $(patsubst %,$(BUILD)/tests/terminal/%,driver late_read.so)
	@sh tests/terminal_test.sh $(BUILD)
reference: all doc
	@$(BUILD)/strew -E tests/reference_test.lua $(BUILD)
readme: all
	@MAKEFLAGS= $(BUILD)/strew tests/readme_test.lua $(BUILD)
# strew.mpi, on up to four ranks of this machine.
mpi: all
	@sh tests/mpi_test.sh $(BUILD)
# Faulty OpenCL drivers.
driver: $(if $(filter-out 0,$(OPENCL)),all $(BUILD)/tests/fake/libOpenCL.so.1)
	@$(if $^,sh tests/driver_test.sh $(BUILD),echo 'driver: left out, built without OpenCL')
limits: all
	@sh tests/limits_test.sh $(BUILD)/strew
# Calls that would never end, a fifth of them, each with a deadline of a fiftieth of a second, and strings of 64 MiB.
# FULL=1: all, a deadline of a second, and strings of 1 GiB (an hour, 10 GiB of memory). NAMES: functions with this in
# their names. endless-pocl: the calls with tensors.
ENDLESS  = $(if $(FULL),1 30 1 1,0.02 26 2 5)
endless: $(BUILD)/tests/endless/endless
	@OCL_ICD_VENDORS=/dev/null/none $< cpu $(ENDLESS) '$(NAMES)'
endless-pocl: $(BUILD)/tests/endless/endless
	@POCL_MAX_PTHREAD_COUNT=1 sh tests/endless/pocl.sh $(BUILD) $(ENDLESS) '$(NAMES)'
digest: all instruction_sets
	@$(BUILD)/strew tests/digest.lua 600 3 1 2 3 7
instruction_sets: all
	@sh tests/isas.sh $(BUILD) plain $(ISAS)
# make same OLD=... EXCEPT=...: calls that another build computes to other bits, or refuses with other messages: see same.sh.
OLD      = HEAD
EXCEPT   =
same: all
	@CC='$(CC)' MAKE='$(MAKE)' sh tests/same.sh $(BUILD) '$(OLD)' '$(EXCEPT)' plain $(ISAS)
# On each installed OpenCL implementation; compiled kernels are cached in the build folder.
devices: $(addprefix devices-,$(if $(filter-out 0,$(OPENCL)),pocl rusticl oclgrind intel others))
devices-%: all $(patsubst %,$(BUILD)/tests/check_%,$(DEVICE_CHECKS))
	@CHECKS='$(DEVICE_CHECKS)' SPECS='$(DEVICE_SPECS)' DEMOS='$(DEMOS)' sh tests/devices.sh $(BUILD) $*
circles: all
	@CC='$(CC)' sh tests/circles_test.sh $(BUILD)
rules:
	@sh tests/include_rules.sh && sh tests/words_test.sh && sh tests/setup_test.sh && \
	luacheck -q scripts tests $(filter-out lua_bindings/strew.lua,$(TEXTS) $(PROMPT)) $(wildcard lua_bindings/mpi/*.lua) && \
	if command -v shellcheck >/dev/null; then shellcheck scripts/*.sh scripts/packaging/*.sh tests/*.sh tests/*/*.sh .ci/run; fi
# The longest come first, so that no processor idles at the end.
TESTS    = sanitized checks exports installed specs program terminal limits endless driver faults-few mpi reference readme digest rules circles threads
test: all devices $(TESTS)
	@echo 'all tests passed; next: $(BUILD)/strew, a prompt'
ifeq ($(SANITIZE),) # each prints its time (their recipes must not use $(shell): it would, too)
$(TESTS) devices-%: private .SHELLFLAGS = tests/timed.sh $@
endif
# After an edit, in under a minute: sweeps run a sample of their cases, as on devices.
check: export STREW_TEST_FEW = 1
check: all specs rules circles $(patsubst %,run-check_%,plan $(filter-out interrupt opencl,$(DEVICE_CHECKS)))
sanitized: | $(if $(filter test,$(MAKECMDGOALS)),$(if $(filter-out 0,$(OPENCL)),devices-rusticl))

# Fault injection: the Lua suite and the demonstrations, with everything that can fail failing in turn, of each place in
# a body the first EACH events; and once more under ASan and UBSan. faults-few: a few bodies, a call of each name of the
# family among them; part of make test.
EACH     = 1
faults: all $(BUILD)/tests/faults/faults
	@SPECS='$(DEVICE_SPECS)' DEMOS='$(DEMOS)' PYTHON='$(PYTHON)' sh tests/faults/run.sh $(BUILD) $(BUILD) $(EACH)
faults-sanitized: all
	@$(MAKE) BUILD=build/faults SANITIZE=address,undefined $(patsubst %,build/faults/%,strew tests/faults/faults tests/fake/libOpenCL.so.1)
	@SPECS='$(DEVICE_SPECS)' DEMOS='$(DEMOS)' PYTHON='$(PYTHON)' $(FIXED) sh tests/faults/run.sh build/faults $(BUILD) $(EACH)
	@$(FIXED) sh tests/driver_test.sh build/faults
faults-few: $(BUILD)/tests/faults/faults
	@STREW_TEST_FEW=1 OCL_ICD_VENDORS=/dev/null/none LUA_CPATH='$(BUILD)/?.so' $< \
	  $(patsubst %,tests/spec/%_spec.lua,call error index samples view)

# Fuzzing with clang's libFuzzer, under ASan and UBSan: for SECONDS each, or RUNS inputs. TARGETS: only these.
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

# Check programs, specs and a few calls of each family under Valgrind, ThreadSanitizer or Oclgrind; slow. NAMES: only
# these, see the script.
NAMES    =
WATCHED  = sh tests/watched.sh
valgrind:
	@$(MAKE) BUILD=build/valgrind DEBUG=1 OPENCL=0 all $(patsubst tests/%.c,build/valgrind/tests/%,$(CHECKS))
	@$(WATCHED) valgrind build/valgrind $(NAMES)
tsan: all
	@$(MAKE) BUILD=build/tsan SANITIZE=thread OPENCL=0 all $(patsubst tests/%.c,build/tsan/tests/%,$(CHECKS))
	@$(FIXED) $(WATCHED) thread build/tsan $(NAMES)
oclgrind: all $(patsubst %,$(BUILD)/tests/check_%,$(DEVICE_CHECKS))
	@SPECS='$(DEVICE_SPECS)' $(WATCHED) oclgrind $(BUILD) $(NAMES)

# Static analysis by gcc: use after free, uninitialised values, null pointers, leaks. And by clang-tidy with clang's
# analyser: see .clang-tidy. (A process for each file: with several, it reports va_list as uninitialised in all but the
# first.)
analyze: tidy
	@CFLAGS=-fanalyzer $(MAKE) ANALYZE=1 BUILD=build/analyze CC='$(if $(findstring gcc,$(CC)),$(CC),gcc)' build/analyze/obj/libstrew.a build/analyze/strew

ifdef ANALYZE # false positives: two loops of equal length, and elements at an unknown index
$(BUILD)/obj/runtime/cpu/loops/row_loops.%: CFLAGS += -Wno-analyzer-use-of-uninitialized-value
$(BUILD)/obj/lua_bindings/program/history.%: CFLAGS += -Wno-analyzer-malloc-leak
endif

# Branch coverage of runtime/ and lua_bindings/ by clang and LLVM. (Not optimised: clang 14 at -O1 miscompiles code with
# branch counters. Each program has the path of its profile built in: tests change the environment and the folder.)
PROFILES = $(CURDIR)/build/coverage/profiles
coverage:
	@rm -rf $(PROFILES)
	@CFLAGS='-fprofile-instr-generate=$(PROFILES)/%4m -fcoverage-mapping' LDFLAGS='-fprofile-instr-generate=$(PROFILES)/%4m' CK_TIMEOUT_MULTIPLIER=20 \
	  $(MAKE) BUILD=build/coverage CC='$(CLANG)' OPTIMISE=-O0 OPENCL=0 all checks specs program limits terminal reference instruction_sets
	@sh tests/coverage.sh build/coverage

TIDIED   = $(filter-out $(BUILD)/%,$(CORE) $(PROGRAM) $(BINDINGS) $(if $(MPICC),$(RANKS)))
tidy:
	@command -v clang-tidy >/dev/null || { echo "tidy: clang-tidy is absent (Debian: clang-tidy)"; exit 1; }
	@mkdir -p $(BUILD)
	@printf '%s\n' $(TIDIED) | xargs -P $(shell nproc) -I FILE \
	  clang-tidy -quiet FILE -- -std=c11 -pthread -DSTREW_OPENCL=$(OPENCL) -I. -Iruntime -Ilua_bindings \
	  $(LUA_CFLAGS) -I/usr/include/$(shell $(CC) -print-multiarch)/mpi 2>$(BUILD)/tidy.log
	@echo "clang-tidy: $(words $(TIDIED)) files, nothing found"

lint: rules tidy
	clang-format --dry-run -Werror $$(find runtime opencl lua_bindings tests -name '*.[ch]')

.PHONY: checks hosts installed exports limits endless endless-pocl driver mpi faults faults-few faults-sanitized replay fuzz coverage sanitized threads specs program terminal reference readme digest instruction_sets same devices rules test check lint tidy analyze valgrind tsan oclgrind
-include $(patsubst %.o,%.d,$(call objects,$(CHECKS) $(HOSTS) $(SHARED) $(wildcard tests/*opencl*.c tests/system_*.c tests/endless/*.c tests/fuzz/*.c tests/faults/*.c)))
