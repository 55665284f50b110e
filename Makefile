# pruned. `make demo` shows it, `make check` proves it; `make help` lists the rest.
comma   := ,
FLAVOUR := $(if $(SAN),san-$(subst $(comma),-,$(SAN)),release)$(if $(FAULTS),-faults)$(if $(UNGUARDED),-unguarded)
BUILD   := build/$(FLAVOUR)
VERSION := $(shell cat VERSION)
PREFIX  ?= /usr/local
SYSCONFDIR ?= /etc
CC      ?= cc
PKGS    := glib-2.0 gio-2.0 rdkafka libpq libcurl jansson uuid libmicrohttpd libsodium

# Only where something is built: a fresh machine has no pkg-config yet.
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS)) -DAVRO_C_VERSION='"$(shell pkg-config --modversion avro-c)"'
PKG_LIBS   = $(shell pkg-config --libs $(PKGS)) -lavro -lpthread -lm
WARN    := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
           -Wno-unused-parameter -Wno-missing-field-initializers
CFLAGS  ?= -O2 -g
ALL_CFLAGS = -std=gnu11 $(CFLAGS) $(WARN) -fno-strict-aliasing -D_GNU_SOURCE \
           -DPRUNED_VERSION='"$(VERSION)"' -DG_LOG_DOMAIN='"pruned"' -Isrc -Iinclude -I$(BUILD) \
           $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -O1) $(if $(FAULTS),$(if $(filter $(BUILD)/%,$@),-DPRUNED_FAULTS)) $(if $(UNGUARDED),-DPRUNED_UNGUARDED) \
           $(if $(COVERAGE),--coverage)
# ThreadSanitizer watches pthreads only; librdkafka uses C11's.
SHIM    := $(if $(SAN),$(BUILD)/tests/stack/c11_threads.o)
ALL_LDFLAGS = $(LDFLAGS) $(if $(SAN),-fsanitize=$(SAN) $(SHIM)) $(if $(COVERAGE),--coverage)

