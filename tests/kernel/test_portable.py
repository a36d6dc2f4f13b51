"""The kernel's headers compute the same with vectors and without, on every machine."""

import shutil
import subprocess
from pathlib import Path

import pytest

import whorl.kernel

HEADERS = Path(whorl.kernel.__file__).parent
PROGRAM = Path(__file__).with_name("portable.c")

# Seen on 64-bit ARM (NEON), on x86-64 (SSE2, SSE4.1 and AVX2) and on big-endian S/390.
EXPECTED = "48e960ca3482a248"


def built(options, folder):
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "building Whorl needs a C compiler, and so does this test"
    binary = folder / "portable"
    return binary, subprocess.run([compiler, *options, f"-I{HEADERS}", "-o", binary, PROGRAM], capture_output=True)


@pytest.mark.parametrize(("options", "vectors"), [(["-O3"], None), (["-O3", "-DWHORL_SCALAR"], "0")])
def test_one_checksum_everywhere(tmp_path, options, vectors):
    binary, compiled = built(options, tmp_path)
    assert compiled.returncode == 0, compiled.stderr.decode()
    checksum, with_vectors = subprocess.run([binary], capture_output=True, text=True, check=True).stdout.split()
    assert checksum == EXPECTED
    assert vectors in (None, with_vectors)


def test_nothing_is_read_past_its_end(tmp_path):
    """Under the sanitisers, where the compiler brings them."""
    binary, compiled = built(["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"], tmp_path)
    if compiled.returncode:
        pytest.skip("this compiler comes without its sanitisers")
    result = subprocess.run([binary], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split()[0] == EXPECTED
