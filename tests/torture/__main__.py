"""Torture stores: ``python -m tests.torture [--seconds 60 | --turns 9] [--seed 1] [--only CAMPAIGN] [--kind KIND]``.

It starts itself anew with the shim under the C library. SIGTERM ends it early with what was counted so far. The exit
code is 1 if anything was lost.
"""

import argparse
import json
import os
import random
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.torture import shim

MEMORY = "/dev/shm"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--turns", type=int, default=0, help="so many of each kind, however long they take")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="one campaign: kills, power cuts, failing calls, flips, interrupts")
    parser.add_argument("--kind", default="", help="one kind of store")
    given = parser.parse_args()
    if str(shim.built()) not in os.environ.get("LD_PRELOAD", ""):
        os.execve(sys.executable, [sys.executable, "-m", "tests.torture", *sys.argv[1:]], shim.environment())
    # Forked children inherit no thread, so none may be started before.
    os.environ.update(OPENBLAS_NUM_THREADS="1", ARROW_NUM_THREADS="1")
    from tests.torture import campaigns
    from tests.torture.cleanings import Cleanings
    from tests.torture.clusterings import Clusterings
    from tests.torture.stores import KINDS, Sandboxes

    draw, faults, stop = random.Random(given.seed), 0, campaigns.Stop()
    # In memory if there is room: what a process told the system outlives it there, too, and power cuts are replayed.
    where = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="whorl-torture-", dir=where) as folder:
        base = Path(folder)
        clustering, cleaning = Clusterings(base / "clusterings"), Cleanings(base / "cleanings")
        campaigns.silent(clustering.prepare)
        campaigns.silent(cleaning.prepare)
        plan = [
            (name, kind, work)
            for name, work, kinds in (
                ("kills", campaigns.kills, KINDS),
                ("kills", partial(campaigns.kills, writers=1), (clustering, cleaning)),
                ("power cuts", campaigns.power_cuts, (*KINDS, clustering, cleaning)),
                ("failing calls", campaigns.failures, (*KINDS, clustering, cleaning)),
                ("flips", campaigns.flips, (*KINDS, clustering)),
                ("interrupts", campaigns.interrupts, (*KINDS, Sandboxes())),
            )
            for kind in kinds
            if given.only in ("", name) and given.kind in ("", kind.name)
        ]
        for kind in {kind.name: kind for _, kind, _ in plan}.values():
            campaigns.silent(partial(campaigns.warm_up, kind, base))
        for name, kind, work in plan:
            turns = range(given.turns) if given.turns else campaigns.lasting(given.seconds / len(plan))
            report = campaigns.silent(partial(work, kind, base, stop.before(turns), draw))
            faults += len(report.faults)
            shown = {"campaign": name, "store": kind.name, **report.counts, "faults": len(report.faults)}
            print(json.dumps(shown), *report.faults[:3], sep="\n  ", flush=True)
            if stop.is_asked:
                break
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
