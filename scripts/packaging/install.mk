# install.mk: installing and packaging, included by the Makefile.
#   make install [PARTS=core] [PREFIX=/usr/local] [DESTDIR=] [STRIP=]   and make uninstall, with the same settings: see install.sh;
#                          STRIP= keeps the debug symbols
#   make rock LUADIR=...   the Lua module alone: run by strew-dev-1.rockspec; rock-mpi: strew.mpi, strew-mpi-dev-1.rockspec
#   make dist              the committed sources: build/strew-VERSION.tar.gz, its checksum in .tar.gz.sha256, and the
#                          specification of its rock, strew-VERSION-1.rockspec; the same bytes for the same commit. If
#                          zip is installed, the rock of sources, .src.rock, which luarocks install takes
#   make deb               their Debian packages: build/deb/*.deb
#   make release           tags the commit, if nothing differs: see release.sh

PREFIX    = /usr/local
DESTDIR   =
STRIP    := $(shell $(CC) -print-prog-name=strip)
LIBDIR    = $(PREFIX)/lib
LUADIR    = $(PREFIX)/lib/lua/$(or $(shell pkg-config --modversion $(LUA) 2>/dev/null | cut -d. -f1-2),5.4)
PACKAGING = scripts/packaging
settings  = BUILD='$(BUILD)' PARTS='$(PARTS)' HEADERS='$(OWN)' VERSION='$(VERSION)' SOVERSION='$(SOVERSION)' LUA='$(LUA)' ZLIB='$(ZLIB)' STRIP='$(STRIP)' \
            DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' LUADIR='$(LUADIR)'

install: all doc
	@$(settings) sh $(PACKAGING)/install.sh install
uninstall:
	@$(settings) sh $(PACKAGING)/install.sh uninstall
rock: $(BUILD)/strew.so
	@install -D -m 755 $(if $(STRIP),-s --strip-program='$(STRIP)') $< '$(LUADIR)/strew.so'
rock-mpi: $(BUILD)/modules/strew/mpi.so
	@install -D -m 755 $(if $(STRIP),-s --strip-program='$(STRIP)') $< '$(LUADIR)/strew/mpi.so'

dist: $(BUILD)/strew-$(VERSION).tar.gz
.PHONY: $(BUILD)/strew-$(VERSION).tar.gz
$(BUILD)/strew-$(VERSION).tar.gz:
	@mkdir -p $(@D)
	$(call say,DIST) git -c tar.tar.gz.command='gzip -cn' archive --prefix=strew-$(VERSION)/ -o $@ HEAD && \
	  cd $(@D) && sha256sum $(@F) >$(@F).sha256 && tar xzOf $(@F) strew-$(VERSION)/$(PACKAGING)/strew-dev-1.rockspec | \
	  sed '1d; s|"dev-1"|"$(VERSION)-1"|; s|^source = .*|source = {url = "file://strew-$(VERSION).tar.gz", dir = "strew-$(VERSION)"}|' \
	  >strew-$(VERSION)-1.rockspec && { ! command -v zip >/dev/null || \
	  zip -qXj - strew-$(VERSION)-1.rockspec $(@F) >strew-$(VERSION)-1.src.rock; }

# In a folder of its own, with Debian's description beside the sources, where its tools look for it.
deb: dist
	@sh $(PACKAGING)/deb.sh $(BUILD) $(VERSION)
release: all
	@CC='$(CC)' sh $(PACKAGING)/release.sh '$(BUILD)' '$(VERSION)' '$(SOVERSION)' plain $(ISAS)
.PHONY: install uninstall rock rock-mpi dist deb release
