"""This machine, by the suite of all backends."""

from tests.conformance.backend import SCHEME, BackendConformance
from tests.spark.reference import cluster
from whorl.formats.corpora.records import Columns


class TestLocal(BackendConformance):
    def clustered(self, rows, scheme=SCHEME, **settings):
        return cluster(
            rows, scheme, columns=Columns(features="features" if "features" in rows[0] else None), **settings
        )
