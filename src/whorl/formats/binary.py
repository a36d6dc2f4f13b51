"""Detect binary files by their first bytes."""

import codecs

# Magic bytes that a text file has by accident only if a person planted them. Short ones (BM, MZ) are left to the NUL
# that always follows.
MAGIC = {
    b"\x89PNG\r\n": "a PNG image",
    b"GIF87a": "a GIF image",
    b"GIF89a": "a GIF image",
    b"\xff\xd8\xff": "a JPEG image",
    b"II*\x00": "a TIFF image",
    b"MM\x00*": "a TIFF image",
    b"\x7fELF": "an executable",
    b"\xca\xfe\xba\xbe": "a Java class or an executable",
    b"\xfe\xed\xfa": "an executable",
    b"\xce\xfa\xed\xfe": "an executable",
    b"\xcf\xfa\xed\xfe": "an executable",
    b"\x00asm": "WebAssembly",
    b"SQLite format 3\x00": "a database",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an office file with a password or from before 2007; save it as DOCX or PPTX",
    b"PK\x03\x04": "a zip archive",
    b"PK\x05\x06": "an empty zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"\xfd7zXZ\x00": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"\x04\x22\x4d\x18": "an lz4 file; unpack it, or pack it with gzip or zstd",
    b"LZIP\x01": "an lzip file; unpack it, or pack it with gzip or zstd",
    b"\x1f\x9d": "a file of compress; unpack it, or pack it with gzip or zstd",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive; repack it as zip or tar",
    b"Rar!\x1a\x07": "a RAR archive; repack it as zip or tar",
    b"\xf7\x02\x01\x83\x92\xc0": "a DVI file; convert it to PDF",
    b"ID3\x02": "sound",
    b"ID3\x03": "sound",
    b"ID3\x04": "sound",
    b"OggS\x00": "sound or video",
    b"fLaC\x00": "sound",
    b"wOFF\x00": "a font",
    b"wOF2\x00": "a font",
    b"\x00\x05\x16\x07": "what macOS notes about a file",
}
_PREFIXES = tuple(MAGIC)
_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

# A text that somebody spoiled has a few NUL bytes among a hundred others; in a table of numbers there are more.
SPOILED = 100


# Control characters that no text has.
_CONTROLS = bytes(set(range(0x20)) - {*b"\a\b\t\n\v\f\r\x1b"})


def is_clean(head: bytes) -> bool:
    """Return whether bytes are text without any doubt: UTF-8, perhaps cut off, without control characters."""
    if len(head.translate(None, _CONTROLS)) < len(head):
        return False
    if head.isascii():
        return True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def binary(head: bytes, *, is_program: bool = False) -> str:
    """Return the kind of binary file that begins with these bytes; "" if it may be text. A file named as a program may
    hold any number of NUL bytes if the rest is clean text: compilers skip them."""
    if is_program and b"\0" in head and is_clean(head.replace(b"\0", b"")):
        return ""
    if head.startswith(_PREFIXES) and not is_clean(head):
        return next(meaning for magic, meaning in MAGIC.items() if head.startswith(magic))
    return "it has NUL bytes" if b"\0" in head and not _is_text(head) else ""


def _is_text(head: bytes) -> bool:
    """Return whether text can have these NUL bytes: in UTF-16 nearly every second byte is one, on one side of the
    pairs."""
    if head.startswith(_MARKS) or head.count(0) * SPOILED <= len(head):
        return True
    fewer, more = sorted((head[::2].count(0), head[1::2].count(0)))
    return more * 10 >= len(head) * 4 and fewer * SPOILED <= len(head)
