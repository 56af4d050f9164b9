# boxagent: phone login for shared thin clients. `make help` lists what there is.

# The toolchain may be installed beside the PATH.
export PATH := $(PATH):/opt/swift/usr/bin
# Headers that Scripts/setup unpacked instead of upgrading an installed library.
export CPATH := $(CURDIR)/.build-headers/usr/include
export LIBRARY_PATH := $(CURDIR)/.build-headers/usr/lib/$(shell uname -m)-linux-gnu
export DESTDIR PAM_DIRECTORY UNIT_DIRECTORY FUZZ_SECONDS BENCH_COUNTS SEED STEPS SEEDS
# Recipes use bash's pipefail.
SHELL := /bin/bash
alone := @Scripts/alone

.PHONY: help setup build demo demo-site test test-web test-release test-vm test-rdp test-site test-page test-long simulate fuzz bench web install package repository clean

help:
	@sed -n 's/^## //p' Makefile

## setup        install what all of these need; each does so for itself, too (as an ordinary user: prints the command)
setup:
	$(alone) Scripts/setup

## build        release builds of every program into dist/
build:
	$(alone) Scripts/setup build
	$(alone) Scripts/build

## demo         show a login from enrolment to revocation, without hardware
demo:
	$(alone) Scripts/setup build demo
	$(alone) Scripts/demo

## demo-site    show a site: PostgreSQL, two servers, three boxes that join, one that is removed
demo-site:
	$(alone) Scripts/setup build test demo
	$(alone) Scripts/build
	$(alone) Scripts/demo-site

## test         what a change needs: checks, units, integration, crashes, one page in a browser
test:
	$(alone) Scripts/setup build test web
	$(alone) Scripts/test

## test-web     the web phone in Chromium, every flow
test-web:
	$(alone) Scripts/setup build test web
	$(alone) Scripts/test web

## test-release the release builds: sizes, libraries, installation, secrets in memory
test-release:
	$(alone) Scripts/setup build test web
	$(alone) Scripts/test release

## test-vm      a virtual machine with real login(1), logind and bluetoothd; VM_GROUPS="everyday greeter"
test-vm:
	$(alone) Scripts/setup build web vm package repository
	$(alone) Tests/VM/run $(VM_GROUPS)

## test-rdp     a tap that opens a remote desktop at a real xrdp, as root in namespaces of its own
test-rdp:
	$(alone) Scripts/setup build test rdp
	$(alone) Scripts/build
	$(alone) Scripts/test-rdp

## test-site    a site on real PostgreSQL: servers, boxes, a killed primary, a restored backup
test-site:
	$(alone) Scripts/setup build test
	$(alone) Scripts/build
	$(alone) Scripts/test-site

## test-page    the administrators' page before a real server; builds Hummingbird the first time
test-page:
	$(alone) Scripts/setup build test
	$(alone) Scripts/build
	$(alone) Scripts/test-page

## test-long    what takes hours or an idle machine: see Tests/by-hand.md
test-long:
	$(alone) Scripts/setup
	$(alone) Scripts/test-long

## simulate     phones, programs and crashes around the machine that decides; SEED=1 STEPS=5000 SEEDS=300
simulate:
	$(alone) Scripts/setup build
	$(alone) Scripts/simulate

## fuzz         fuzz the parsers and state machines; FUZZ_SECONDS=60 for each target
fuzz:
	$(alone) Scripts/setup build fuzz
	$(alone) Scripts/fuzz

## bench        measurements, printed as ratios; BENCH_COUNTS=yes for packets and bytes only, on any machine
bench:
	$(alone) Scripts/setup build test bench
	$(alone) Scripts/bench

## web          the phone's core in WebAssembly, and the page, in dist/web/; fetches libsodium's source by apt
web:
	$(alone) Scripts/setup build web
	$(alone) Scripts/web

## install      lay out below DESTDIR what build and web made; PAM_DIRECTORY=/usr/lib/security
install: build web
	$(alone) Scripts/install

## package      the six Debian packages, in dist/; builds Hummingbird the first time
package:
	$(alone) Scripts/setup build web package
	$(alone) Scripts/package

## repository   an apt repository of the packages, in dist/repository/, signed: KEY=FINGERPRINT SUITE=CODENAME
repository:
	$(alone) Scripts/setup repository
	$(alone) Scripts/repository "$(KEY)" $(SUITE)

## clean        remove what was built
clean:
	rm -rf .build .build-* dist
