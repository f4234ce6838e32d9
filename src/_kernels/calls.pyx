"""Calls that have been checked, done again: no more is looked at than what may differ."""

cimport numpy as cnp
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int64_t

from tilelayout._kernels.apart cimport meet

cnp.import_array()

cdef enum:
    #: Bytes of a copy that takes no longer than to let other threads in.
    LITTLE_COPY = 1 << 14
    _MOST_DIMS = 8

#: The most dimensions of an array in a ``Call``.
MOST_DIMS = _MOST_DIMS
#: The most texts that are known, and layouts that each may stand for.
MOST_TEXTS, MOST_LAYOUTS = 1024, 8

cdef extern from "numpy/arrayobject.h":
    cnp.ndarray PyArray_NewFromDescr(PyTypeObject *, cnp.dtype, int, cnp.npy_intp *, cnp.npy_intp *, void *, int, void *)


cdef class Copier:
    """What copies from memory to memory: a plan, which ``copy`` carries out."""

    cdef bint copy(self, const char *source, char *target, bytes fill, bint is_little) except -1:
        """Copy all; what is little is done sooner than other threads could be let in. Whether all elements fit in their bits."""
        raise NotImplementedError


cdef class Call:
    """A call that has been checked, to be done again with arrays that differ from its own in nothing but their memory.

    It ``packs`` the array to the buffer, or unpacks the buffer to the array. A call of ``relayout`` packs: its ``array`` is the buffer that
    is read, its ``buffer`` the one that is written, and ``other`` the layout of that. The plans begin at byte ``start`` of the buffer.
    """
    cdef tuple plans
    cdef object other
    cdef cnp.dtype array_dtype, buffer_dtype
    cdef bint packs, is_little
    cdef bytes fill
    cdef int64_t start
    cdef cnp.npy_intp size
    cdef int ndim
    cdef cnp.npy_intp shape[_MOST_DIMS]
    cdef cnp.npy_intp strides[_MOST_DIMS]

    def __cinit__(
        self, tuple plans, cnp.ndarray array, cnp.ndarray buffer, int64_t start, bint packs, bytes fill=None, other=None
    ):
        cdef int k
        if array.ndim > MOST_DIMS:
            raise ValueError(f"a call takes at most {MOST_DIMS} dimensions")
        self.plans, self.packs, self.fill, self.start, self.other = plans, packs, fill if packs else None, start, other
        self.array_dtype, self.buffer_dtype = array.dtype, buffer.dtype
        self.size, self.ndim = buffer.shape[0], array.ndim
        self.is_little = buffer.nbytes <= LITTLE_COPY
        for k in range(self.ndim):
            self.shape[k], self.strides[k] = array.shape[k], array.strides[k]

    cdef again(self, cnp.ndarray given, out):
        cdef cnp.ndarray array, buffer
        if self.packs:
            array = given
            if not self._is_array(array):
                return None
            if out is None:
                out = _empty(1, &self.size, self.buffer_dtype)
            buffer = out
            if not self._is_buffer(buffer) or not cnp.PyArray_ISWRITEABLE(buffer) or meet(array, buffer):
                return None
            if not self._copy(cnp.PyArray_BYTES(array), cnp.PyArray_BYTES(buffer) + self.start):
                return None  # an element does not fit in its bits
        else:
            buffer = given
            if not self._is_buffer(buffer):
                return None
            if out is None:
                out = _empty(self.ndim, self.shape, self.array_dtype)
            array = out
            if not self._is_array(array) or not cnp.PyArray_ISWRITEABLE(array) or meet(array, buffer):
                return None
            self._copy(cnp.PyArray_BYTES(buffer) + self.start, cnp.PyArray_BYTES(array))
        return out

    cdef bint _copy(self, const char *source, char *target) except -1:
        cdef bint fits = True
        for plan in self.plans:
            fits &= (<Copier?>plan).copy(source, target, self.fill, self.is_little)
        return fits

    cdef bint _is_array(self, cnp.ndarray array):
        cdef int k
        if not _is_of(array, self.array_dtype) or cnp.PyArray_NDIM(array) != self.ndim:
            return False
        for k in range(self.ndim):
            if cnp.PyArray_DIMS(array)[k] != self.shape[k] or cnp.PyArray_STRIDES(array)[k] != self.strides[k]:
                return False
        return True

    cdef bint _is_buffer(self, cnp.ndarray buffer):
        return (
            _is_of(buffer, self.buffer_dtype)
            and cnp.PyArray_NDIM(buffer) == 1
            and cnp.PyArray_DIMS(buffer)[0] == self.size
            and cnp.PyArray_IS_C_CONTIGUOUS(buffer)
        )


