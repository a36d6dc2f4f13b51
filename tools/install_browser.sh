#!/bin/sh
# Installs a browser for the tests of pages, from Debian's or Ubuntu's packages, unless it is there already.
# Chromium without its desktop, chromium-headless-shell, takes half the CPU time of chromium for a page. Where it cannot
# be installed, chromium does.
set -eu

say() {
    echo "install_browser: $1" >&2
}

has() {
    command -v "$1" >/dev/null 2>&1
}

if has chromium-headless-shell; then
    exit 0
fi

if ! has apt-get; then
    obstacle="there is no apt-get to install it"
elif [ "$(id -u)" -eq 0 ]; then
    obstacle="" as_root=""
elif has sudo && sudo -n true 2>/dev/null; then
    obstacle="" as_root="sudo"
else
    obstacle="only root can install it: apt-get install chromium-headless-shell"
fi
if [ -n "$obstacle" ]; then
    if has chromium; then
        say "the tests use chromium, which takes twice the CPU time of chromium-headless-shell; $obstacle"
        exit 0
    fi
    say "there is neither chromium-headless-shell nor chromium on the PATH, and $obstacle"
    exit 1
fi

# Nothing else is removed to make room for the browser, and nobody is asked.
install() {
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --quiet --no-remove --no-install-recommends "$1" </dev/null >/dev/null
}

# Whether apt's lists are there, but name no such package: then there is nothing to renew them for.
unknown() {
    [ -n "$(apt-cache madison apt 2>/dev/null)" ] && [ -z "$(apt-cache madison "$1" 2>/dev/null)" ]
}

# The lists may be missing, or too old to fetch from: then they are renewed, and the installation is tried again.
fetch() {
    if unknown "$1"; then
        return 1
    fi
    install "$1" 2>/dev/null && return
    $as_root apt-get update --quiet >/dev/null || return
    if unknown "$1"; then
        return 1
    fi
    install "$1"
}

if fetch chromium-headless-shell && has chromium-headless-shell; then
    exit 0
fi
if ! has chromium; then
    fetch chromium || { say "neither chromium-headless-shell nor chromium can be installed by apt-get: install one by hand"; exit 1; }
    has chromium || { say "chromium was installed, but is not on the PATH"; exit 1; }
fi
say "the tests use chromium, which takes twice the CPU time of chromium-headless-shell; apt-get cannot install that one"
