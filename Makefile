# pruned. `make demo` shows it, `make check` proves it; `make help` lists the rest.
FLAVOUR := $(if $(SAN),san-$(subst $(comma),-,$(SAN)),release)$(if $(FAULTS),-faults)
comma   := ,
BUILD   := build/$(FLAVOUR)
VERSION := $(shell cat VERSION)
PREFIX  ?= /usr/local
CC      ?= cc
PKGS    := glib-2.0 gio-2.0 rdkafka libpq libcurl jansson uuid libmicrohttpd

# Only where something is built: a fresh machine has no pkg-config yet.
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS))
PKG_LIBS   = $(shell pkg-config --libs $(PKGS)) -lavro -lpthread -lm
WARN    := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
           -Wno-unused-parameter -Wno-missing-field-initializers
CFLAGS  ?= -O2 -g
ALL_CFLAGS = -std=gnu11 $(CFLAGS) $(WARN) -fno-strict-aliasing -D_GNU_SOURCE \
           -DPRUNED_VERSION='"$(VERSION)"' -DG_LOG_DOMAIN='"pruned"' -Isrc -Iinclude -I$(BUILD) \
           $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -O1) $(if $(FAULTS),-DPRUNED_FAULTS) \
           $(if $(COVERAGE),--coverage)
ALL_LDFLAGS = $(LDFLAGS) $(if $(SAN),-fsanitize=$(SAN)) $(if $(COVERAGE),--coverage)

SOURCES := $(sort $(shell find src -name '*.c'))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
# What is embedded: the jobs' files, the schemas, the web page.
EMBEDDED := $(sort $(shell find src/jobs src/engine src/web src/cli src/pg schemas -type f \( -name '*.sql' -o -name '*.conf' -o -name '*.avsc' -o -name '*.html' \)))
LIB     := $(BUILD)/libpruned.a
UNIT    := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/test_*.c))

all: $(BUILD)/pruned

$(BUILD)/%.o: %.c Makefile VERSION | deps-build
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(PKG_CFLAGS) -MMD -MP -c $< -o $@

# One resource bundle; its index is made from the tree, so that a new file needs no registration.
$(BUILD)/pruned.gresource.xml: $(EMBEDDED) Makefile | deps-build
	@mkdir -p $(@D)
	@{ echo '<gresources><gresource prefix="/pruned">'; \
	   for f in $(EMBEDDED); do echo "<file>$$f</file>"; done; \
	   echo '</gresource></gresources>'; } > $@
$(BUILD)/pruned.gresource.c: $(BUILD)/pruned.gresource.xml $(EMBEDDED)
	glib-compile-resources --generate-source --internal --sourcedir=. --target=$@ $<
$(BUILD)/pruned.gresource.o: $(BUILD)/pruned.gresource.c
	$(CC) $(ALL_CFLAGS) -Wno-missing-prototypes $(PKG_CFLAGS) -c $< -o $@

$(LIB): $(filter-out $(BUILD)/src/main.o,$(OBJECTS))
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/pruned: $(BUILD)/src/main.o $(LIB) $(BUILD)/pruned.gresource.o
	$(CC) $(ALL_LDFLAGS) $(BUILD)/src/main.o $(BUILD)/pruned.gresource.o $(LIB) $(PKG_LIBS) -o $@

$(BUILD)/unit/%: tests/unit/%.c $(LIB) $(BUILD)/pruned.gresource.o
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(PKG_CFLAGS) -MMD -MP $< $(BUILD)/pruned.gresource.o $(LIB) $(ALL_LDFLAGS) $(PKG_LIBS) -o $@

# What the machine is missing is installed once, and said.
deps-build:
	@tests/stack/deps.sh build
deps-test: deps-build
	@tests/stack/deps.sh test

units: $(UNIT)

clean:
	rm -rf build

-include $(OBJECTS:.o=.d) $(UNIT:=.d)
.PHONY: all clean units deps-build deps-test
.DELETE_ON_ERROR:
