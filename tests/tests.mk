# tests.mk: the tests, and what else watches the code. Included by the Makefile. README and tests/README.md say which
# test is for what.

CHECKS   = $(filter-out tests/check_opencl.c,$(wildcard tests/check_*.c))
DEVICE_CHECKS = $(patsubst %,tests/check_%.c,scatter group elementwise elementwise_rules reduce sort random matmul view copy \
                  scalar overlap misuse interrupt file opencl)
DEVICE_SPECS = cases error hint print view file text show
HOSTS    = $(wildcard tests/host/*.c)
FUZZ     = $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
SHARED   = $(filter-out $(wildcard tests/check_*.c tests/*opencl*.c tests/system_*.c),$(wildcard tests/*.c))
programs = $(patsubst tests/%.c,$(BUILD)/tests/%,$(1))
seeds    = $(addsuffix /$(1),tests/fuzz/seeds tests/fuzz/found) $(addprefix tests/data/,$(patsubst np%,numpy,$(filter np% png,$(1))))

# ------------------------------------------------------------------------------------------------ how they are built

$(BUILD)/tests/fake/libOpenCL.so.1: $(BUILD)/obj/tests/fake_opencl.o
$(BUILD)/tests/terminal/late_read.so: $(BUILD)/obj/tests/terminal/late_read.o
$(patsubst %,$(BUILD)/%,tests/fake/libOpenCL.so.1 tests/terminal/late_read.so):
	$(call say,LD) $(CC) -shared $(ALL_LDFLAGS) -o $@ $<
$(BUILD)/tests/shared.a: $(call objects,$(SHARED))
	$(call say,AR) rm -f $@ && ar rcs $@ $^
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(BUILD)/tests/shared.a $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(shell pkg-config --libs check) $(LIBS)
# The program plays OpenCL's functions for the library, and has to be seen doing so.
$(BUILD)/tests/check_opencl: ALL_LDFLAGS += -Wl,-E
$(BUILD)/tests/check_opencl: $(BUILD)/obj/tests/opencl_faults.o
# The program plays the operating system's functions for files.
PLAYED   = $(patsubst %,-Wl$(comma)--wrap=%,open pread pwrite close fstat lstat fsync fchmod rename mmap dlopen)
$(BUILD)/tests/check_file: ALL_LDFLAGS += $(PLAYED)
$(BUILD)/tests/check_file: $(BUILD)/obj/tests/system_faults.o
$(BUILD)/tests/terminal/driver: $(BUILD)/obj/tests/terminal/driver.o
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^
$(BUILD)/tests/host/%: $(BUILD)/obj/tests/host/%.o $(call objects,$(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(LUA_LIBS) $(LIBS)
$(BUILD)/tests/endless/endless: $(BUILD)/obj/tests/endless/endless.o $(call objects,$(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(LUA_LIBS) $(LIBS)
# Here it plays all of them.
$(BUILD)/tests/faults/faults: ALL_LDFLAGS += -Wl,-E $(PLAYED)
$(BUILD)/tests/faults/faults: $(call objects,$(wildcard tests/faults/*.c) tests/system_faults.c $(if $(filter-out 0,$(OPENCL)),tests/opencl_faults.c) $(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(LUA_LIBS) $(LIBS)
# With libFuzzer, where the build is one for it (make fuzz), or with a driver that replays files.
$(BUILD)/tests/fuzz/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(call objects,tests/fuzz/fuzz.c tests/fuzz/script.c $(if $(FUZZER),,tests/fuzz/replay.c) $(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) $(if $(FUZZER),-fsanitize=fuzzer) -o $@ $^ $(LUA_LIBS) $(LIBS)
# ------------------------------------------------------------------------------------------------------- what is run

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
	@$(MAKE) SANITIZE=thread run-check_pool && \
	CC='$(CC)' MAKE='$(MAKE)' $(FIXED) sh tests/hosts_test.sh build/thread thread

# Installed, and used by programs of others; what the libraries show of themselves.
installed: all
	@CC='$(CC)' MAKE='$(MAKE)' sh tests/hosts_test.sh $(BUILD)
exports: all
	@CC='$(CC)' sh tests/exports_test.sh $(BUILD)

# The Lua module in the stock interpreter; under a sanitizer its runtime has to come first.
sanitizer = $(if $(SANITIZE),LD_PRELOAD=$(shell $(CC) -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1)
MODULES := /usr/lib/$(shell $(CC) -print-multiarch)/lua/5.4/?.so
specs: $(BUILD)/strew.so
	@$(sanitizer) PYTHON='$(PYTHON)' LUA_CPATH='$(BUILD)/?.so;$(MODULES)' \
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
# Calls that would run for ever, each with a limit of a twentieth of a second, and strings of 64 MiB. FULL=1: a second, and
# strings of 1 GiB (an hour, 10 GiB of memory). NAMES: functions with this in their names. endless-pocl: with its tensors.
ENDLESS  = $(if $(FULL),1 30 1,0.05 26 2)
endless: $(BUILD)/tests/endless/endless
	@OCL_ICD_VENDORS=/dev/null/none $< cpu $(ENDLESS) '$(NAMES)'
endless-pocl: $(BUILD)/tests/endless/endless
	@POCL_MAX_PTHREAD_COUNT=1 sh tests/endless/pocl.sh $(BUILD) $(ENDLESS) '$(NAMES)'
digest: all instruction_sets
	@$(BUILD)/strew tests/digest.lua 600 1 2 3 7 16
instruction_sets: all
	@sh tests/isas.sh $(BUILD) plain $(ISAS)
# On each OpenCL implementation that is there; kernels compiled by earlier runs are kept in the build folder.
devices: $(addprefix devices-,$(if $(filter-out 0,$(OPENCL)),pocl rusticl oclgrind intel others))
devices-%: all $(call programs,$(DEVICE_CHECKS))
	@SPECS='$(DEVICE_SPECS)' sh tests/devices.sh $(BUILD) $*
circles: all
	@CC='$(CC)' sh tests/circles_test.sh $(BUILD)
rules:
	@sh tests/include_rules.sh && sh tests/setup_test.sh && \
	luacheck -q scripts tests $(filter-out lua_bindings/strew.lua,$(TEXTS) $(PROMPT)) && \
	if command -v shellcheck >/dev/null; then shellcheck scripts/*.sh scripts/packaging/*.sh tests/*.sh tests/*/*.sh .ci/run; fi
# The longest come first, so that no processor is idle at the end.
TESTS    = sanitized checks exports installed specs program terminal limits endless driver faults-few reference readme digest rules circles threads
test: all devices $(TESTS)
ifeq ($(SANITIZE),) # each prints how long it took (no $(shell) in these: it would, too)
$(TESTS) devices-%: private .SHELLFLAGS = tests/timed.sh $@
endif
# What an edit needs, in under a minute.
check: all specs rules circles $(patsubst %,run-check_%,scatter group reduce elementwise sort file misuse)
sanitized: | $(if $(filter test,$(MAKECMDGOALS)),$(if $(filter-out 0,$(OPENCL)),devices-rusticl))

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
$(BUILD)/obj/runtime/cpu/loops/row_loops.%: CFLAGS += -Wno-analyzer-use-of-uninitialized-value
$(BUILD)/obj/lua_bindings/program/history.%: CFLAGS += -Wno-analyzer-malloc-leak
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
	  clang-tidy -quiet FILE -- -std=c11 -pthread -DSTREW_OPENCL=$(OPENCL) -I. -Iruntime -Ilua_bindings $(LUA_CFLAGS) 2>$(BUILD)/tidy.log
	@echo "clang-tidy: $(words $(filter-out $(BUILD)/%,$(CORE) $(PROGRAM) $(BINDINGS))) files, nothing found"

lint: rules tidy
	clang-format --dry-run -Werror $$(find runtime opencl lua_bindings tests -name '*.[ch]')

.PHONY: checks hosts installed exports limits endless endless-pocl driver faults faults-few faults-sanitized replay fuzz coverage sanitized threads specs program terminal reference readme digest instruction_sets devices rules test check lint tidy analyze valgrind tsan oclgrind
-include $(patsubst %.o,%.d,$(call objects,$(CHECKS) $(HOSTS) $(SHARED) $(wildcard tests/*opencl*.c tests/system_*.c tests/endless/*.c tests/fuzz/*.c tests/faults/*.c)))
