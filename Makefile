# Commands for people. Each does its own set-up; the second time that takes a second.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
export PATH := $(CURDIR)/.cache/bin:$(HOME)/.cargo/bin:$(PATH)

SETUP := deploy/local/setup.sh
TARGET := $(or $(CARGO_TARGET_DIR),target)
RUTTER := $(TARGET)/release/rutter
# Tools are built beside `rutter`: by themselves they would want other features of what both stand on, and compile it again.
BUILD := cargo build --release --locked --workspace --bin rutter
# The demo's run directory; a new one each time.
DEMO_RUN ?= runs/demo-$(shell date +%Y%m%d-%H%M%S)
DEMO_SEEDS ?= 0..3
WORKERS ?= 2
# The model of `make model` (large, small or tiny), and the port it is served at.
MODEL ?= large
MODEL_PORT ?= 8080

.PHONY: help setup build demo test format lint bench simulate fuzz density load attack harbour harbour-diff harbour-pairs crowd sites reachable compositions with-map harm english elsewhere stages upgrade cluster-up cluster-demo columns cluster-status cluster-logs cluster-down chaos redaction kube-up kube-down kube-test kube-demo kube-chaos compose-try kube-scale images model model-down bench-models clean

help: ## what can be asked for (default)
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## packages, browser, driver, Rust, test runner, benchmark pages, embedding weights, servers, promtool, gRPC for Python, helm
	@$(SETUP)

build: ## the release binary, with the browser, pages and weights it works with
	@$(SETUP) packages browser rust pages weights
	@echo "building target/release/rutter (the first time takes some minutes)" >&2
	@$(BUILD)

demo: build ## a dozen benchmark tasks with the planner that needs no model, then their tests replayed
	@deploy/local/demo.sh "$(RUTTER)" "$(DEMO_RUN)" "$(DEMO_SEEDS)" "$(WORKERS)"

test: setup ## every test; ends with the summary of cargo-nextest
	@python3 -B -m unittest discover --quiet --start-directory loadtests/sites
	@cargo test --workspace --locked --doc --quiet
	@cargo nextest run --workspace --locked

