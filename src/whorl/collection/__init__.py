"""Collections: the documents inside folders and archives. ``walk`` gives them one by one; nothing is put on the disk.

``walk`` and ``children`` are the entrance. ``rules`` says what is taken and what an archive may cost, ``sift`` applies
it to any tree of names: ``folder`` is one on the disk, ``contents`` one in an archive, read by ``zips`` or ``tars``.
"""
