"""Front-ends turn one format's bytes into text and a stream of symbols. All knowledge of formats is here.

``whorl.catalog`` lists the front-ends by name.
"""
