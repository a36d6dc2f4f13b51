"""Collections: the documents inside folders and archives. Nothing is unpacked to disk.

Start at ``walk``. ``rules`` holds the options and limits; ``selection`` applies them to a tree of names, which is a
folder on disk or the contents of an archive, read by ``zips`` or ``tars``.
"""
