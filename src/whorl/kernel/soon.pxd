# What loops over places that lie far apart take from their C header.
cdef extern from "soon.h" nogil:
    void whorl_soon(const void*)
