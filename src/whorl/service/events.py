"""How far a job is, told as it goes on: server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool

from whorl.service import tasks
from whorl.service.desk import Desk
from whorl.service.jobs import Job
from whorl.service.principal import Principal

MEDIA = "text/event-stream"

# Seconds between two looks at the job, and after which a silent stream says that it is alive: proxies end idle ones.
LOOK, ALIVE = 0.5, 15.0


async def follow(desk: Desk, principal: Principal, id_: str) -> AsyncIterator[bytes]:
    """The events of a job. A problem comes now, and not when the answer has begun."""
    await run_in_threadpool(tasks.get, desk, principal, id_)
    desk.streams.check()
    return _stream(desk, principal, id_)


async def _stream(desk: Desk, principal: Principal, id_: str) -> AsyncIterator[bytes]:
    """``progress`` whenever something changed, and ``end`` with the last state. One that lasts too long just ends:
    browsers ask again."""
    loop = asyncio.get_running_loop()
    until, silent, last = loop.time() + desk.settings.stream_seconds, loop.time() + ALIVE, ""
    with desk.streams.one() as is_open:
        while is_open and loop.time() < until:
            job = await run_in_threadpool(tasks.get, desk, principal, id_)
            told = json.dumps(state(job))
            if job.state.is_over:
                yield _event("end", told)
                return
            if told != last or loop.time() >= silent:
                yield _event("progress", told) if told != last else b": still here\n\n"
                last, silent = told, loop.time() + ALIVE
            await asyncio.sleep(LOOK)


def state(job: Job) -> dict[str, Any]:
    """What an event tells of a job."""
    told = {"id": job.id, "state": job.state.value, "step": job.step, "done": job.done, "total": job.total}
    return {**told, "message": job.message, "result": job.result}


def _event(name: str, data: str) -> bytes:
    return f"event: {name}\ndata: {data}\n\n".encode()
