# `make help` lists what there is. Every target installs what it needs first (scripts/setup.sh).

PORT ?= 8080
STEP := scripts/step.sh
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
# In CI the lock file must be in order; at work cargo may bring it up to date.
LOCKED := $(if $(CI),--locked)
WASM := --target wasm32-unknown-unknown

.DEFAULT_GOAL := help
# All of cargo's steps share the target folder and would only wait for each other.
.NOTPARALLEL:
.PHONY: help run build check test test-native test-web test-e2e test-real bench budget clean setup setup-build setup-test setup-real

help: ## List the targets.
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F '|' '{ printf "%-20s %s\n", $$1, $$2 }'

run: setup-build ## Build the release and serve it on http://localhost:8080 (PORT=… for another).
	@node scripts/serve.mjs --check --port $(PORT)
	@$(STEP) "Release build" scripts/build.sh
	@exec node scripts/serve.mjs --port $(PORT)

build: setup-build ## Build dist/, a static page that works under any path.
	@$(STEP) "Release build" scripts/build.sh

check: setup-test ## Look at format and lints.
	@$(STEP) "Format" cargo fmt --all --check
	@$(STEP) "Lints, native" cargo clippy $(LOCKED) --quiet --workspace --all-targets -- -D warnings
	@$(STEP) "Lints, wasm32" cargo clippy $(LOCKED) --quiet --workspace $(WASM) --all-targets -- -D warnings

test: check test-native test-web build budget test-e2e ## Run everything: lints, tests, release build, size, end to end.

test-native: setup-test ## Run the tests that need no browser.
	@$(STEP) "Native tests" cargo test $(LOCKED) --quiet --workspace

test-web: setup-test ## Run tests/web_*.rs in a headless browser.
	@$(STEP) "Browser tests" scripts/test-web.sh $(LOCKED)

budget: build ## Weigh what the first load fetches.
	@$(STEP) "Size of the first load" node scripts/budget.mjs

test-e2e: setup-test build ## Drive the release build in a browser.
	@$(STEP) "End-to-end tests" node tests/e2e/run.mjs

test-real: setup-real build ## Drive it against servers that others wrote, which are installed first.
	@model=$$(scripts/real-model.sh) && eval "$$model" && $(STEP) "End to end with real servers" node tests/e2e/real.mjs

bench: setup-test build ## Measure the release build.
	@$(STEP) "The kernel's own work" cargo bench $(LOCKED) --quiet --bench kernel
	@$(STEP) "Build of the parts that are measured alone" scripts/build-bench.sh $(LOCKED)
	@$(STEP) "The page" node tests/bench/run.mjs

setup: setup-test ## Install what is needed and not there yet.

setup-build setup-test setup-real: setup-%:
	@scripts/setup.sh $*

clean: ## Remove what was built. The tools stay in the user's cache.
	rm -rf dist target
