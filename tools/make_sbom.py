"""Make a software bill of materials from a lock file: every package that is installed, with its version and hashes.

    python tools/make_sbom.py [requirements/container.txt] > whorl.cdx.json

The form is CycloneDX 1.6, as JSON. It needs no network and is the same for the same lock file. Packages of some systems
only keep their condition as a property. The scripts that are shipped with Whorl are listed too.
"""

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
CONTAINER = ROOT / "requirements" / "container.txt"

# One package of a lock file: name, version, the condition under which it is installed, and its hashes.
_PACKAGE = re.compile(
    r"^([A-Za-z0-9._-]+)==([^\s;\\]+)(?: *; *([^\\\n]+?))?((?: *\\\n +--hash=sha256:[0-9a-f]{64})*) *$", re.M
)
_HASH = re.compile(r"sha256:([0-9a-f]{64})")

# Scripts that are part of the package: path, name, version, licence.
VENDORED = (("src/whorl/service/page/static/htmx.min.js", "htmx.org", "2.0.11", "0BSD"),)


def components(lock: str) -> list[dict[str, Any]]:
    """Return a component for each package of a lock file."""
    return [_component(*match.groups()) for match in _PACKAGE.finditer(lock)]


def _component(name: str, version: str, condition: str | None, hashes: str) -> dict[str, Any]:
    address = f"pkg:pypi/{name.lower().replace('_', '-')}@{version}"
    component: dict[str, Any] = {
        "type": "library", "bom-ref": address, "name": name, "version": version, "purl": address,
        # One for each file of the release: which one is installed depends on the system.
        "externalReferences": [{
            "type": "distribution", "url": address,
            "hashes": [{"alg": "SHA-256", "content": digest} for digest in _HASH.findall(hashes)],
        }],
    }  # fmt: skip
    if condition:
        component["properties"] = [{"name": "whorl:condition", "value": condition}]
    return component


def vendored() -> list[dict[str, Any]]:
    """Return a component for each script that is shipped with Whorl."""
    return [
        {
            "type": "library", "bom-ref": f"pkg:npm/{name}@{version}", "name": name, "version": version,
            "purl": f"pkg:npm/{name}@{version}", "licenses": [{"license": {"id": licence}}],
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256((ROOT / path).read_bytes()).hexdigest()}],
        }
        for path, name, version, licence in VENDORED
    ]  # fmt: skip


def bill(lock: Path) -> dict[str, Any]:
    """Return the bill of materials of a lock file."""
    version = re.search(r'^VERSION = "([^"]+)"', (ROOT / "src/whorl/_version.py").read_text("utf-8"), re.M)
    if version is None:
        raise SystemExit("src/whorl/_version.py has no version")
    whorl = {"type": "application", "bom-ref": "whorl", "name": "whorl", "version": version[1]}
    parts = [*components(lock.read_text("utf-8")), *vendored()]
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": whorl},
        "components": parts, "dependencies": [{"ref": "whorl", "dependsOn": [part["bom-ref"] for part in parts]}],
    }  # fmt: skip


def main() -> None:
    """Print the bill of a lock file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lock", nargs="?", type=Path, default=CONTAINER)
    json.dump(bill(parser.parse_args().lock), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
