# tests.mk: the tests and the static analysis, included by the Makefile. tests/README.md describes the kinds of tests.

# With PARTS: those that need the core alone.
CHECKS   = $(if $(PARTS),$(patsubst %,tests/check_%.c,guess overlap plan scalar scatter softfloat view),$(filter-out tests/check_opencl.c,$(wildcard tests/check_*.c)))
CHECKED  = $(if $(PARTS),$(CHECKS))
HOSTS    = $(wildcard tests/host/*.c)
FUZZ     = $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
SHARED   = $(filter-out $(wildcard tests/check_*.c tests/*opencl*.c tests/system_*.c),$(wildcard tests/*.c))

# ------------------------------------------------------------------------------------------------------------- building

$(BUILD)/tests/fake/libOpenCL.so.1: $(BUILD)/obj/tests/fake_opencl.o
$(BUILD)/tests/terminal/late_read.so: $(BUILD)/obj/tests/terminal/late_read.o
$(patsubst %,$(BUILD)/%,tests/fake/libOpenCL.so.1 tests/terminal/late_read.so):
	$(call say,LD) $(CC) -shared $(ALL_LDFLAGS) -o $@ $<
$(BUILD)/tests/shared.a: $(call objects,$(SHARED))
	$(call say,AR) rm -f $@ && ar rcs $@ $^
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(BUILD)/tests/shared.a $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(shell pkg-config --libs check) $(LIBS)
# These programs replace the operating system's functions for files.
# (With 32 bits, those for large files have other names there.)
REPLACED = $(foreach name,open poll read recv preadv2 pread pwrite close fstat lstat fsync fchmod rename mmap dlopen,-Wl$(comma)--wrap=$(call linked,$(name)))
LARGE    = $(if $(findstring __SIZEOF_POINTER__ 4,$(MACROS)),open preadv2 pread pwrite fstat lstat mmap)
linked   = $(if $(filter $(1),$(LARGE)),$(if $(filter preadv2,$(1)),preadv64v2,$(1)64),$(1))
$(BUILD)/obj/tests/system_faults.o: CPPFLAGS += $(foreach name,$(LARGE),$(foreach side,__real_ __wrap_,-D$(side)$(name)=$(side)$(call linked,$(name))))
$(patsubst %,$(BUILD)/tests/check_%,file chunks opencl): ALL_LDFLAGS += $(REPLACED)
$(patsubst %,$(BUILD)/tests/check_%,file chunks opencl): $(BUILD)/obj/tests/system_faults.o
# This one replaces OpenCL's functions, too, and exports them for that.
$(BUILD)/tests/check_opencl: ALL_LDFLAGS += -Wl,-E
$(BUILD)/tests/check_opencl: $(BUILD)/obj/tests/opencl_faults.o
$(BUILD)/tests/check_memory: ALL_LDFLAGS += -Wl,--wrap=mremap
$(BUILD)/tests/terminal/driver: $(BUILD)/obj/tests/terminal/driver.o
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^
$(BUILD)/tests/host/%: $(BUILD)/obj/tests/host/%.o $(call objects,$(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(LUA_LIBS) $(ZLIB) $(LIBS)
$(BUILD)/tests/endless/endless: $(BUILD)/obj/tests/endless/endless.o $(call objects,$(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(LUA_LIBS) $(ZLIB) $(LIBS)
# So does this one.
$(BUILD)/tests/faults/faults: ALL_LDFLAGS += -Wl,-E $(REPLACED)
$(BUILD)/tests/faults/faults: $(call objects,$(wildcard tests/faults/*.c) tests/system_faults.c $(if $(filter-out 0,$(OPENCL)),tests/opencl_faults.c) $(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(LUA_LIBS) $(ZLIB) $(LIBS)
# And this one, which counts their calls.
$(BUILD)/tests/counts/counts: ALL_LDFLAGS += -Wl,-E
$(BUILD)/tests/counts/counts: $(call objects,tests/counts/counts.c tests/opencl_faults.c $(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(LUA_LIBS) $(ZLIB) $(LIBS)
# This one makes reads short.
$(BUILD)/tests/fuzz/fuzz_chunks: ALL_LDFLAGS += -Wl,--wrap=read
# With libFuzzer in its own build (make fuzz), else with a driver that replays files.
$(BUILD)/tests/fuzz/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(call objects,tests/fuzz/fuzz.c tests/fuzz/script.c $(if $(FUZZER),,tests/fuzz/replay.c) $(BINDINGS)) $(BUILD)/obj/libstrew.a
	$(call say,LD) $(CC) $(ALL_LDFLAGS) $(if $(FUZZER),-fsanitize=fuzzer) -o $@ $^ $(LUA_LIBS) $(ZLIB) $(LIBS)
# -------------------------------------------------------------------------------------------------------------- running

# run.sh knows the command of each test, by its name; here is what each needs.
MODULES := $(shell pkg-config --variable=INSTALL_CMOD lua5.4)
LINTED   = $(filter-out lua_bindings/strew.lua,$(TEXTS) $(PROMPT)) $(wildcard lua_bindings/mpi/*.lua)
ENVIRONMENT = RUNNERS CHECKED CC MAKE PYTHON FIXED SANITIZE OPENCL DEMOS ISAS MODULES LINTED ENDLESS NAMES INPUTS SEED
RUN      = exec env BUILD='$(BUILD)' $(foreach name,$(ENVIRONMENT),$(name)='$($(name))') $(1) sh tests/run.sh
program  = $(patsubst tests/%.c,$(BUILD)/tests/%,$(1))
# Random inputs of replays: their count and seed.
INPUTS   = 2000,1
# Calls that would never end, a fifth of them, each with a deadline of a fiftieth of a second, and strings of 64 MiB.
# FULL=1: all, a deadline of a second, and strings of 1 GiB (an hour, 10 GiB of memory). NAMES: functions with this in
# their names. endless-pocl: the calls with tensors.
ENDLESS  = $(if $(FULL),1 30 1 1,0.02 26 2 5)
NAMES    =
SEED    ?=

# What the tests of a build are made of: the Lua module, and the programs.
TESTED   = $(BUILD)/strew.so $(call program,$(CHECKS) $(HOSTS) $(wildcard tests/fuzz/fuzz_*.c))
WHOLE    = all doc $(TESTED) $(BUILD)/plain_loop.so $(patsubst %,$(BUILD)/tests/%,endless/endless faults/faults terminal/driver terminal/late_read.so) \
           $(if $(filter-out 0,$(OPENCL)),$(patsubst %,$(BUILD)/tests/%,check_opencl counts/counts fake/libOpenCL.so.1))
whole: $(WHOLE)
	@:

# Sanitized builds have no loops for other instruction sets, which sanitizers do not tell apart, and no OpenCL, because
# LeakSanitizer reports its loader and drivers. Their compilation takes as long as a third of make test: make nightly
# runs them.
ASAN     = OPENCL=0 SANITIZE=address,undefined ISAS=
TSAN     = SANITIZE=thread all $(patsubst %,build/thread/tests/check_%,pool claim)
# Builds with all processors, with or without -j, after other goals. Under -k the tests that could be built run.
ifneq ($(filter test nightly sanitized threads,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
AT_ONCE  = +@$(MAKE) --output-sync=target $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
OR_LATER = $(if $(findstring k,$(firstword -$(MAKEFLAGS))),|| touch $(BUILD)/unbuilt)
test: ENDLESS = 0.02 26 2 160
test nightly:
	@mkdir -p $(BUILD) && rm -f $(BUILD)/unbuilt && date +%s >$(BUILD)/started
	$(AT_ONCE) whole $(OR_LATER)
	$(if $(filter nightly,$@),$(AT_ONCE) $(ASAN) whole $(OR_LATER))
	$(if $(filter nightly,$@),$(AT_ONCE) $(TSAN) $(OR_LATER))
	$(if $(filter nightly,$@),+@$(call CROSS,arm64) $(OR_LATER))
	$(if $(filter nightly,$@),$(if $(WEB_IS_THERE),$(AT_ONCE) web $(OR_LATER)))
	@$(call RUN,STARTED="$$(cat $(BUILD)/started)" USUALLY='$(if $(filter test,$@),8 to 13,45)') run $@
sanitized threads:
	$(AT_ONCE) $(if $(filter sanitized,$@),$(ASAN) whole,$(TSAN))
	@$(RUN) run $@
# For another processor, under QEMU's emulation of it: arm64, armhf, riscv64 or s390x. Builds with what setup.sh ARCH
# fetched, if all is there; see cross.sh.
ARCH     = arm64
triple   = $(or $(if $(filter arm64,$(1)),aarch64-linux-gnu),$(if $(filter armhf,$(1)),arm-linux-gnueabihf),$(1)-linux-gnu)
CROSS    = ! sh tests/cross.sh $(BUILD) $(1) is_there || PKG_CONFIG_SYSROOT_DIR='$(CURDIR)/build/$(1)/root' \
           PKG_CONFIG_LIBDIR='$(CURDIR)/build/$(1)/root/usr/lib/$(call triple,$(1))/pkgconfig' $(patsubst +@%,%,$(AT_ONCE)) MPICC= \
           CC='$(filter ccache,$(CC)) $(call triple,$(1))-gcc --sysroot=$(CURDIR)/build/$(1)/root' BUILD=build/$(1)/strew \
           $(patsubst %,build/$(1)/strew/%,strew strew.so $(patsubst %.c,%,$(CHECKS) $(HOSTS)))
cross: all
	+@$(call CROSS,$(ARCH))
	@$(RUN) run cross-$(ARCH)
run-arm64-% run-armhf-% run-riscv64-% run-s390x-%: all
	+@$(call CROSS,$(word 2,$(subst -, ,$@)))
	@$(RUN) one $(patsubst run-%,%,$@)

# After an edit, in a minute or two: sweeps run a sample of their cases, as on devices.
check: all $(call program,$(CHECKS))
	@$(call RUN,STREW_TEST_FEW=1) run check
checks: $(call program,$(CHECKS))
specs: $(BUILD)/strew.so
hosts: $(call program,$(HOSTS))
replay: $(call program,$(wildcard tests/fuzz/fuzz_*.c))
devices: whole
checks specs hosts replay devices:
	@$(RUN) run $@
devices-%: whole
	@$(RUN) run $@
# Writes tests/drivers.md: see drivers.sh. RUNNERS: only these.
RUNNERS  =
drivers: whole
	@$(patsubst %/run.sh,%/drivers.sh,$(RUN)) '$(BUILD)'

# A single one by its name, with all its output: make run-check_sort, run-view_spec, run-sanitized-check_file, run-pocl-few.
run-%: whole
	@$(RUN) one $*
run-check_%: $(BUILD)/tests/check_%
	@$(RUN) one check_$*
run-%_spec: $(BUILD)/strew.so
	@$(RUN) one $*_spec
run-sanitized-%:
	$(AT_ONCE) $(ASAN) whole
	@$(RUN) one sanitized-$*
ALONE    = lua5.5 core installed releasing exports limits program terminal reference readme mpi driver endless endless-pocl digest instruction_sets circles peers notebook suites onnx array_api faults-few rules
lua5.5 installed releasing exports limits program terminal reference readme mpi driver digest instruction_sets circles peers notebook suites onnx array_api: all
program: $(BUILD)/plain_loop.so
terminal: $(patsubst %,$(BUILD)/tests/terminal/%,driver late_read.so)
reference: doc
driver: $(if $(filter-out 0,$(OPENCL)),$(BUILD)/tests/fake/libOpenCL.so.1)
digest: instruction_sets
endless endless-pocl: $(BUILD)/tests/endless/endless
faults-few: $(BUILD)/tests/faults/faults
$(ALONE):
	@$(RUN) one $@
# make same OLD=... EXCEPT=...: calls that another build computes to other bits, or refuses with other messages: see same.sh.
OLD      = HEAD
EXCEPT   =
same: all
	@CC='$(CC)' MAKE='$(MAKE)' sh tests/same.sh $(BUILD) '$(OLD)' '$(EXCEPT)' plain $(ISAS)

# Fault injection: the Lua suite and the demonstrations, with everything that can fail failing in turn, of each place in
# a body the first EACH events; and once more under ASan and UBSan. (Part of make test: faults-few, a few bodies, a call
# of each name of the family among them.)
EACH     = 1
faults: all $(BUILD)/tests/faults/faults
	@DEMOS='$(DEMOS)' PYTHON='$(PYTHON)' sh tests/faults/run.sh $(BUILD) $(BUILD) $(EACH)
faults-sanitized: all
	@$(MAKE) BUILD=build/faults SANITIZE=address,undefined $(patsubst %,build/faults/%,strew tests/faults/faults tests/fake/libOpenCL.so.1)
	@DEMOS='$(DEMOS)' PYTHON='$(PYTHON)' $(FIXED) sh tests/faults/run.sh build/faults $(BUILD) $(EACH)
	@$(FIXED) sh tests/driver_test.sh build/faults

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
	@sh tests/fuzz/run.sh $(BUILD) $* '$(if $(RUNS),-runs=$(RUNS),-max_total_time=$(SECONDS))'

# Check programs, specs and a few calls of each family under Valgrind, ThreadSanitizer or Oclgrind; slow. NAMES: only
# these, see the script.
WATCHED  = sh tests/watched.sh
valgrind:
	@$(MAKE) BUILD=build/valgrind DEBUG=1 OPENCL=0 all $(patsubst tests/%.c,build/valgrind/tests/%,$(CHECKS))
	@$(WATCHED) valgrind build/valgrind $(NAMES)
tsan: all
	@$(MAKE) BUILD=build/tsan SANITIZE=thread OPENCL=0 all $(patsubst tests/%.c,build/tsan/tests/%,$(CHECKS))
	@$(FIXED) $(WATCHED) thread build/tsan $(NAMES)
oclgrind: all $(call program,$(CHECKS)) $(BUILD)/tests/check_opencl
	@$(WATCHED) oclgrind $(BUILD) $(NAMES)

# Static analysis by gcc: use after free, uninitialised values, null pointers, leaks. And by clang-tidy with clang's
# analyser: see .clang-tidy. (A process for each file: with several, it reports va_list as uninitialised in all but the
# first.)
analyze: tidy
	@CFLAGS=-fanalyzer $(MAKE) ANALYZE=1 BUILD=build/analyze CC='$(if $(findstring gcc,$(CC)),$(CC),gcc)' build/analyze/obj/libstrew.a build/analyze/strew

ifdef ANALYZE # false positives: two loops of equal length, and elements at an unknown index
$(BUILD)/obj/runtime/core/cpu/row_loops.%: CFLAGS += -Wno-analyzer-use-of-uninitialized-value
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
	  clang-tidy -quiet FILE -- -std=c11 -pthread -DSTREW_OPENCL=$(OPENCL) $(if $(ISAS),-DX86_LOOPS) -I. -Iruntime -Ilua_bindings \
	  $(LUA_CFLAGS) -I/usr/include/$(shell $(CC) -print-multiarch)/mpi 2>$(BUILD)/tidy.log
	@echo "clang-tidy: $(words $(TIDIED)) files, nothing found"

lint: rules tidy
	clang-format --dry-run -Werror $$(find runtime opencl lua_bindings tests -name '*.[ch]')
	@! grep -v '^$(hash)' tests/words.txt | grep -rInwiF -f - --exclude=words.txt --exclude='packages.*' --exclude-dir=seeds \
	  --exclude-dir=found runtime opencl lua_bindings scripts tests Makefile README.md .github || echo 'advice: tests/words.txt has plainer words'

.PHONY: test nightly check checks specs hosts replay sanitized threads cross devices drivers whole $(ALONE) same faults faults-sanitized fuzz coverage lint tidy analyze valgrind tsan oclgrind
-include $(patsubst %.o,%.d,$(call objects,$(CHECKS) $(HOSTS) $(SHARED) $(wildcard tests/*opencl*.c tests/system_*.c tests/endless/*.c tests/fuzz/*.c tests/faults/*.c tests/counts/*.c)))
