"""Heintze 1996: how a registry fares with related documents, with noise and with attackers."""