# Modules that a macro declares, which `cargo fmt` does not see.
BEHIND_MACROS := --edition 2024 services/planner/src/*.rs services/crawler/src/explore/strategy/*.rs services/benchmarks/src/*.rs

format: ## formats the code, also what `cargo fmt` does not see
	@cargo fmt --all
	@rustfmt $(BEHIND_MACROS)

lint: ## format and lints, warnings as errors; licences, duplicates, sources and known faults of the libraries
	@$(SETUP) packages rust deny
	@cargo fmt --all --check
	@rustfmt --check $(BEHIND_MACROS)
	@cargo clippy --workspace --all-targets --locked -- --deny warnings
	@cargo deny --locked --log-level error check bans licenses sources
	@if cargo deny --locked --log-level off fetch db; then cargo deny --locked --log-level error check --disable-fetch advisories; \
	  else echo "lint: the database of advisories cannot be fetched from here, so that they were not checked" >&2; fi

# How large the maps of `make bench` are. 1000000 and 200 is what they are built for, and takes seven minutes.
# A figure that misses its target is printed and does not fail the command: it is a measurement, and step.json stands by then.
MAP_STATES ?= 20000
MAP_SITES ?= 4

bench: setup ## one step as multiples of the bare round trip and click (target/results/step.json), and large maps (…/graph.json)
	@cargo bench --locked --workspace --bench step
	@$(SETUP) servers
	@$(BUILD) --bin maps
	-@$(TARGET)/release/maps --states $(MAP_STATES) --sites $(MAP_SITES) --output $(TARGET)/results/graph.json

# How many seeds `make simulate` plays.
SEEDS ?= 10000

simulate: ## a simulated cluster in which everything fails, seed by seed (target/results/simulate.json)
	@$(SETUP) packages rust
	@$(BUILD) --bin simulate
	@$(TARGET)/release/simulate --seeds $(SEEDS) --output $(TARGET)/results/simulate.json

# Seconds of each target of `make fuzz`. A target is what reads one kind of foreign bytes.
FUZZ_SECONDS ?= 600
FUZZED := $(addprefix -p ,browser evaluation node proto tasks)

fuzz: ## mutated and random input for all that reads foreign bytes: no panic, bounded memory (target/results/fuzz.json)
	@$(SETUP) packages rust
	@rm -rf $(TARGET)/results/fuzz && mkdir -p $(TARGET)/results/fuzz
	-@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_RESULTS="$(abspath $(TARGET))/results/fuzz" \
	  cargo nextest run --locked --profile fuzz $(FUZZED) -E 'test(/fuzz::/) or binary(fuzz)'
	@python3 -B deploy/local/fuzz.py $(TARGET)/results/fuzz $(TARGET)/results/fuzz.json

density: setup ## the same jobs with a browser each, in one browser and in one slot of a Grid (target/results/density.json)
	@$(BUILD) --bin density
	@$(TARGET)/release/density

# What `make load` runs, and further arguments, e.g. LOAD="--instances 500 --sessions 50".
SCENARIO ?= loadtests/scenarios/ten-steps.toml
LOAD ?=
LOAD_BINARIES := $(addprefix --bin ,client-baseline follower load simulated-grid walkers)

load: build ## thousands of instances through real servers on simulated browsers: exact totals, CPU, memory, a profile (target/results/load*)
	@$(SETUP) servers profiler
	@$(BUILD) $(LOAD_BINARIES)
	@$(TARGET)/release/load --rutter "$(RUTTER)" --scenario $(SCENARIO) --results $(TARGET)/results $(LOAD)

# How Harbour is explored, e.g. HARBOUR="--role guest --strategy systematic".
HARBOUR ?=

harbour: build ## explores the test site and scores what was found against what is declared of it (target/results/harbour.json)
	@$(BUILD) --bin measure-harbour
	@$(TARGET)/release/measure-harbour --rutter "$(RUTTER)" --output $(TARGET)/results/harbour.json $(HARBOUR)

harbour-diff: build ## explores both versions of the test site and scores how they are compared (target/results/harbour-diff.json)
	@$(BUILD) --bin measure-harbour-diff
	@$(TARGET)/release/measure-harbour-diff --rutter "$(RUTTER)" --output $(TARGET)/results/harbour-diff.json $(HARBOUR)

# Further arguments of the attack, e.g. ATTACK="--only run:bidi:https --only explore:classic:http --keep /tmp/attack".
ATTACK ?=

attack: build ## every way out of the scope, tried on a hostile site in a network of its own (target/results/attack.json)
	@$(BUILD) --bin attack
	@$(TARGET)/release/attack --rutter "$(RUTTER)" --output $(TARGET)/results/attack.json $(ATTACK)

# Which instructions, e.g. COMPOSITIONS="--seed 7 --of-each 100".
COMPOSITIONS ?=

compositions: build ## little tasks put together to one instruction, in order, reversed and mixed (target/results/compositions.json)
	@$(BUILD) --bin measure-compositions
	@$(TARGET)/release/measure-compositions --rutter "$(RUTTER)" --output $(TARGET)/results/compositions.json $(COMPOSITIONS)

# How Harbour is explored, e.g. WITH_MAP="--budget 1m".
WITH_MAP ?=

with-map: build ## tasks some steps from the start of the test site, without the map of it and with (target/results/with-map.json)
	@$(BUILD) --bin measure-with-map
	@$(TARGET)/release/measure-with-map --rutter "$(RUTTER)" --output $(TARGET)/results/with-map.json $(WITH_MAP)

# How the applications are explored, e.g. SITES="--seconds 60 --short-seconds 30 --sites roundup --kinds frontier-free crawljax-depth".
SITES ?=

sites: build ## line coverage of real applications by every strategy, a plain crawl and Crawljax; goes on (target/results/sites.json)
	@$(SETUP) sites crawljax
	@mkdir -p $(TARGET)/results
	@python3 -B loadtests/sites/sites.py "$(RUTTER)" $(TARGET)/results/sites.json --python .cache/sites/bin/python \
	  --crawljax .cache/crawljax --store .cache/sites-data --page docs/results/sites.md $(SITES)

# What is drawn from which applications, e.g. REACHABLE="--seconds 60 --states 10 --sites roundup".
REACHABLE ?=

reachable: build ## ways to states of real applications, and their faults, replayed on fresh data (target/results/reachable.json)
	@$(SETUP) sites
	@python3 -B loadtests/sites/reachable.py "$(RUTTER)" $(TARGET)/results/reachable.json --python .cache/sites/bin/python \
	  --store .cache/sites-data $(REACHABLE)

# How long it takes, e.g. HARM="--seconds 60 --site-budget 2m --applications roundup".
HARM ?=

harm: build ## whether exploring harms what was there: a site that counts, and two real applications; goes on (target/results/harm.json)
	@$(SETUP) sites harm
	@$(BUILD) --bin measure-harm
	@mkdir -p $(TARGET)/results
	@python3 -B loadtests/harm/harm.py "$(RUTTER)" $(TARGET)/release/measure-harm $(TARGET)/results/harm.json \
	  --python wagtail=.cache/harm/bin/python --python roundup=.cache/sites/bin/python --store .cache/harm-data \
	  --page docs/results/harm.md $(HARM)

# What is asked of which applications, e.g. ENGLISH="--sites buku spirit --only pages --keep /tmp/english".
ENGLISH ?=

english: build ## sentences in plain English on five real applications: elements, claims and the applications' data; goes on (target/results/english.json)
	@$(SETUP) english
	@mkdir -p $(TARGET)/results
	@.cache/english/bin/python -B loadtests/english/english.py "$(RUTTER)" $(TARGET)/results/english.json --cache .cache $(ENGLISH)

# Further arguments of the crowd, e.g. CROWD="--browsers 16 --budget 30s".
CROWD ?=

crowd: build ## one simulated browser on a large site, and 64 on the same (target/results/crowd.json)
	@$(BUILD) --bin crowd --bin simulated-grid
	@$(TARGET)/release/crowd --rutter "$(RUTTER)" --output $(TARGET)/results/crowd.json $(CROWD)

harbour-pairs: build ## compares the state abstractions on labelled pairs of the test site's own states (target/results/states-harbour.json)
	@$(BUILD) --bin harbour-pairs
	@rm -rf $(TARGET)/results/harbour-pairs
	@$(TARGET)/release/harbour-pairs --out $(TARGET)/results/harbour-pairs
	@$(RUTTER) eval states --pairs $(TARGET)/results/harbour-pairs --output json > $(TARGET)/results/states-harbour.json
	@cat $(TARGET)/results/states-harbour.json

CLUSTER := RUTTER="$(abspath $(RUTTER))" RESULTS="$(abspath $(TARGET))/results" deploy/local/cluster.sh

cluster-up: build ## Kafka, Redis, PostgreSQL, a Grid of two browsers, and every role as a process of its own
	@$(SETUP) servers
	@$(CLUSTER) up

cluster-demo: cluster-up ## the demo's tasks in one process and in the cluster, with every verdict compared
	@$(CLUSTER) demo

# How Harbour is explored, e.g. COLUMNS_ARGS="--budget 1m --keep /tmp/columns".
COLUMNS_ARGS ?=

columns: cluster-up ## explores the test site on one machine and in the cluster, and compares what both leave (target/results/columns.json)
	@$(BUILD) --bin measure-columns
	@$(TARGET)/release/measure-columns --rutter "$(RUTTER)" --config .cache/cluster/rutter.toml \
	  --output $(TARGET)/results/columns.json $(COLUMNS_ARGS)

elsewhere: build ## the demo's tasks, an upload and a download by browsers in a network of their own, every verdict compared (target/results/elsewhere.json)
	@$(SETUP) servers
	@python3 -B deploy/local/elsewhere.py "$(abspath $(RUTTER))" "$(abspath $(TARGET))/results"

stages: build ## a campaign with stages on real servers, each role killed in each stage: the jobs of each stage exact (target/results/stages.json)
	@$(SETUP) servers
	@python3 -B deploy/local/stages.py "$(abspath $(RUTTER))" "$(abspath .cache/stages)" "$(abspath $(TARGET))/results/stages.json"

upgrade: build ## the version before and this one in one cluster, rolled forward and back with campaigns in flight (target/results/upgrade.json)
	@$(SETUP) servers
	@deploy/local/older.sh "$(abspath .cache/older)"
	@python3 -B deploy/local/upgrade.py "$(abspath .cache/older)/rutter" "$(abspath $(RUTTER))" "$(abspath .cache/upgrade)" "$(abspath $(TARGET))/results/upgrade.json"

chaos: build ## every kind of harm to a cluster of its own, each in the middle of two campaigns (target/results/chaos.json)
	@$(SETUP) servers cuts
	@$(BUILD) --bin simulated-grid --bin walkers
	@python3 -B deploy/local/chaos.py "$(abspath $(RUTTER))" "$(abspath $(TARGET))/release/simulated-grid" "$(CURDIR)/.cache/chaos" \
	  "$(abspath $(TARGET))/results/chaos.json"

cluster-status: ## one line per process of the cluster
	@$(CLUSTER) status

cluster-logs: ## what the processes of the cluster wrote last
	@$(CLUSTER) logs

cluster-down: ## stops every process of the cluster
	@$(CLUSTER) down

redaction: setup ## secrets in every form at every place, in real browsers and in a cluster: leaks, look-alikes, pixels (target/results/redaction.json)
	@rm -f $(TARGET)/results/redaction.json
	@cargo nextest run --locked --workspace --no-fail-fast -E 'package(harness) and (test(redaction_of) or test(a_secret_that_a_page_echoes))'
	@python3 -c 'import json, sys; found = json.load(open(sys.argv[1])); print("{combinations} combinations, {} leaks; {kept} of {look_alikes} look-alikes stayed".format(len(found["leaks"]), **found))' $(TARGET)/results/redaction.json

KUBE := .cache/kube/cluster

# With KUBECONFIG, kube-up, kube-test and kube-demo work on its cluster (docs/kubernetes.md).
kube-up: ## etcd, API server and controller manager of a real Kubernetes on loopback, with the definitions of Rutter's resources
	@deploy/kube/setup.sh plane
	@python3 -B deploy/kube/control_plane.py up $(KUBE)
	@python3 -B deploy/kube/control_plane.py kubectl $(KUBE) apply --server-side --filename helm/rutter/crds

kube-down: ## stops that control plane
	@python3 -B deploy/kube/control_plane.py down $(KUBE)

# The programs that `make kube-test` runs; debug builds do.
KUBE_RUTTER ?= $(RUTTER)
KUBE_OPERATOR ?= $(TARGET)/release/rutter-operator

kube-test: build ## resources, operator and chart on a real API server: refused, scheduled, scaled, taken over (target/results/kube-operator.json)
	@deploy/kube/setup.sh plane helm
	@$(BUILD) --bin rutter-operator
	@python3 -B deploy/kube/test_operator.py "$(KUBE_RUTTER)" "$(KUBE_OPERATOR)" .cache/kube/test $(TARGET)/results

# The node's part: as root, since containers want namespaces, mounts and cgroups. KUBE_DEMO_KEEP=1 leaves a demo that failed as it is.
kube-demo: build ## the chart and the demo's tasks on a real cluster of one node, every verdict compared with one process (target/results/kube-demo.json)
	@$(SETUP) servers
	@deploy/kube/setup.sh $(if $(KUBECONFIG),plane helm,node helm images)
	@$(BUILD) --bin rutter-operator
	@python3 -B deploy/kube/demo.py "$(KUBE_RUTTER)" "$(KUBE_OPERATOR)" .cache/kube/demo $(TARGET)/results

kube-chaos: build ## every kind of pod deleted, processes killed, chart upgraded, API server restarted, each during a campaign (target/results/kube-chaos.json)
	@$(SETUP) servers
	@deploy/kube/setup.sh node helm images
	@$(BUILD) --bin rutter-operator
	@python3 -B deploy/kube/chaos.py "$(KUBE_RUTTER)" "$(KUBE_OPERATOR)" .cache/kube/chaos $(TARGET)/results

compose-try: build ## the compose file with a Docker engine that is there: a campaign, its broker started again, everything stopped and started
	@$(SETUP) servers
	@deploy/kube/setup.sh images
	@$(BUILD) --bin rutter-operator
	@mkdir -p $(TARGET)/images
	@python3 -B deploy/image/build.py service --rutter "$(KUBE_RUTTER)" --operator "$(KUBE_OPERATOR)"
	@for image in browser servers; do [ -e $(TARGET)/images/$$image.tar ] || python3 -B deploy/image/build.py $$image; done
	@python3 -B deploy/compose/try.py $(TARGET)/images .cache/compose

kube-scale: build ## a thousand browser pods on two hundred simulated nodes: made, drained, no live session cut (target/results/kube-scale.json)
	@deploy/kube/setup.sh simulated
	@$(BUILD) --bin rutter-operator
	@python3 -B deploy/kube/test_scale.py "$(KUBE_RUTTER)" "$(KUBE_OPERATOR)" .cache/kube/scale $(TARGET)/results

images: ## images of every role, of browsers, of a Grid and of servers for trying out, as OCI archives, without a registry (target/images)
	@$(SETUP) packages rust weights servers
	@deploy/kube/setup.sh images
	@cargo build --profile dist --locked --bin rutter --bin rutter-operator
	@for image in service browser servers grid; do python3 -B deploy/image/build.py $$image; done

model: build ## a small language model on this machine, for who has none: fetched and built once, started on loopback, and checked
	@$(SETUP) packages model
	@deploy/local/model.sh up --model $(MODEL) --port $(MODEL_PORT)
	@$(RUTTER) models check --model $(MODEL) --model-url http://127.0.0.1:$(MODEL_PORT)/v1

model-down: ## stops that model's server
	@deploy/local/model.sh down --port $(MODEL_PORT)

bench-models: build ## that model with every planner on eight tasks, one unseen seed, in parts that are kept (target/results/models.json)
	@$(SETUP) packages model
	@deploy/local/model.sh up --model $(MODEL) --port $(MODEL_PORT)
	@python3 loadtests/models/bench.py --rutter $(RUTTER) --model $(MODEL) --model-url http://127.0.0.1:$(MODEL_PORT)/v1 --json $(TARGET)/results/models.json

clean: ## removes what was built and all runs; what was downloaded (.cache) stays
	@cargo clean
	@rm -rf runs
