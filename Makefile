# What a user types. Each target installs what it lacks (tools/setup) and fetches libchdb once.
# Developers: `cmake --workflow --preset check` is `make check`.

.PHONY: help setup libchdb build demo test check tsan headers bench lint clean
.DEFAULT_GOAL := help

help:
	@echo 'make build         programs into build/bin'
	@echo 'make demo          build, then run the whole loop on this host; ARGS="--fault cpu"'
	@echo 'make test          build, then every test'
	@echo 'make check         the tests again under ASan and UBSan (make tsan: under TSan)'
	@echo 'make headers       every header compiles alone'
	@echo 'make bench         the measurements of perf/, peers beside us'
	@echo 'make lint          form and content of the code; BASE=COMMIT to compare with'
	@echo 'make clean         removes what was built, keeps what was fetched'

setup:
	@tools/setup build

libchdb: setup
	@tools/fetch-libchdb build/lib

build: setup libchdb
	cmake --preset release
	cmake --build --preset release

demo: build
	build/bin/auscult demo $(ARGS)

# Two at a time: tests that measure this host say RUN_SERIAL.
test: build
	@tools/setup test
	ctest --preset release -j 2 $(ARGS)

check tsan: setup libchdb
	cmake --preset $(subst check,dev,$@)
	cmake --build --preset $(subst check,dev,$@)
	ctest --preset $(subst check,dev,$@) -j 2 $(ARGS)

headers: setup
	cmake --preset release
	cmake --build --preset headers

bench: build
	@tools/setup bench test
	perf/run

lint: setup
	@tools/setup lint
	cmake --preset dev
	tools/lint $(BASE)

clean:
	rm -rf build/bin build/release build/dev build/tsan
