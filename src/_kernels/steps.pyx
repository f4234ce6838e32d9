"""Two copies by way of a scratch, block by block."""

cimport numpy as cnp
from libc.stdint cimport int64_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc

from tilelayout._kernels.calls cimport Copier
from tilelayout._kernels.copy cimport Copying, copy_whole, copying_of, room_of, shared
from tilelayout._kernels.crew cimport Pieces, take
from tilelayout._kernels.leaves cimport LINE

cnp.import_array()


cdef struct Block:
    #: A loop over blocks: ``n`` steps, ``per`` a block, and what each adds in bytes. The last block ends where the loop does.
    int64_t n, per, source, target


cdef struct Stepping:
    #: The two copies, and the loops over ``number`` blocks: ``together`` of them are an iteration, and in the last is what is left.
    Copying first, second
    const Block *blocks
    int64_t depth, number, together, iterations, held


cdef class CopyInSteps(Copier):
    """Two copies, one after the other, block by block: to a scratch of ``held`` bytes, and from there. The first fills what is padding.

    ``blocks`` are the loops around them, outermost first: how many steps, how many of them in a block, and the bytes that each steps in the
    source and in the target. An iteration is a block, or, where some are not even, those of a step of the outermost loop. The copy begins
    ``source`` and ``target`` bytes behind what it is given.
    """
    cdef Copier first, second
    cdef Block *blocks
    cdef int64_t depth, number, together, held, source, target
    cdef readonly int64_t iterations

    def __cinit__(self, Copier first not None, Copier second not None, int64_t held, list blocks, int64_t source=0, int64_t target=0):
        cdef int64_t k
        cdef bint is_even = True
        self.first, self.second, self.held, self.source, self.target = first, second, held, source, target
        self.blocks = <Block *>calloc(len(blocks) + 1, sizeof(Block))
        if not self.blocks:
            raise MemoryError
        self.depth, self.number = len(blocks), 1
        for k, (n, per, from_, to) in enumerate(blocks):
            self.blocks[k] = Block(n, per, from_, to)
            self.number *= _number(&self.blocks[k])
            is_even &= n % per == 0
        self.together, self.iterations = 1, self.number
        if not is_even:  # then some blocks share elements with the one before, and are in the same iteration
            self.together = self.number // _number(self.blocks)
            self.iterations = _number(self.blocks) - (self.blocks[0].n % self.blocks[0].per > 0)

    def __dealloc__(self):
        free(self.blocks)

    def run(self, cnp.ndarray source, cnp.ndarray target, bytes fill, stint=None):
        """Copy a stint of the iterations, or all where that is None; ``fill`` is 16 bytes or None."""
        cdef Stepping stepping
        if stint is None:
            return self.copy(cnp.PyArray_BYTES(source), cnp.PyArray_BYTES(target), fill, False)
        stepping = self._stepping(cnp.PyArray_BYTES(source), cnp.PyArray_BYTES(target), fill)
        return shared(_step_pieces, &stepping, stint)

    cdef bint copy(self, const char *source, char *target, bytes fill, bint is_little) except -1:
        cdef Stepping stepping = self._stepping(source, target, fill)
        cdef char *room = _room(&stepping)
        if not room:
            raise MemoryError
        with nogil:
            _step(&stepping, 0, self.iterations, room)
        free(room)
        return True

    cdef Stepping _stepping(self, const char *source, char *target, bytes fill) except *:
        return Stepping(
            copying_of(self.first, &source[self.source], NULL, fill),
            copying_of(self.second, NULL, &target[self.target], None),
            self.blocks,
            self.depth,
            self.number,
            self.together,
            self.iterations,
            self.held,
        )


cdef inline int64_t _number(const Block *block) noexcept nogil:
    """How many blocks a loop has."""
    return (block.n + block.per - 1) // block.per


cdef char *_room(const Stepping *stepping) noexcept nogil:
    """Room for what is held between the steps, a whole number of lines, and for what either sets aside; NULL where there is none."""
    return <char *>malloc(2 * LINE + stepping.held + max(room_of(&stepping.first), room_of(&stepping.second)))


cdef void _step(const Stepping *stepping, int64_t begin, int64_t end, char *room) noexcept nogil:
    """Iterations ``begin`` to ``end - 1``."""
    cdef Copying first = stepping.first, second = stepping.second
    cdef char *held = room + LINE - <uintptr_t>room % LINE
    cdef char *aside = held + (stepping.held + LINE - 1) // LINE * LINE
    cdef int64_t last = stepping.number if end == stepping.iterations else end * stepping.together
    cdef int64_t k, q, i, at
    cdef const Block *block
    for q in range(begin * stepping.together, last):
        first.source, second.target = stepping.first.source, stepping.second.target
        i, k = q, stepping.depth
        while k > 0:
            k -= 1
            block = &stepping.blocks[k]
            at = min(i % _number(block) * block.per, block.n - block.per)
            first.source += at * block.source
            second.target += at * block.target
            i //= _number(block)
        first.target, second.source = held, held
        copy_whole(&first, aside)
        copy_whole(&second, aside)


cdef void _step_pieces(void *what, Pieces *pieces) noexcept nogil:
    """What each thread does of a copy in steps: nothing, if it has no memory to work in."""
    cdef const Stepping *stepping = <const Stepping *>what
    cdef char *room = _room(stepping)
    cdef int64_t begin, end
    while room is not NULL and take(pieces, &begin, &end):
        _step(stepping, begin, end, room)
    free(room)
