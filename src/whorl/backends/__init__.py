"""Where a clustering runs: ``local`` on this machine, ``spark`` on many. The steps are those of ``whorl.clustering``."""
