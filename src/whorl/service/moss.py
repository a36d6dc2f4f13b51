"""The protocol of the classic MOSS client: an upload becomes a comparison, and the answer is the URL of its report.

A session is one connection: lines of options, files, ``query``, one line as the answer, ``end``. The protocol has no
authentication: a user id is a plain number. docs/moss.md says what follows from that.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from ipaddress import ip_address, ip_network
from pathlib import Path, PurePosixPath

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from whorl.errors import WhorlError
from whorl.formats.detection import names as formats
from whorl.service.api.authentication import context_of
from whorl.service.context import Context
from whorl.service.job_requests import COMPARE, LOOK, ComparisonOptions, ResultResponse, job_report, refuse_when_full
from whorl.service.jobs import JobState, ServiceJob
from whorl.service.middleware import LOG, REPORT_POLICY
from whorl.service.naming import ReceivedFile, arrange, safe_parts
from whorl.service.problems import disk_full, is_disk_full, missing, problem_of
from whorl.service.settings import MEGABYTE

# Bytes of a line: a path of 20 folders with long names.
LINE = 4096

# Files of a session: a class of a thousand with ten files each.
FILES = 10_000

# Bytes that are read and written at a time.
BLOCK = 256 << 10

# Seconds and bytes that are still read after a refusal, so that the client receives the reason before the reset.
DRAIN_SECONDS, DRAIN_BYTES = 2.0, 4 * MEGABYTE

# The largest numbers that options are cut to: pairs of a report, and submissions that may share a passage.
MOST_PAIRS, MOST_SHARING = 10_000, 1000

# The client's names of languages that Whorl has under another name. None: the names of the files decide.
LANGUAGES: dict[str, str | None] = {
    "a8086": "assembly-8086", "ascii": "text", "cc": "cpp", "lisp": "common-lisp", "ml": None, "modula2": "modula-2",
    "vb": "visual-basic",
}  # fmt: skip

# The options of the client, under the names of the protocol, with their defaults.
OPTIONS = {"directory": 0, "X": 0, "maxmatches": 10, "show": 250}

router = APIRouter()


@router.get("/moss/{id_}/{path:path}")
def report(request: Request, id_: str, path: str) -> Response:
    """Return a page of a report. Its address is its only protection: it has 96 random bits."""
    context = context_of(request)
    job = context.jobs.get(id_)
    if job is None or "moss" not in job.settings:
        raise missing("The report")
    headers = {"Content-Security-Policy": REPORT_POLICY, "X-Robots-Tag": "noindex, nofollow"}
    return ResultResponse(job_report(context, job, path), headers=headers)


class _SessionError(Exception):
    """The session cannot go on; the client gets the message."""


@dataclass
class _MossUpload:
    """The upload of a client. ``fault`` is the first reason not to compare it."""

    id: str
    folder: Path
    user: str = ""
    language: str = ""
    comment: str = ""
    options: dict[str, int] = field(default_factory=lambda: dict(OPTIONS))
    files: list[ReceivedFile] = field(default_factory=list)
    bytes: int = 0
    fault: str = ""


class MossServer:
    """Listens for MOSS clients. ``pages`` is the address of the service's pages."""

    def __init__(self, context: Context, listener: socket.socket, pages: str) -> None:
        self._context, self._listener, self._pages = context, listener, pages
        self._networks = [ip_network(text) for text in context.settings.moss_networks]
        self._server: asyncio.Server | None = None
        self._sessions: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Start to listen."""
        self._server = await asyncio.start_server(self._connected, sock=self._listener, limit=LINE)

    async def close(self) -> None:
        """Stop to listen and end all sessions. Jobs go on at the next start."""
        if self._server is not None:
            self._server.close()
        for session in self._sessions:
            session.cancel()
        await asyncio.gather(*self._sessions, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        address = writer.get_extra_info("peername")[0]
        if task is None or not self._is_allowed(address):
            LOG.info("no MOSS client may connect from %s", address)
            writer.transport.abort()
            return
        self._sessions.add(task)
        try:
            await self._served(reader, writer, address)
        except ConnectionError:
            LOG.info("a MOSS client at %s has gone", address)
        except Exception:
            LOG.exception("a session of a MOSS client at %s", address)
        finally:
            self._sessions.discard(task)
            writer.transport.abort()

    def _is_allowed(self, address: str) -> bool:
        place = ip_address(address.partition("%")[0])
        mapped = getattr(place, "ipv4_mapped", None) or place
        return mapped.is_loopback or any(mapped in network for network in self._networks)

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: str) -> None:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        limit = self._context.settings.moss_connections
        try:
            if len(self._sessions) > limit:
                raise _SessionError(f"Too many sessions at once (the limit is {limit}). Try again later")
            line = await _Session(self._context, reader, writer, address).run()
        except _SessionError as error:
            line = f"Error: {str(error).rstrip('.')}."
        except WhorlError as error:
            line = f"Error: {problem_of(error).detail}"
        except OSError as error:
            if not is_disk_full(error):
                raise
            LOG.error("a MOSS client at %s: %s", address, error)
            line = f"Error: {disk_full().detail}"
        else:
            line = f"{self._pages}moss/{line}/"
        await _answer(reader, writer, line)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: str) -> None:
    """Send the last line of a session, and wait shortly for the client to close the connection."""
    writer.write(" ".join(line.split())[: LINE // 8].encode() + b"\n")
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            await writer.drain()
            _end(writer)
            left = DRAIN_BYTES
            while left > 0 and (block := await reader.read(BLOCK)):
                left -= len(block)


def _end(writer: asyncio.StreamWriter) -> None:
    """Say that no more comes. Raise ConnectionError if the client has gone: the system calls this another error."""
    try:
        if writer.can_write_eof():
            writer.write_eof()
    except OSError as error:
        raise ConnectionError(str(error)) from error


class _Session:
    """One client: reads its upload, submits the job, and waits for it."""

    def __init__(
        self, context: Context, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: str
    ) -> None:
        self._context, self._settings = context, context.settings
        self._reader, self._writer, self._address = reader, writer, address

    async def run(self) -> str:
        """Return the id of the finished job. Raise _SessionError, or a WhorlError, for the client to read."""
        self._context.check_room()
        id_ = await run_in_threadpool(refuse_when_full, self._context.jobs.prepare)
        try:
            upload = _MossUpload(id_, self._context.jobs.inputs(id_))
            await self._read(upload)
            job = await run_in_threadpool(self._submit, upload)
            return await self._finished(job)
        finally:
            await asyncio.shield(run_in_threadpool(self._context.jobs.discard, id_))

    async def _read(self, upload: _MossUpload) -> None:
        """Read everything up to the query."""
        async with _within(self._settings.head_seconds, "the first line"):
            first = await self._line()
        async with _within(self._settings.body_seconds, "the upload"):
            word, _, user = first.partition(" ")
            if word != "moss":
                raise _SessionError("this is no MOSS client: the first line must be 'moss USERID'")
            self._greet(upload, user.strip())
            while await self._command(upload, *(await self._line()).partition(" ")[::2]):
                pass

    def _greet(self, upload: _MossUpload, user: str) -> None:
        upload.user = user[:40]
        if self._settings.moss_users and user not in self._settings.moss_users:
            upload.fault = f"the user id {upload.user!a} is not allowed here"

    async def _command(self, upload: _MossUpload, word: str, rest: str) -> bool:
        """Obey one line; return whether more follow."""
        if word in OPTIONS:
            upload.options[word] = _number(word, rest.strip())
        elif word == "language":
            await self._language(upload, rest.strip())
        elif word == "file":
            await self._file(upload, rest)
        elif word == "query":
            upload.comment = rest.partition(" ")[2].strip()
            return False
        elif word == "end":
            raise _SessionError("the session ended before its query")
        else:
            raise _SessionError(f"{word[:40]!a} is no command of the protocol")
        return True

    async def _language(self, upload: _MossUpload, name: str) -> None:
        is_known = name in LANGUAGES or name in formats()
        upload.language = name
        if not is_known:
            upload.fault = upload.fault or f"the language {name[:40]!a} is unknown; 'whorl formats' lists all"
        self._writer.write(b"yes\n" if is_known else b"no\n")
        await self._writer.drain()

    async def _file(self, upload: _MossUpload, rest: str) -> None:
        """Receive a file: its number (0: starter code), language, size and name. After a fault, skip its content."""
        fields = rest.split(" ", 3)
        if len(fields) < 4:
            raise _SessionError("a file needs its number, language, size and name")
        number, size = _number("file", fields[0]), _number("size of a file", fields[2])
        self._count(upload, size)
        path = upload.folder / "uploads" / str(len(upload.files))
        try:
            file = ReceivedFile(path, _parts(fields[3]), number == 0)
            await run_in_threadpool(self._make_room, path.parent)
        except WhorlError as error:
            upload.fault = upload.fault or problem_of(error).detail
        if upload.fault:
            await self._content(None, size)
            return
        await self._content(path, size)
        upload.files.append(file)

    def _make_room(self, folder: Path) -> None:
        self._context.check_room()
        folder.mkdir(exist_ok=True)

    def _count(self, upload: _MossUpload, size: int) -> None:
        upload.bytes += size
        if upload.bytes > self._settings.max_batch:
            raise _SessionError(f"the files are larger than {self._settings.max_batch // MEGABYTE:,} MB together")
        if size > self._settings.max_upload:
            upload.fault = upload.fault or f"a file is larger than {self._settings.max_upload // MEGABYTE:,} MB"
        if len(upload.files) >= FILES:
            raise _SessionError(f"there are more than {FILES:,} files")

    async def _content(self, path: Path | None, size: int) -> None:
        blocks = bytearray()
        while size:
            block = await self._reader.read(min(BLOCK, size))
            if not block:
                raise _SessionError("the connection ended inside a file")
            size -= len(block)
            if path is not None:
                blocks += block
                if len(blocks) >= BLOCK:
                    await run_in_threadpool(_append, path, bytes(blocks))
                    blocks.clear()
        if path is not None:
            await run_in_threadpool(_append, path, bytes(blocks))

    async def _line(self) -> str:
        try:
            line = await self._reader.readuntil(b"\n")
        except asyncio.LimitOverrunError:
            raise _SessionError(f"a line is longer than {LINE:,} bytes") from None
        except asyncio.IncompleteReadError:
            raise _SessionError("the connection ended before the query") from None
        return line.decode("utf-8", "replace").rstrip("\r\n")

    def _submit(self, upload: _MossUpload) -> ServiceJob:
        """Arrange the files as submissions and queue their comparison."""
        if upload.fault:
            self._context.audit.note(None, None, "moss", "", "refused", self._address, upload.fault)
            raise _SessionError(upload.fault)
        names = arrange(upload.files, upload.folder, by_folder=upload.options["directory"] > 0)
        if len(names) < 2:
            what = "folders" if upload.options["directory"] else "files"
            raise _SessionError(f"there are fewer than two {what} to compare")
        job = refuse_when_full(lambda: self._context.jobs.submit(COMPARE, None, None, _job_settings(upload), upload.id))
        detail = f"user {upload.user}, {len(upload.files):,} files"
        self._context.audit.note(None, None, "moss", job.id, "done", self._address, detail)
        return job

    async def _finished(self, job: ServiceJob) -> str:
        """Wait until the job is over. If the client goes away, cancel it: nobody would know the address."""
        gone = asyncio.create_task(_until_end(self._reader))
        try:
            while not job.state.is_over:
                await asyncio.wait([gone], timeout=LOOK)
                if gone.done():
                    await run_in_threadpool(self._context.jobs.cancel, job.id)
                job = await run_in_threadpool(self._state, job)
        finally:
            gone.cancel()
        if job.state is not JobState.DONE:
            raise _SessionError(f"the comparison has no result: {job.message or job.state.value}")
        return job.id

    def _state(self, job: ServiceJob) -> ServiceJob:
        now = self._context.jobs.get(job.id)
        if now is None:
            raise _SessionError("the comparison was deleted")
        return now


@asynccontextmanager
async def _within(seconds: float, what: str) -> AsyncIterator[None]:
    """Limit the time of what the block receives; tell the client if it is over."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise _SessionError(f"{what} took longer than {seconds:g} seconds") from None


