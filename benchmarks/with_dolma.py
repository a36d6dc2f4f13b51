"""Dolma's Bloom filter on repeated passages: ``python benchmarks/with_dolma.py FOLDER TOKENS``, in its own environment.

FOLDER/documents has the texts. Its wrapper in Python asks for packages that are not needed to deduplicate, so the
compiled module is called as the wrapper calls it. A paragraph is marked if one of its windows was seen before.
"""

import json
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from sysconfig import get_path

# Windows that the filter is made for, and its share of false answers.
WINDOWS, FALSE = 20_000_000, 1e-4


def main(folder: Path, tokens: int) -> None:
    """Mark the paragraphs with repeated windows."""
    spec = spec_from_file_location("dolma.dolma", Path(get_path("platlib"), f"dolma/dolma{EXTENSION_SUFFIXES[0]}"))
    if spec is None or spec.loader is None:
        raise SystemExit("dolma has no compiled module")
    compiled = module_from_spec(spec)
    spec.loader.exec_module(compiled)
    for name in ("in", "out"):
        (folder / name).mkdir(exist_ok=True)
    windows = {"ngram_length": tokens, "stride": 1, "overlap_threshold": 0.01, "skip_short_paragraphs": False}
    settings = {
        "documents": [f"{folder}/documents/*.gz"],
        "work_dir": {"input": f"{folder}/in", "output": f"{folder}/out"},
        "dedupe": {
            "name": "repeats",
            "paragraphs": {"attribute_name": "repeated", "by_ngram": windows},
            "skip_empty": True,
        },
        "bloom_filter": {
            "file": f"{folder}/bloom",
            "read_only": False,
            "size_in_bytes": 0,
            "estimated_doc_count": WINDOWS,
            "desired_false_positive_rate": FALSE,
        },
        "processes": 1,
        "dryrun": False,
    }
    compiled.deduper_entrypoint(json.dumps(settings))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
