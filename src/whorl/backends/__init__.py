"""Where a clustering runs: ``local`` on this machine, ``spark`` on many. The steps are ``whorl.clustering``'s."""
