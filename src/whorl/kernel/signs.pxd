# Classes of code points, as patterns of Python's ``re`` have them: \w, \d and \s.
from libc.stdint cimport int32_t, uint32_t

cdef extern from "<Python.h>" nogil:
    bint Py_UNICODE_ISALNUM(Py_UCS4 code)
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 code)
    bint Py_UNICODE_ISSPACE(Py_UCS4 code)

cdef inline bint is_capital(uint32_t code) noexcept nogil:
    return c"A" <= code <= c"Z"

cdef inline bint is_digit(uint32_t code) noexcept nogil:
    return c"0" <= code <= c"9"

cdef inline bint is_word(uint32_t code) noexcept nogil:
    if code < 128:
        return c"a" <= (code | 0x20) <= c"z" or is_digit(code) or code == c"_"
    return Py_UNICODE_ISALNUM(code)

cdef inline bint is_decimal(uint32_t code) noexcept nogil:
    return is_digit(code) if code < 128 else Py_UNICODE_ISDECIMAL(code)

cdef inline bint is_space(uint32_t code) noexcept nogil:
    return Py_UNICODE_ISSPACE(code)

ctypedef const uint32_t* codes_t

# The code points of a program, and the marks of its comments: rows of ROOM bytes, half of them for the beginning and
# half for the end, which is empty if the comment ends with its line. ``begins`` flags what a lexeme may begin with.
cdef enum:
    ROOM = 8
    HALF = 4

cdef struct Program:
    codes_t codes
    Py_ssize_t n
    const unsigned char* marks
    Py_ssize_t mark_count
    bint has_star
    unsigned char begins[128]

# Where the last word of each slot begins in what is written; -1 if there is none.
cdef enum:
    SLOTS = 1024

cdef struct Recent:
    int32_t starts[SLOTS]
