"""Score pairs with compare50: ``compare50_scores.py REQUEST ANSWER``, run by the interpreter that has it installed.

Its command ranks by the first of its passes, the structure of programs. For prose the pass for text is asked instead.
"""

import json
import sys
from importlib import import_module
from pathlib import Path

compare50 = import_module("compare50")
passes = import_module("compare50.passes")

# More pairs than there are: the best of them all are asked for.
ALL_PAIRS = 10**9


def main(request: Path, answer: Path) -> None:
    """Write ``[left, right, score]`` of each pair of files that share something."""
    asked = json.loads(request.read_text("utf-8"))
    chosen = passes.text if asked["prose"] else passes.structure
    preprocessor = compare50._data.Preprocessor(chosen.preprocessors)
    new = [compare50.Submission(path, [path], preprocessor=preprocessor) for path in asked["new"]]
    archive = [
        compare50.Submission(path, [path], preprocessor=preprocessor, is_archive=True) for path in asked["archive"]
    ]
    base = [compare50.Submission(path, [path], preprocessor=preprocessor) for path in asked["base"]]
    ignored = {file for submission in base for file in submission.files}
    scores = compare50.rank(new, archive, ignored, chosen, n=ALL_PAIRS)
    pairs = [(str(each.sub_a.path), str(each.sub_b.path), float(each.score)) for each in scores]
    answer.write_text(json.dumps(pairs), "utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
