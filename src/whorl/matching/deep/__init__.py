"""The deep pass for prose: passages whose words were replaced, dropped, added or put in another order.

``likeness`` is the entrance and reads as the steps. Why so: docs/decisions/0018-deep-prose.md.
"""
