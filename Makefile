# boxagent: phone login for shared thin clients. `make help` lists what there is.

# The toolchain may be installed beside the PATH.
export PATH := $(PATH):/opt/swift/usr/bin
export DESTDIR PAM_DIRECTORY UNIT_DIRECTORY FUZZ_SECONDS BENCH_COUNTS SEED STEPS SEEDS
# Recipes use bash's pipefail.
SHELL := /bin/bash

.PHONY: help setup build demo demo-site test test-vm test-rdp test-site test-page test-long simulate fuzz bench web install package repository clean

help:
	@sed -n 's/^## //p' Makefile

## setup     install what all of these need; each does so for itself too (as an ordinary user: prints the command)
setup:
	@Scripts/setup

## build     release builds into dist/: boxagentd, boxagent, boxagent-session, boxlogin, boxphone, boxsited, boxsite, boxsite-directory, session-hook, pam_boxagent.so
build:
	@Scripts/setup build
	@Scripts/build

## demo      install what is missing, build, and show a login from enrolment to revocation, without hardware
demo:
	@Scripts/setup build demo
	@Scripts/build
	@Scripts/demo

## demo-site a site on private directories: PostgreSQL, two servers, three boxes that join, one that is taken out
demo-site:
	@Scripts/setup build test demo
	@Scripts/build
	@Scripts/demo-site

## test      everything but the virtual machine: checks, units, integration, crashes, installation
test:
	@Scripts/setup build test web
	@Scripts/test

## test-vm   scenarios in a virtual machine with real login(1), logind and bluetoothd
test-vm:
	@Scripts/setup build web vm package repository
	@Tests/VM/run

## test-rdp  a tap that opens a remote desktop at a real xrdp, as root in namespaces of its own
test-rdp:
	@Scripts/setup build test rdp
	@Scripts/build
	@Scripts/test-rdp

## test-site a site on real PostgreSQL: servers, boxes that link to them, a killed primary, a restored backup
test-site:
	@Scripts/setup build test
	@Scripts/build
	@Scripts/test-site

## test-page the page of a site's administrators, before a real server of a site; it builds Hummingbird the first time
test-page:
	@Scripts/setup build test
	@Scripts/build
	@Scripts/test-page

## test-long what takes hours or an idle machine: fuzzing, all benchmarks, the slow scenarios; see docs/test-long.md
test-long:
	@Scripts/setup
	@Scripts/test-long

## simulate  phones, programs, sessions and crashes around the machine that decides; SEED=1 STEPS=5000 SEEDS=300
simulate:
	@Scripts/setup build
	@Scripts/simulate

## fuzz      fuzz what parses bytes from outside, and the state machines; FUZZ_SECONDS=60 for each target
fuzz:
	@Scripts/setup build fuzz
	@Scripts/fuzz

## bench     measurements, printed as ratios; BENCH_COUNTS=yes for packets and bytes only, which any machine can tell
bench:
	@Scripts/setup build test bench
	@Scripts/bench

## web       the phone's core in WebAssembly, and the page: dist/web/; the first time it fetches libsodium's source by apt
web:
	@Scripts/setup build web
	@Scripts/web

## install   lay out below DESTDIR what `make build` and `make web` made; PAM_DIRECTORY=/usr/lib/security
install: build web
	@Scripts/install

## package   the Debian packages in dist/: boxagent, libpam-boxagent, boxphone, boxsite, boxsite-page, boxagent-web; needs what `make
##           web` needs, and builds Hummingbird the first time
package:
	@Scripts/setup build web package
	@Scripts/package

## repository an apt repository of what `make package` made, in dist/repository/, signed: KEY=FINGERPRINT SUITE=stable
repository:
	@Scripts/setup repository
	@Scripts/repository "$(KEY)" $(SUITE)

## clean     remove what was built
clean:
	rm -rf .build .build-* dist
