"""Spark, by the suite of all backends; and what it does in its own way."""

import pytest

from tests.conformance.backend import SCHEME, BackendConformance, corpus, same
from whorl.backends.local import cluster as reference
from whorl.corpus.records import Columns

pa = pytest.importorskip("pyarrow")


def frame(spark, rows):
    """Rows as a DataFrame, in their order."""
    return spark.createDataFrame(pa.Table.from_pylist(rows))


class TestSpark(BackendConformance):
    @pytest.fixture(autouse=True)
    def place(self, spark, tmp_path_factory):
        self.spark, self.folder = spark, tmp_path_factory.getbasetemp() / "stages"

    def clustered(self, rows, scheme=SCHEME, **settings):
        from whorl.backends.spark import cluster

        columns = Columns(features="features" if "features" in rows[0] else None)
        if rows[0].get("text", "") is None and len(rows) == 1:
            given = self.spark.createDataFrame([("a", None)], "id string, text string")
        else:
            given = frame(self.spark, rows)
        # The same corpus is read once for all policies.
        found = cluster(
            given, scheme, folder=str(self.folder), corpus=str(hash(str(rows))), columns=columns, **settings
        )
        return found.collected(), found.all_faults()