cdef class Calls:
    """The calls of ``pack``, ``unpack`` and ``relayout``, to the same object for another layout, that a layout has seen."""
    cdef readonly list packs, unpacks, relayouts

    def __cinit__(self):
        self.packs, self.unpacks, self.relayouts = [], [], []


#: The calls of the layouts that a text has stood for.
cdef dict _of_texts = {}


def know(str text, Calls calls):
    """Look for calls that are made by that text among these, too."""
    cdef list known
    if text not in _of_texts and len(_of_texts) >= MOST_TEXTS:
        _of_texts.clear()
    known = _of_texts.setdefault(text, [])
    if calls not in known and len(known) < MOST_LAYOUTS:
        known.append(calls)


def forget():
    """Know no text."""
    _of_texts.clear()


def pack_again(layout, array, out, fill, region, threads):
    """What ``pack`` returns, in ``out`` or a new array, where a call of that kind has been made before; else None.

    ``layout`` is its calls, or its text.
    """
    if not is_zero(fill) or region is not None or not are_usual(threads):
        return None
    return _pack_again(layout, array, out) if type(layout) is Calls else _first(_pack_again, layout, array, out)


def unpack_again(layout, buffer, shape, dtype, out, region, threads):
    """What ``unpack`` returns likewise; by a text only in ``out``, whose shape is that of the layout if the text says none."""
    if shape is not None or dtype is not None or region is not None or not are_usual(threads):
        return None
    if type(layout) is Calls:
        return _unpack_again(layout, buffer, out)
    return None if out is None else _first(_unpack_again, layout, buffer, out)


def relayout_again(Calls calls, buffer, other, out, fill, dtype, threads):
    """What ``relayout`` to the layout ``other`` returns likewise."""
    if not is_zero(fill) or dtype is not None or not are_usual(threads):
        return None
    return _again(calls.relayouts, buffer, out, other)


ctypedef object (*Asking)(Calls, object, object)


cdef _first(Asking ask, text, given, out):
    """The first answer of those whom a text stands for."""
    if type(text) is str:
        for calls in _of_texts.get(text, ()):
            answer = ask(calls, given, out)
            if answer is not None:
                return answer
    return None


cdef _pack_again(Calls calls, array, out):
    return _again(calls.packs, array, out, None)


cdef _unpack_again(Calls calls, buffer, out):
    return _again(calls.unpacks, buffer, out, None)


cpdef bint is_zero(fill) except -1:
    """Whether an argument ``fill`` is plainly zero, which is the same bits in every type."""
    return type(fill) is int and fill == 0


cpdef bint are_usual(threads, out=None) except -1:
    """Whether ``threads`` is left out, or plainly a number of them, and ``out`` left out, or plainly an array."""
    return (threads is None or (type(threads) is int and threads > 0)) and (out is None or type(out) is cnp.ndarray)


cdef _again(list calls, given, out, other):
    cdef Call call
    if type(given) is not cnp.ndarray or not (out is None or type(out) is cnp.ndarray):
        return None
    for call in calls:
        if call.other is not other:
            continue
        answer = call.again(given, out)
        if answer is not None:
            return answer
    return None


cdef bint _is_of(cnp.ndarray array, cnp.dtype dtype):
    return array.descr is dtype or cnp.PyArray_EquivTypes(array.descr, dtype)


cdef cnp.ndarray _empty(int ndim, cnp.npy_intp *shape, cnp.dtype dtype):
    Py_INCREF(dtype)  # the new array takes the reference
    return PyArray_NewFromDescr(<PyTypeObject *>cnp.ndarray, dtype, ndim, shape, NULL, NULL, 0, NULL)
