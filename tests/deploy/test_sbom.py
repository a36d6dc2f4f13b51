"""The bill of materials: every package of a lock file, and nothing that the lock file does not have."""

import hashlib
import re

import pytest
from tools.make_sbom import CONTAINER, ROOT, VENDORED, bill, components


@pytest.mark.parametrize("name", ["container.txt", "plain.txt", "development.txt", "build.txt"])
def test_every_package_of_a_lock_file_is_listed_once_with_all_its_hashes(name) -> None:
    lock = (ROOT / "requirements" / name).read_text("utf-8")
    parts = components(lock)
    pinned = re.findall(r"^([A-Za-z0-9._-]+)==", lock, re.MULTILINE)
    assert [part["name"] for part in parts] == pinned
    hashes = [each["content"] for part in parts for each in part["externalReferences"][0]["hashes"]]
    assert hashes == re.findall(r"--hash=sha256:([0-9a-f]{64})", lock)
    assert all(part["externalReferences"][0]["hashes"] for part in parts)


def test_conditions_are_kept() -> None:
    lock = f"a==1.0 ; sys_platform == 'win32' \\\n    --hash=sha256:{'0' * 64}\n"
    (part,) = components(lock)
    assert part["properties"] == [{"name": "whorl:condition", "value": "sys_platform == 'win32'"}]
    assert (part["purl"], part["version"]) == ("pkg:pypi/a@1.0", "1.0")


def test_the_bill_is_cyclonedx_and_refers_to_its_parts() -> None:
    result = bill(CONTAINER)
    assert (result["bomFormat"], result["specVersion"]) == ("CycloneDX", "1.6")
    references = [part["bom-ref"] for part in result["components"]]
    assert len(set(references)) == len(references)
    assert result["dependencies"] == [{"ref": result["metadata"]["component"]["bom-ref"], "dependsOn": references}]


def test_shipped_scripts_are_listed_with_the_hash_of_their_file() -> None:
    listed = {part["name"]: part for part in bill(CONTAINER)["components"]}
    for path, name, version, _ in VENDORED:
        digest = hashlib.sha256((ROOT / path).read_bytes()).hexdigest()
        assert listed[name]["hashes"] == [{"alg": "SHA-256", "content": digest}]
        assert f"{name.removesuffix('.org')} {version}" in (ROOT / "docs" / "dependencies.md").read_text("utf-8")
