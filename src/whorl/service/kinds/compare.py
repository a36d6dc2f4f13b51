"""A comparison: uploads in, the JSON of ``whorl compare`` and a report out.

Uploads are files or archives in ``submissions/``, ``base/`` and ``archive/``. Archives are read where they are, within
the budgets of ``whorl.collection``: nothing of them is extracted to disk.
"""

import json
import zipfile
from pathlib import Path
from typing import Any

from whorl.comparison.compare_all import compare_all
from whorl.comparison.export import as_json
from whorl.comparison.result import Comparison
from whorl.errors import InputError
from whorl.report.write import write
from whorl.service.task import Task

# Settings of a job → those of a comparison.
SETTINGS = {
    "threshold": "threshold",
    "measure": "measure",
    "limit": "limit",
    "cluster": "cluster",
    "max_share": "max_share",
    "anonymous": "anonymise",
    "format": "format",
}

# A title that tells nothing of anybody.
TITLE = "Comparison of submissions"

# What archives of reports are dated: the same report is the same file. The first day that a zip file can name.
_DATE = (1980, 1, 1, 0, 0, 0)


def run(task: Task) -> dict[str, Any]:
    """Compare, and write ``comparison.json``, ``report/`` and ``report.zip``."""
    given = {theirs: task.settings[ours] for ours, theirs in SETTINGS.items() if task.settings.get(ours) is not None}
    scheme = task.settings.get("scheme")
    found = compare_all(
        _submissions(task.inputs / "submissions"),
        None if scheme in (None, "auto") else scheme,
        base=_children(task.inputs / "base"),
        archive=_children(task.inputs / "archive"),
        progress=task.progress,
        **given,
    )
    _write(found, task)
    return {
        "submissions": len(found.submissions), "pairs": len(found.pairs), "omitted": found.omitted,
        "skipped": len(found.skipped), "clusters": len(found.clusters),
    }  # fmt: skip


def _submissions(folder: Path) -> list[Path]:
    """What is compared: the one archive or folder that was uploaded, each child of which is a submission, or all
    uploads, each of which is one."""
    uploads = _children(folder)
    if not uploads:
        raise InputError("nothing to compare: upload the submissions, as files or as one archive")
    return uploads if len(uploads) == 1 else [folder]


def _children(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _write(found: Comparison, task: Task) -> None:
    (task.results / "comparison.json").write_text(json.dumps(as_json(found)), "utf-8")
    report, pairs = task.results / "report", len(found.pairs)
    title = task.settings.get("title") or TITLE
    write(found, report, title=title, progress=lambda done: task.progress("report", done, pairs))
    task.progress("packing", 0, None)
    _pack(report, task.results / "report.zip")


def _pack(folder: Path, target: Path) -> None:
    """A folder as an archive, below a folder of its own name."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            info = zipfile.ZipInfo(f"{folder.name}/{path.relative_to(folder).as_posix()}", _DATE)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, path.read_bytes())
