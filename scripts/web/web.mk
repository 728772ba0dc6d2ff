# web.mk: strew in a browser, included by the Makefile.
#   make web      builds the page with emscripten: build/web, static files. sh scripts/setup.sh web installs what it needs
# The objects are in a folder of their own. One thread, no OpenCL, zlib, libzip or libpng; the loops have SIMD128.

WEB      = $(BUILD)/web
WASM     = $(BUILD)/wasm
EMCC     = emcc
WEB_LUA  = build/lua5.4
# As everywhere, flags that results depend on come last. (Errors of Lua are exceptions of WebAssembly.)
WEB_FLAGS = -std=c11 -w -sSUPPORT_LONGJMP=wasm -DSTREW_OPENCL=0 $(INCLUDE) $(EXACT)
WEB_LINK = -O2 -sSUPPORT_LONGJMP=wasm -sMODULARIZE -sEXPORT_NAME=createStrew -sENVIRONMENT=web,worker,node -sINVOKE_RUN=0 \
           -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB -sTOTAL_STACK=4MB -sEXIT_RUNTIME=0 -lnodefs.js \
           -sEXPORTED_FUNCTIONS=_main,_free,_prompt_complete -sEXPORTED_RUNTIME_METHODS=ENV,FS,TTY,NODEFS,UTF8ToString,callMain,ccall
web_objects = $(patsubst %.c,$(WASM)/obj/%.o,$(patsubst $(WASM)/%,%,$(1)))
WEB_OWN  = $(WASM)/texts.c $(WASM)/prompts.c $(WASM)/digests.c
# The page stands for the terminal.
WEB_SOURCES = $(filter-out opencl/% $(BUILD)/% %/terminal.c %/line.c %/history.c,$(CORE) $(BINDINGS) $(PROGRAM)) scripts/web/web.c $(WEB_OWN)
WEB_LUA_SOURCES = $(filter-out %/lua.c %/luac.c %/onelua.c %/ltests.c,$(wildcard $(WEB_LUA)/*.c))
WEB_FILES = $(patsubst %,$(WEB)/%,strew.js index.html page.css print.js page.js worker.js run.js data.json manual.html c.html)
# What it is made with; else empty.
WEB_IS_THERE = $(and $(shell command -v $(EMCC)),$(wildcard $(WEB_LUA)/lua.h))

web:
ifeq ($(shell command -v $(EMCC)),)
	@echo 'web: $(EMCC) is missing: sh scripts/setup.sh web installs emscripten' && exit 1
else ifeq ($(wildcard $(WEB_LUA)/lua.h),)
	@echo 'web: the source of Lua 5.4 is missing: sh scripts/setup.sh web fetches it' && exit 1
else
web: $(WEB_FILES)
	@:
endif

# (Debian's emscripten looks for node's modules where Debian's node does, which another node does not.)
$(WASM)/% $(WEB)/%: export NODE_PATH ?= /usr/share/nodejs
$(WASM)/%: private LUA_CFLAGS = -I$(WEB_LUA)
$(WASM)/%: private ZLIB =
$(WASM)/%: private EXCESS =
$(WASM)/%: private VECTORS = -O3 -msimd128
$(WASM)/texts.c: $(TEXTS)
$(WASM)/prompts.c: $(PROMPT) scripts/web/pictures.lua
$(WASM)/digests.c: $(DIGEST)
$(WEB_OWN): export PACKED = 0
$(WEB_OWN): scripts/embed.sh
	$(call say,EMBED) sh $< $(patsubst %s,%,$(basename $(@F))) $(filter-out $<,$^) >$@.new && mv $@.new $@
$(WASM)/obj/$(WEB_LUA)/%.o: $(WEB_LUA)/%.c
	$(call say,EMCC) $(EMCC) -O2 -sSUPPORT_LONGJMP=wasm -c -o $@ $<
$(WASM)/obj/%.o: $(WASM)/%.c scripts/web/web.mk
	$(call say,EMCC) $(EMCC) $(OPTIMISE) -MMD -MP $(WEB_FLAGS) -c -o $@ $<
$(WASM)/obj/%.o: %.c scripts/web/web.mk
	$(call say,EMCC) $(EMCC) $(OPTIMISE) -MMD -MP -Iscripts/web $(WEB_FLAGS) -c -o $@ $<
$(WEB)/strew.js: $(call web_objects,$(WEB_SOURCES) $(WEB_LUA_SOURCES))
	$(call say,EMCC) $(EMCC) $(WEB_LINK) -o $@ $^
$(WEB)/%: scripts/web/%
	@mkdir -p $(@D) && cp $< $@
# The colours are the manual's; its page is a copy, whose examples run.
$(WEB)/page.css: scripts/reference/page.css scripts/web/own.css
	@mkdir -p $(@D) && { sed 1q $< && cat scripts/web/own.css; } >$@
$(WEB)/run.js: scripts/reference/run.js
	@mkdir -p $(@D) && cp $< $@
$(WEB)/data.json: scripts/reference/web.lua scripts/bench/RESULTS.md $(REFERENCE) $(DIGEST) $(BUILD)/strew
	$(call say,JSON) $(BUILD)/strew -E $< $@
$(WEB)/manual.html: $(BUILD)/doc/index.html
$(WEB)/c.html: $(BUILD)/doc/c.html
$(WEB)/manual.html: private SCRIPTS = <script src="print.js"></script><script src="run.js"></script>
$(WEB)/manual.html $(WEB)/c.html:
	@mkdir -p $(@D) && sed 's|href="index\.html|href="manual.html|g; s|</header>|<a href="index.html" target="_top">Prompt</a></header>|; s|</body>|$(SCRIPTS)</body>|' $< >$@

.PHONY: web
-include $(patsubst %.o,%.d,$(call web_objects,$(WEB_SOURCES)))
