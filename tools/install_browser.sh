#!/bin/sh
# Installs Chromium for the tests of the report, from Debian's or Ubuntu's packages, unless it is there already.
set -eu

if command -v chromium >/dev/null 2>&1; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "install_browser: there is no chromium on the PATH, and no apt-get to install it: install Chromium by hand" >&2
    exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo"
else
    echo "install_browser: there is no chromium on the PATH; as root, run: apt-get install chromium" >&2
    exit 1
fi

# The list of packages may be missing or too old to fetch from: then it is renewed, and the installation tried again.
install="$as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends chromium"
$install >/dev/null 2>&1 || { $as_root apt-get update --quiet >/dev/null && $install >/dev/null; }
command -v chromium >/dev/null 2>&1 || { echo "install_browser: chromium was installed, but is not on the PATH" >&2; exit 1; }
