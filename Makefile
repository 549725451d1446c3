# The commands of this project. Needs Python 3.11 or newer, and make.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help demo demo-reset test lint format bench lock runtime dev check-python \
	lint-code lint-imports lint-types lint-migrations lint-templates lint-scripts

PORT ?= 8000
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$p; break; }; done)
RUN := .venv/bin/python
FOR_LINT := SECRET_KEY=lint DATABASE_URL=sqlite:///:memory:
TSC := npm exec --yes --package=typescript@5.9.3 -- tsc --noEmit --allowJs --checkJs \
	--strict --target es2022 --module es2022 --moduleResolution bundler \
	--lib es2022,dom,dom.iterable --skipLibCheck
export DATA
export CALLED_FROM := $(PWD)

help: ## list these commands
	@echo "make demo [PORT=8000] [DATA=folder]"
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) \
	| while IFS="$$(printf '\t')" read -r name what; do \
	printf 'make %-12s %s\n' "$$name" "$$what"; done

demo: runtime ## start the demo site from nothing; Ctrl-C stops it
	@exec $(RUN) -m config.supervisor --with-parent --port "$(PORT)" --data "$$DATA"

demo-reset: runtime ## throw the demo's data away
	@exec $(RUN) -m config.supervisor --reset

test: dev ## run every test: PostgreSQL, SQLite, Redis protocol, Chromium, Node
	@$(RUN) -m tests.everything

lint: lint-code lint-imports lint-types lint-migrations lint-templates lint-scripts ## run every check that needs no running site

lint-code: dev
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

lint-imports: dev
	.venv/bin/lint-imports --no-cache

lint-types: dev
	$(FOR_LINT) $(RUN) -m mypy

lint-migrations: dev
	$(FOR_LINT) $(RUN) manage.py makemigrations --check --dry-run

lint-templates: dev
	@if [ -n "$$(find templates -name '*.html')" ]; then \
	echo djlint templates && $(RUN) -m djlint --lint --quiet templates; fi

lint-scripts:
	@if command -v npm >/dev/null; then \
	scripts=$$(find static/js -name '*.js'); \
	if [ -n "$$scripts" ]; then echo tsc --checkJs static/js && $(TSC) $$scripts; fi; \
	else echo "lint: npm is not here, so tsc did NOT check static/js"; \
	test "$$CI" != true; fi

format: dev ## lay the code out
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

bench: dev ## measure, and print ratios against the floors
	@$(RUN) -m bench

lock: ## resolve requirements/*.in into the lock files again (needs uv)
	uv pip compile requirements/runtime.in -o requirements/runtime.txt $(LOCK)
	uv pip compile requirements/dev.in -o requirements/dev.txt $(LOCK)

LOCK := --quiet --generate-hashes --python-version 3.11 --python-platform linux \
	--no-header --no-emit-index-url --no-annotate

runtime dev: check-python
	@"$(PYTHON)" config/environment.py $@

check-python:
	@python='$(PYTHON)'; test -n "$$python" \
	&& "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	echo "Error: Earwitness needs Python 3.11 or newer; none was found. Name one: make demo PYTHON=/path/to/python3.11" >&2; \
	exit 1; }
