"""The scale benchmark's arithmetic, and its place in a document. What it measures is not tested."""

import json

import pytest
from benchmarks.scale import BEGIN, END, PAPER_DOCUMENTS, Phase, Run, derivation, load, put, table

PHASES = (Phase("sketching", 5.0, 8.0, 10_000, 10**7), Phase("sorting", 1.0, 1.0, 10**6, 10**6),
          Phase("writing", 0.5, 0.5, 10_000, 0))  # fmt: skip


def run(pages, cpu, phases=()):
    return Run(pages, 500 * pages, 3000 * pages, 0.5, cpu, cpu / 2, 10**8 + 50 * pages, 10, 30, 40, phases)


def order(pages):
    return pages * (len(str(pages)) - 1)  # n log n of powers of ten, by a constant


def test_a_cost_of_n_log_n_is_off_by_nothing():
    result = table([run(pages, 0.5 + 1e-4 * order(pages)) for pages in (10**4, 10**5, 10**6)])
    assert result.count("| +0% |") == 3


def test_a_size_that_is_off_is_reported():
    result = table([run(10**4, 0.5 + 1e-4 * order(10**4)), run(10**5, 0.5 + 4e-4 * order(10**5))])
    assert "| -50% |" in result
    assert "| +100% |" in result


def test_the_paper_is_the_largest_size_times_documents_and_logarithms():
    result = derivation([run(10**6, 0.5 + 100.0)])
    hours = 100 / 10**6 * PAPER_DOCUMENTS * 7.4771 / 6 / 3600
    assert f"**{hours:,.1f} CPU hours" in result
    assert "120 GB" in result


def test_phases_stand_beside_the_papers():
    result = derivation([run(10**5, 5.0, PHASES), run(10**6, 10.0, PHASES)])
    rows = [line for line in result.splitlines() if line.startswith("| sorting")]
    assert rows[0].startswith("| sorting | Shingle Merging | 1.7 |")
    assert "| writing |  |  |" in result
    assert "50 bytes more for each document" in result
    assert "11 bytes a document over all phases" in result


def test_figures_are_put_between_the_marks_and_again(tmp_path):
    page = tmp_path / "scale.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    put(page, "new")
    put(page, "newer")
    assert page.read_text() == f"before\n{BEGIN}\n\nnewer\n\n{END}\nafter\n"


def test_a_page_without_marks_is_left_alone(tmp_path):
    page = tmp_path / "scale.md"
    page.write_text("nothing")
    with pytest.raises(SystemExit, match="marks"):
        put(page, "new")
    assert page.read_text() == "nothing"


def test_runs_are_kept(tmp_path):
    from dataclasses import asdict

    kept = run(100, 1.0, PHASES)
    (tmp_path / "runs.json").write_text(json.dumps([asdict(kept)]))
    assert load(tmp_path / "runs.json") == {100: kept}
    assert load(tmp_path / "none.json") == {}
