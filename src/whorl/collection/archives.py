"""Which reader an archive gets."""

from functools import partial
from typing import Any, BinaryIO

from whorl.collection import kinds
from whorl.collection.budget import Budget
from whorl.collection.faults import RefusedError, damage, reason
from whorl.collection.kinds import Kind
from whorl.collection.members import Archive
from whorl.collection.tars import TarArchive
from whorl.collection.unpack import unpack
from whorl.collection.zips import ZipArchive


def archive(file: BinaryIO, size: int, kind: Kind, name: str, budget: Budget) -> Archive[Any]:
    """The archive in an open file; ``RefusedError`` if what is compressed is no archive."""
    if kind.what == "zip":
        return ZipArchive(file, size, budget)
    if kind.is_packed and not kinds.named_archive(name):
        _check_tar(file, kind)
    return TarArchive(partial(unpack, file, kind.what), budget)


def _check_tar(file: BinaryIO, kind: Kind) -> None:
    """A compressed file that does not say so by its name may hold anything."""
    try:
        block = unpack(file, kind.what).read(512)
    except damage() as error:
        raise RefusedError(f"damaged: {reason(error)}") from error
    if not kinds.is_tar_header(block):
        raise RefusedError(f"binary: compressed by {kind.what}, and no tar archive; unpack it")