# The fuzz programs decode; they link nothing of the other folders.
SOURCES := $(sort $(shell find $(if $(filter fuzz,$(FLAVOUR)),src/base src/avro src/config src/http src/store,src) -name '*.c'))
# A file without fault points is compiled once for both builds.
PLAIN   := build/$(patsubst %-faults,%,$(FLAVOUR))
FAULTY  := $(if $(FAULTS),$(shell grep -rlE 'FAULT|fault\.h' src --include=*.c),$(SOURCES))
OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(filter $(FAULTY),$(SOURCES))) $(patsubst %.c,$(PLAIN)/%.o,$(filter-out $(FAULTY),$(SOURCES)))
# What is embedded: the jobs' files, the schemas, the page's style and script.
EMBEDDED := $(sort $(shell find src/jobs src/engine src/web src/cli src/pg schemas -type f \( -name '*.sql' -o -name '*.conf' -o -name '*.avsc' -o -name '*.css' -o -name '*.js' -o -name '*.svg' \)))
LIB     := $(BUILD)/libpruned.a
UNIT_SUPPORT := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/unit/support/*.c))
# A unit lies where its source does in src. All are linked once, into one program, which is each of
# them by the name that it is called by, below $(BUILD)/unit.
UNITS   := $(patsubst tests/unit/%.c,%,$(sort $(shell find tests/unit -name 'test_*.c')))
UNIT    := $(UNITS:%=$(BUILD)/unit/%)
symbol   = unit_$(subst /,_,$(subst .,_,$(1)))
# What units may play themselves (tests/unit/support/played.c, catalogue.c).
PLAYED  := $(patsubst %,-Wl$(comma)--wrap=%,$(shell sed -n 's/^\#define PLAYED_[A-Z_]* //p' tests/unit/support/*.h))

all: $(BUILD)/pruned

define COMPILED
$(1)/%.o: %.c Makefile VERSION | deps-build
	@mkdir -p $$(@D)
	@echo "  cc    $$<"
	@$$(CC) $$(ALL_CFLAGS) $$(PKG_CFLAGS) -MMD -MP -c $$< -o $$@
endef
$(foreach build,$(sort $(BUILD) $(PLAIN)),$(eval $(call COMPILED,$(build))))

# One resource bundle; its index is made from the tree, so that a new file needs no registration. It is compared each time: a file that
# was moved is no newer than it.
$(BUILD)/pruned.gresource.xml: FORCE | deps-build
	@mkdir -p $(@D)
	@{ echo '<gresources><gresource prefix="/pruned">'; \
	   for f in $(EMBEDDED); do echo "<file>$$f</file>"; done; \
	   echo '</gresource></gresources>'; } > $@.new
	@cmp -s $@.new $@ || cp $@.new $@
	@rm -f $@.new
FORCE:
$(BUILD)/pruned.gresource.c: $(BUILD)/pruned.gresource.xml $(EMBEDDED)
	@glib-compile-resources --generate-source --internal --sourcedir=. --target=$@ $<
$(BUILD)/pruned.gresource.o: $(BUILD)/pruned.gresource.c
	@$(CC) $(ALL_CFLAGS) -Wno-missing-prototypes $(PKG_CFLAGS) -c $< -o $@

MAIN    := $(filter %/src/main.o,$(OBJECTS))
$(LIB): $(filter-out $(MAIN),$(OBJECTS))
	@rm -f $@
	@ar rcs $@ $^

$(BUILD)/pruned: $(SHIM)
$(BUILD)/pruned: $(MAIN) $(LIB) $(BUILD)/pruned.gresource.o
	@echo "  link  $@"
	@$(CC) $(ALL_LDFLAGS) $(MAIN) $(BUILD)/pruned.gresource.o $(LIB) $(PKG_LIBS) -o $@

UNIT_OBJECTS := $(BUILD)/tests/unit/units.o $(UNIT_SUPPORT) $(UNITS:%=$(BUILD)/tests/unit/%.o)
$(UNIT_OBJECTS): ALL_CFLAGS += -Itests/unit -O0
# Each unit has a main and names of its own.
$(UNITS:%=$(BUILD)/unit/%.o): $(BUILD)/unit/%.o: $(BUILD)/tests/unit/%.o
	@mkdir -p $(@D)
	@objcopy --redefine-sym main=$(call symbol,$*) --keep-global-symbol=$(call symbol,$*) $< $@
$(BUILD)/units.h: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(foreach unit,$(UNITS),'UNIT ("$(unit)", $(call symbol,$(unit)))') >$@.new
	@cmp -s $@.new $@ || cp $@.new $@
	@rm -f $@.new
$(BUILD)/tests/unit/units.o: $(BUILD)/units.h
$(BUILD)/units: $(SHIM) $(BUILD)/tests/unit/units.o $(UNIT_SUPPORT) $(UNITS:%=$(BUILD)/unit/%.o) $(LIB) $(BUILD)/pruned.gresource.o
	@echo "  link  $@"
	@$(CC) $(ALL_LDFLAGS) $(filter-out $(SHIM) $(LIB),$^) $(LIB) $(PLAYED) $(PKG_LIBS) -o $@
$(UNIT): $(BUILD)/units
	@mkdir -p $(@D)
	@ln -sfr $< $@

# What the machine is missing is installed once, and said.
deps-build:
	$(if $(NO_DEPS),,@tests/stack/deps.sh build)
deps-deb:
	@tests/stack/deps.sh deb
# POSTGRES=14 to 18, BROKER=3.9: a server of that version instead of the usual one.
OTHER = $(if $(POSTGRES),pg$(POSTGRES)) $(if $(BROKER),kafka$(BROKER))
$(if $(POSTGRES),$(eval export TEST_POSTGRES_VERSION = $(POSTGRES)))
$(if $(BROKER),$(eval export TEST_KAFKA_VERSION = $(BROKER)))
deps-test: deps-build
	@tests/stack/deps.sh test python kafka pg s3 registry promtool nginx pgbouncer shells browser $(OTHER)
deps-quick: deps-build
	@tests/stack/deps.sh test python kafka pg $(OTHER)
deps-fuzz: deps-build
	@tests/stack/deps.sh test python fuzz

units: $(UNIT)

clean:
	rm -rf build

PYTHON   = $(or $(PRUNED_DEPS),.deps)/venv/bin/python
# Under a make that was given no -j, as many compilers as there are cores.
PARALLEL = --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
FUZZ    := $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SECONDS ?= 60
# Whatever sanitizers the tests are built with. avro-c's macros allow for methods that its own values always have.
FUZZERS  = $(MAKE) $(PARALLEL) FLAVOUR=fuzz FAULTS= CC=clang SAN=fuzzer-no-link,address,undefined \
             WARN='-Wall -Wno-sometimes-uninitialized' fuzzers

#: make              the binary, build/release/pruned
#: make demo         everything on this machine, nothing left behind; KAFKA=host:port: with a real broker
demo: all
	@env -u PRUNED_DEPS $(BUILD)/pruned demo $(if $(KAFKA),--kafka $(KAFKA))

# The files that ARGS names, without `::test`. They are all that then runs.
NAMED = $(strip $(foreach word,$(subst ",,$(subst ',,$(ARGS))),$(wildcard $(firstword $(subst ::, ,$(word))))))

# What looks like a file and is none.
LOST  = $(foreach word,$(filter-out -%,$(subst ",,$(subst ',,$(ARGS)))),$(if $(or $(findstring /,$(word)),$(filter \
  %.py %.c,$(firstword $(subst ::, ,$(word))))),$(if $(wildcard $(firstword $(subst ::, ,$(word)))),,$(word))))
ifneq ($(filter check check-all quick,$(MAKECMDGOALS)),)
$(if $(strip $(LOST)),$(error ARGS: there is no file $(strip $(LOST))))
endif

# What tests run; the servers that they start are fetched meanwhile.
tested: deps-build
	+@$(MAKE) $(PARALLEL) deps-test built
built:
	+@$(MAKE) --no-print-directory all $(if $(NAMED),$(if $(filter tests/unit%,$(NAMED)),units),units)
	+@$(MAKE) --no-print-directory FLAVOUR=$(FLAVOUR)-faults FAULTS=1 all

#: make check        each guarantee and each job, a quarter of an hour; SAN=address,undefined or SAN=thread: with sanitizers; ARGS= goes to pytest
#: make check ARGS=  if it names files, pytest's or a C unit's: only these, and all of them
check: tested
	@$(PYTHON) tests/run.py $(BUILD) $(ARGS)

#: make check-all    all tests, an hour: also each kill in each job, more random worlds, the slow cases, the fuzz programs
check-all: tested deps-fuzz
	+@$(FUZZERS)
	@$(PYTHON) tests/run.py $(BUILD) --all $(ARGS)

#: make quick        the C units, one test for each job, one for most guarantees (tests/quick.txt): a minute and a half
#: make quick POSTGRES=16 BROKER=3.9  with another version of PostgreSQL than the system's (14 to 18), or of Kafka; for `make check` and `make check-all`, too
quick: deps-build
	+@$(MAKE) $(PARALLEL) deps-quick all units
	@$(PYTHON) tests/run.py $(BUILD) --quick $(ARGS)

#: make interop      clients that are not ours: readers in four languages, Kafka Connect, a registry's own deserializer, Debezium; a few minutes
interop: deps-test
	@tests/stack/deps.sh test interop
	+@$(MAKE) $(PARALLEL) all
	@TEST_BUILD=$(BUILD) $(PYTHON) -m pytest -c tests/pytest.ini -q tests/interop

#: make chaos        a storm over three processes for MINUTES=10, SEED= as printed; the logs stay in build/chaos
chaos: deps-test
	+@$(MAKE) $(PARALLEL) all
	@TEST_BUILD=$(BUILD) CHAOS_MINUTES=$(or $(MINUTES),10) CHAOS_SEED=$(SEED) $(PYTHON) -m pytest -c tests/pytest.ini -q -s \
	  --basetemp=build/chaos tests/fault/test_chaos.py

#: make bench        how fast it is here, one table and build/bench.json; QUICK=1: smaller sizes; ARGS=: only some sections
#: make bench CORES= all of it, servers and peers too, on so many cores of the machine; build/bench-N.json
bench: deps-test
	@tests/stack/deps.sh test peers
	+@$(MAKE) $(PARALLEL) all
	+@$(MAKE) $(PARALLEL) UNGUARDED=1 all
	@TEST_BUILD=$(BUILD) $(PYTHON) tests/bench/bench.py $(if $(QUICK),--quick) $(if $(CORES),--cores $(CORES)) --json build/bench$(if $(CORES),-$(CORES)).json \
	  $(ARGS)

#: make fuzz         each decoder with libFuzzer, a daemon with odd messages and rows, FUZZ_SECONDS=60 each, and TEST_SEEDS=120 of each model; `make check-all`: shorter
fuzz: deps-test deps-fuzz
	+@$(FUZZERS)
	+@$(MAKE) $(PARALLEL) all
	@tests/fuzz.sh build/fuzz $(FUZZ_SECONDS)
	@TEST_BUILD=$(BUILD) FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_SEED=$$(date +%s) $(PYTHON) -m pytest -c tests/pytest.ini -q \
	  --timeout=$$((2 * $(FUZZ_SECONDS) + 600)) tests/integration/test_fuzz_messages.py tests/integration/test_fuzz_own_jobs.py
	@TEST_BUILD=$(BUILD) TEST_SEEDS=$(or $(TEST_SEEDS),120) $(PYTHON) -m pytest -c tests/pytest.ini -q -n 6 --dist worksteal $(wildcard tests/integration/test_*_random.py)
fuzzers: $(FUZZ)
$(BUILD)/fuzz_%: tests/fuzz/fuzz_%.c $(LIB) $(BUILD)/pruned.gresource.o
	@echo "  link  $@"
	@$(CC) $(ALL_CFLAGS) $(PKG_CFLAGS) -MMD -MP $< $(BUILD)/pruned.gresource.o $(LIB) -fsanitize=fuzzer,address,undefined $(PKG_LIBS) -o $@

#: make mutants      the program broken on purpose, once at a time: `make check` must find each (tests/mutants.py); hours
mutants: deps-test
	@$(PYTHON) tests/mutants.py

#: make coverage     `make check-all`, then which lines it has not run
coverage: deps-test
	@tests/stack/deps.sh test coverage
	+@$(MAKE) FLAVOUR=coverage COVERAGE=1 CFLAGS='-O0 -g' check-all
	@$(PYTHON) -m gcovr -r . --filter src/ --html-details build/coverage/report.html --txt -s build/coverage build/coverage-faults

#: make release-check  `make check-all`, `make interop`, `make quick` with other versions of PostgreSQL, and the package in a bare Debian 12 and a bare Debian 13 (debootstrap); wants root; SUITES=trixie: one of them
release-check:
	@tests/release/check.sh $(SUITES)
	@tests/release/container.sh $(or $(RELEASE_ROOTS),build/release-check)/bookworm.tar

#: make two-versions  an upgrade step by step, forward and back, beside OLDER= (a commit, or `step`: one that lacks a step which has to be known; default: the newest tag, or what tests/release/older.sh names); a few minutes, and as long as a build before
two-versions: deps-quick
	+@$(MAKE) $(PARALLEL) all
	@older=$$(tests/release/older.sh $(OLDER)) && TEST_OLDER=$$older TEST_BUILD=$(BUILD) $(PYTHON) -m pytest -c tests/pytest.ini -q tests/release

#: make docs         the pages that are made from the code: docs/reference, and the marked blocks of other pages
docs: all
	@python3 tools/docs.py $(BUILD)/pruned

#: make screenshots  the pictures of README, in docs/pictures
screenshots: tested
	@PAGE_PICTURES=docs/pictures $(PYTHON) tests/run.py $(BUILD) tests/integration/test_page_pictures.py

#: make lint         the layers, names, style, lengths, cppcheck; the longest functions and files
lint: all
	@tests/lint/lint.sh

# Manual pages and the completions of shells.
SHARE := $(BUILD)/share
$(SHARE)/made: $(BUILD)/pruned VERSION docs/adding-a-job.md $(wildcard tools/*.py tools/reference/*.py)
	@python3 tools/docs.py $(BUILD)/pruned --share $(SHARE)
	@touch $@

#: make install      PREFIX=/usr/local SYSCONFDIR=/etc DESTDIR=
install: all $(SHARE)/made
	install -D -m 755 $(BUILD)/pruned $(DESTDIR)$(PREFIX)/bin/pruned
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/pruned $(wildcard deploy/*.conf deploy/*.yml)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/pruned/grafana deploy/grafana/pruned.json
	cd schemas/avro && find . -name '*.avsc' -exec install -D -m 644 {} $(abspath $(DESTDIR)$(PREFIX))/share/pruned/schemas/{} \;
	cd $(SHARE) && find . -type f ! -name made -exec install -D -m 644 {} $(abspath $(DESTDIR)$(PREFIX))/share/{} \;
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)$(SYSCONFDIR)/pruned/jobs.d
	for unit in $(wildcard deploy/*.service); do \
	  sed 's|/usr/local/|$(PREFIX)/|g' $$unit >$(DESTDIR)$(PREFIX)/lib/systemd/system/$${unit##*/} || exit; done

#: make deb          the Debian package, build/pruned_*.deb
deb: deps-deb
	debian/rules build
	DEB_RULES_REQUIRES_ROOT=no debian/rules binary DEB_TO=build
	@dh_clean

#: make deps-build   install what building wants; deps-test: what testing wants; deps-fuzz: what fuzzing wants
help:
	@sed -n 's/^#: //p' $(MAKEFILE_LIST)

-include $(OBJECTS:.o=.d) $(UNIT_OBJECTS:.o=.d) $(FUZZ:=.d)

.PHONY: all docs release-check two-versions demo bench interop chaos mutants clean units deps-build deps-test deps-quick deps-fuzz tested built check check-all quick fuzz fuzzers coverage screenshots lint install deb deps-deb help
.DELETE_ON_ERROR:
