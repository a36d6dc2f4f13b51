"""datatrove: the first three stages of its pipeline for deduplication with its own settings (five words, 14 buckets of
eight hashes: a threshold of about 0.72). The clusters are read from what the third stage writes."""

import json
import struct
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from benchmarks.clusters_peers import rows


def stages(source: Path, home: Path) -> None:
    """Signatures, buckets, clusters; one task after the other."""
    dedup = import_module("datatrove.pipeline.dedup.minhash")
    reader = import_module("datatrove.pipeline.readers").JsonlReader
    executor = import_module("datatrove.executor").LocalPipelineExecutor
    config = dedup.MinhashConfig()
    signatures, buckets, clusters = (str(home / name) for name in ("signatures", "buckets", "clusters"))
    read = reader(str(source.parent), glob_pattern=source.name)
    first = [read, dedup.MinhashDedupSignature(output_folder=signatures, config=config)]
    second = [dedup.MinhashDedupBuckets(input_folder=signatures, output_folder=buckets, config=config)]
    third = [
        dedup.MinhashDedupCluster(input_folder=buckets, output_folder=clusters, config=config, save_cluster_id=True)
    ]
    for number, (stage, tasks) in enumerate(((first, 1), (second, config.num_buckets), (third, 1))):
        executor(pipeline=stage, tasks=tasks, workers=1, logging_dir=str(home / f"log{number}")).run()


def main() -> None:
    """Run the stages, then read the clusters: pairs of a document's number and its cluster's."""
    source, _, out = sys.argv[1:]
    ids, _ = rows.texts(source)
    roots = [-1 - number for number in range(len(ids))]
    with tempfile.TemporaryDirectory() as home:
        stages(Path(source), Path(home))
        for file in Path(home, "clusters").glob("*.clusters"):
            for document, cluster in struct.iter_unpack("<II", file.read_bytes()):
                roots[document] = cluster
    Path(out).write_text(json.dumps(rows.clusters(ids, roots)), "utf-8")


if __name__ == "__main__":
    main()
