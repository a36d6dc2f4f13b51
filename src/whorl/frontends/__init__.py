"""Front-ends turn one format's bytes into text and a stream: all that Whorl knows of formats lives here.

Which front-ends there are, and by which names they are called, is the catalog's matter (``whorl.catalog``).
"""
