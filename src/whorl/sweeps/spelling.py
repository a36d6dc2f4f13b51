"""Other spellings of an address: what somebody may have meant who asked for one that no sweep saw."""

from collections.abc import Iterator
from urllib.parse import SplitResult, urlsplit

_OTHER = {"http": "https", "https": "http"}


def spellings(url: str) -> Iterator[str]:
    """The address with the other scheme, with or without the last slash, ``www.`` and a fragment, in small letters, and
    several of these at once; the nearest first, the address itself not."""
    seen = {url}
    try:
        start = urlsplit(url)
    except ValueError:  # such as http://[
        return
    for fragment in (start, start._replace(fragment="")):
        for scheme in _schemes(fragment):
            for host in _hosts(scheme):
                for path in _paths(host):
                    for found in (path.geturl(), path.geturl().lower()):
                        if found and found not in seen:
                            seen.add(found)
                            yield found


def _schemes(url: SplitResult) -> Iterator[SplitResult]:
    yield url
    if url.scheme in _OTHER:
        yield url._replace(scheme=_OTHER[url.scheme])
    elif not url.scheme and "." in url.path.partition("/")[0]:
        host, slash, path = url.path.partition("/")
        yield url._replace(scheme="https", netloc=host, path=slash + path)
        yield url._replace(scheme="http", netloc=host, path=slash + path)


def _hosts(url: SplitResult) -> Iterator[SplitResult]:
    yield url
    if url.netloc:
        host = url.netloc
        yield url._replace(netloc=host.removeprefix("www.") if host.startswith("www.") else f"www.{host}")


def _paths(url: SplitResult) -> Iterator[SplitResult]:
    yield url
    yield url._replace(path=url.path[:-1] if url.path.endswith("/") else f"{url.path}/")
