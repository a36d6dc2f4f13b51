"""The thread that queues maintenance jobs goes on after a failure, and says so."""

import logging
from datetime import datetime, timedelta

import pytest

from tests.service.harness import settings_in
from tests.service.stage import until
from whorl.errors import WhorlError
from whorl.service.context import Context
from whorl.service.retention import LOG


@pytest.mark.parametrize("error", [OverflowError("date value out of range"), WhorlError("the disk is full")])
def test_upkeep_goes_on_after_any_failure(tmp_path, monkeypatch, caplog, error) -> None:
    context = Context(settings_in(tmp_path, upkeep_seconds=0.01))
    try:
        context.receipts.requested(7, "a", "acme", timedelta(0))
        prune = context.audit.prune

        def failing():
            monkeypatch.setattr(context.audit, "prune", prune)
            monkeypatch.setattr(context.receipts, "due", due)
            raise error

        def due(moment):
            asked.append(moment)
            return []

        asked: list[datetime] = []
        monkeypatch.setattr(context.audit, "prune", failing)
        with caplog.at_level(logging.ERROR, LOG.name):
            context.upkeep.start()
            until(lambda: len(asked) > 2)
        assert "upkeep failed" in caplog.text
        assert str(error) in caplog.text
        assert [job.kind for job in context.jobs.listed(None)] == ["purge"]
    finally:
        context.close()
