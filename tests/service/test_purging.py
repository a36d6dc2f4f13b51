"""From a deletion to its proof, by a server that looks often."""

import time

from tests.service.harness import PATIENCE, prose, running, settings_in


def test_what_was_deleted_is_purged_and_proved_while_searches_go_on(tmp_path) -> None:
    settings = settings_in(tmp_path, purge_within=0.0, upkeep_seconds=0.1)
    with running(settings) as service, service.client(service.acme) as acme:
        secret = prose(1000)
        numbers = [
            acme.post("/documents", json={"name": f"a-{place}", "text": text}).json()["document"]["id"]
            for place, text in enumerate((secret, prose(1001)))
        ]
        acme.delete(f"/documents/{numbers[0]}")
        until = time.monotonic() + PATIENCE
        while (receipt := acme.get(f"/receipts/{numbers[0]}").json())["purged"] is None:
            assert time.monotonic() < until
            assert acme.post("/search", json={"text": prose(1001)}).json()["hits"][0]["document"]["id"] == numbers[1]
            time.sleep(0.05)
        assert receipt["evidence"]["clean"] is True
        assert receipt["evidence"]["samples"] > 0
        assert acme.post("/search", json={"text": secret}).json()["hits"] == []
        assert acme.get(f"/documents/{numbers[1]}/text").text == prose(1001)
