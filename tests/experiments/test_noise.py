"""The experiment behind the presets, reduced: noise falls as k grows."""

from experiments.presets.noise import documents, sharing

import whorl


def test_longer_grams_are_shared_less():
    texts = documents(None)[:10]
    shares = [sharing(texts, whorl.Scheme(k=k, w=k)) for k in (10, 20, 50)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.9 > 0.6 > shares[1] > shares[2]


def test_a_folder_of_ones_own(tmp_path):
    for number in range(2):
        (tmp_path / f"{number}.txt").write_text("long enough " * 400)
    (tmp_path / "short.txt").write_text("short")
    assert len(documents(tmp_path)) == 2
