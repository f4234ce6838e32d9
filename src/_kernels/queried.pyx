"""Calls that ask a layout: for one element, and for few in plain arrays, straight from the caller to the network."""

cimport cython
cimport numpy as cnp

from tilelayout._kernels.apart cimport meet
from tilelayout._kernels.index cimport Network

cnp.import_array()

cdef enum:
    #: Bytes of queries, and integers of their answers, up to which they are few: those are for one thread, which need not be interrupted;
    #: and up to which they count as few where one thread is asked for, and there is room for the answers.
    FEW = 1 << 20
    FEW_FOR_ONE = 1 << 25


cdef class Queried:
    """What a call asks for the slot of one element.

    A subclass has ``ready.network``, and ``_called(coordinates)``, which answers for whatever is not as many plain ints in bounds as the
    network takes, or raises.
    """
    cdef Network network  # from the first question on, and never another

    def __call__(self, *coordinates):
        slot = self._network().slot(coordinates)
        return self._called(coordinates) if slot is None else slot

    def _few_slots(self, coordinates, out, threads):
        """The slots of few coordinates (n, axes), in ``out`` or a new array, or None where those need a closer look."""
        cdef Network network = self._network()
        if not _is_plain(coordinates, 2) or cnp.PyArray_DIM(coordinates, 1) != network.net.axes:
            return None
        answer = _few(coordinates, out, threads, 1, cnp.PyArray_DIM(coordinates, 0), 0)
        return answer if answer is not None and network.slots(coordinates, answer) == cnp.PyArray_DIM(coordinates, 0) else None

    def _few_coordinates(self, slots, out, padding, threads):
        """The coordinates (n, axes) of few slots (n,), as ``_few_slots`` has those."""
        if type(padding) is not str or not (padding == "error" or padding == "mark"):
            return None
        cdef Network network = self._network()
        if not network.is_reversible or not _is_plain(slots, 1):
            return None
        answer = _few(slots, out, threads, 2, cnp.PyArray_DIM(slots, 0), network.net.axes)
        if answer is None or network.coordinates(slots, answer, None, padding == "error") < cnp.PyArray_DIM(slots, 0):
            return None
        return answer

    cdef Network _network(self):
        if self.network is None:
            made = self.ready.network
            with cython.critical_section(self):
                if self.network is None:
                    self.network = made
        return self.network


cdef bint _is_plain(array, int dims):
    """Whether this is an array of native integers of so many dimensions, and no subclass."""
    if type(array) is not cnp.ndarray:
        return False
    cdef cnp.ndarray a = array
    return cnp.PyArray_NDIM(a) == dims and cnp.PyArray_ISINTEGER(a) and cnp.PyArray_ISNOTSWAPPED(a)


cdef _few(cnp.ndarray asked, out, threads, int dims, cnp.npy_intp rows, cnp.npy_intp columns):
    """Where few answers go: a new array, or ``out`` if that is plainly fit and apart from what is asked; else None."""
    cdef cnp.npy_intp[2] shape = [rows, columns]
    cdef cnp.npy_intp most = FEW_FOR_ONE if threads == 1 and out is not None else FEW
    cdef cnp.ndarray to
    cdef int k
    if cnp.PyArray_NBYTES(asked) > most or rows > most // max(columns, 1):
        return None
    if out is None:
        return cnp.PyArray_EMPTY(dims, shape, cnp.NPY_INT64, 0)
    if not _is_plain(out, dims):
        return None
    to = out
    if cnp.PyArray_TYPE(to) != cnp.NPY_INT64 or not cnp.PyArray_ISCARRAY(to):
        return None
    for k in range(dims):
        if cnp.PyArray_DIM(to, k) != shape[k]:
            return None
    return None if meet(asked, to) else to