async def _until_end(reader: asyncio.StreamReader) -> None:
    """Return when the connection ends. A client that talks on is not heard."""
    while await reader.read(LINE):
        pass


def _append(path: Path, block: bytes) -> None:
    with path.open("ab") as file:
        file.write(block)


def _number(what: str, text: str) -> int:
    """Return a number of the protocol: digits, at most a billion."""
    if not text.isascii() or not text.isdigit() or len(text) > 10:
        raise _SessionError(f"{what}: {text[:40]!a} is not a number that can be used")
    return int(text)


def _parts(name: str) -> tuple[str, ...]:
    """Return the parts of a client's path, without those that lead elsewhere."""
    parts = PurePosixPath(name.strip().replace("\\", "/")).parts
    return safe_parts("/".join(part for part in parts if part not in ("/", "//", ".", "..")) or "..")


def _job_settings(upload: _MossUpload) -> dict[str, object]:
    language = LANGUAGES.get(upload.language, upload.language) if upload.language else None
    options = ComparisonOptions(
        scheme="text" if language == "text" else "code",
        limit=min(max(1, upload.options["show"]), MOST_PAIRS),
        format=language,
        title=upload.comment[:200] or None,
    )
    share = min(max(2, upload.options["maxmatches"]), MOST_SHARING)
    return {**asdict(options), "max_share": share, "layout": "none", "moss": upload.user}
