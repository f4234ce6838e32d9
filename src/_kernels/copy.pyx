"""Pack and unpack: the bindings of tl_copy.h. Callers have checked that every address of the plan lies in its arrays."""

cimport numpy as cnp
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from tilelayout._kernels.calls cimport Copier
from tilelayout._kernels.chains cimport moved_at_once
from tilelayout._kernels.crew cimport Pieces, done_by, report, take
from tilelayout._kernels.leaves cimport CUTS_INNERMOST, LANE, LINE, STRIP, Leaf, Outer, Side
from tilelayout._kernels.nests cimport Nest
from tilelayout._kernels.pacing cimport ahead_of, follows, is_by_lines, is_even, onward_of, piece_of, slice_of, strip_of, sweeps, writes_on
from tilelayout._kernels.pairs cimport choose_pairs
from tilelayout._kernels.transposing cimport choose_transposes

cnp.import_array()

cdef enum:
    #: What a thread reports whose elements do not all fit in their bits.
    MISFITS = -1
    #: Iterations of the outermost loop from which on threads share them; if there are fewer, they share those of the next loops inside as
    #: well, until there are as many.
    FEW_BLOCKS = 64

cdef extern from *:
    """
    #define TL_KINDS ~(1u << TL_TRANSPOSE)
    """

cdef extern from "tl_copy.h" nogil:
    enum:
        TL_LITTLE_WORDS
    enum tl_level:
        TL_256
        TL_512
        TL_512_ASKING
    enum tl_way:
        TL_STORED
        TL_ASKED_FOR
        TL_PAST
    enum tl_kernel:
        TL_RUN
        TL_TRANSPOSE
        TL_ZIP
        TL_UNZIP
        TL_STRIDED
    ctypedef struct tl_loop:
        int64_t n
        int64_t from_ "from"
        int64_t to
        int axis
        int64_t divisor
        int cuts
        int64_t total, per
        const int64_t *at
    ctypedef struct tl_side:
        int64_t n, unit
        int axis
        int64_t divisor, each
        const int64_t *at
    ctypedef struct tl_sharing:
        int bits
        bint joins, across, sign
    ctypedef struct tl_order:
        pass
    ctypedef struct tl_spacing:
        pass
    ctypedef struct tl_plan:
        int (*copy)(const tl_plan *, const char *, char *, const unsigned char *, int64_t, int64_t, char *) noexcept nogil
        int64_t (*room)(const tl_plan *) noexcept nogil
        const tl_order *order
        const tl_spacing *spacing
        int depth, axes, width, level, shared, round
        tl_loop *loop
        tl_side u, v
        int64_t v_to, v_from, onward, chain, hop, link, banks, ahead, strip, piece, slice
        bint by_lines, even, past, sweeps, follows
        tl_way way
        const int64_t *size
        tl_sharing sharing
    int tl_best_level()
    int64_t tl_second_cache()
    bint tl_permutes_bytes(int)
    void tl_choose_kernels(tl_plan *, tl_kernel)
    bint tl_are_close_rows(const tl_plan *)
    bint tl_takes_pairs(const tl_plan *, tl_kernel)
    int64_t tl_shared_inside(const tl_plan *, int)
    tl_order tl_order_of(const unsigned char *, int64_t, int64_t, int)
    void tl_free_order(tl_order *)
    tl_order tl_order_flipped(const int64_t *, int64_t)

KERNELS = {
    "run": TL_RUN,
    "transpose": TL_TRANSPOSE,
    "zip": TL_ZIP,
    "unzip": TL_UNZIP,
    "strided": TL_STRIDED,
}

#: The names of ``enum tl_level``.
LEVELS = ("scalar", "128", "256", "512", "512 bytes", "512 asking")

cdef int _level = tl_best_level()
#: Bytes of the scratch, about: half of the second-level cache, if that is less than usual.
cdef int64_t _scratch = min(STRIP, tl_second_cache() // 2)


def level():
    """The level that plans are made for."""
    return LEVELS[_level]


def set_level(name):
    """Make plans for this level from now on; the machine must have vectors of that width, and what else it lacks is done without."""
    global _level
    if LEVELS.index(name) > tl_best_level() and tl_best_level() < TL_512:
        raise ValueError(f"this machine has no vectors of {name} bits")
    _level = LEVELS.index(name)


def picks_bytes():
    """Whether plans are made for vectors that pick bytes."""
    return _level >= TL_256


cdef struct CopyingAside:
    #: The copy, from an array to itself.
    Copying copying
    #: The array's bytes, how many of them are set aside for each iteration, and from which on the plan reads these.
    const char *array
    int64_t size, block, start


cdef class CopyPlan(Copier):
    """A strided copy made ready to run: loops around a two-dimensional leaf.

    ``sizes`` are those of the axes. The copy begins ``source`` and ``target`` bytes behind what it is given.

    ``sharing`` is (bits, joins, across, sign) where elements share bytes on one side, as ``tl_sharing`` has them in ``tl_plan.h``.

    ``order`` is that of the bytes of elements, if they change places (``ByteOrder``); ``flips``, of a run, by which bits
    the places of the bytes in each row are flipped.

    ``is_fetched`` says whether the source is fetched ahead; if left out, it is where the copy is large.
    """
    cdef tl_plan plan
    cdef int64_t source, target
    cdef tl_order order
    cdef readonly int64_t blocks, iterations

    def __cinit__(self, Nest nest, sizes, int64_t source=0, int64_t target=0, sharing=None, order=None, flips=None, is_fetched=None):
        cdef int k
        cdef Outer outer
        cdef tl_kernel kernel = KERNELS[nest.leaf.kernel]
        cdef tl_plan *p = &self.plan
        p.depth, p.axes, p.width, p.level = len(nest.outer), len(sizes), nest.leaf.width, _level
        p.loop = <tl_loop *>calloc(p.depth + 1, sizeof(tl_loop))
        if not p.loop:
            raise MemoryError
        for k, outer in enumerate(nest.outer):
            axis = outer.loop.axis if outer.loop.clipped else -1
            p.loop[k] = tl_loop(
                outer.loop.n, outer.loop.source, outer.loop.target, axis, outer.loop.divisor, outer.cuts, outer.total, outer.per, NULL
            )
        if nest.series > 1 and not sharing:
            _join_series(p, nest)
        _set_side(&p.u, nest.leaf.u)
        _set_side(&p.v, nest.leaf.v)
        p.v_to, p.v_from = nest.leaf.v.loop.target, _even_step(nest.leaf.v.steps)
        p.size = _numbers(sizes)
        if order is not None:
            self.order = tl_order_of(order.at, len(order.at), p.u.n * p.v.n * p.width, _level)
        elif flips is not None:
            self.order = tl_order_flipped(_numbers(flips), p.v.n)
        p.order = NULL if order is None and flips is None else &self.order
        bits, joins, is_across, is_signed = sharing or (8, False, False, False)
        p.sharing = tl_sharing(bits, joins, is_across, is_signed)
        p.chain, p.hop, p.link, p.slice = nest.chain, nest.hop, nest.link, slice_of(nest)
        p.ahead = ahead_of(nest) if (nest.is_large if is_fetched is None else is_fetched) else 0
        per_byte = 8 // bits if is_across else 1
        p.strip = strip_of(nest, per_byte, _scratch)
        p.piece = piece_of(nest, per_byte, p.ahead, p.strip)
        p.onward = onward_of(nest) if is_fetched is None else 0
        p.by_lines = is_by_lines(nest, p.ahead)
        p.round = p.depth - 1 - nest.rounds if nest.rounds and p.ahead else -1
        p.sweeps = sweeps(nest)
        p.follows = p.sweeps and p.round < 0 and follows(nest, p.ahead)
        p.banks = nest.banks()
        p.even, p.past = not sharing and is_even(nest), nest.is_streamed and (sharing or not _waits(nest, p))
        p.way = _way_of(nest, p.past)
        if not tl_takes_pairs(p, kernel) or not choose_pairs(p, kernel):
            if kernel == TL_TRANSPOSE:
                choose_transposes(p)
            else:
                tl_choose_kernels(p, kernel)
        self.source, self.target = source + (0 if order is None else order.begin), target
        self.blocks = p.loop[0].n if p.depth else 1
        self.iterations, p.shared = self.blocks, min(p.depth, 1)
        while p.shared < p.depth and self.iterations < FEW_BLOCKS and p.loop[p.shared - 1].cuts != CUTS_INNERMOST:
            self.iterations *= p.loop[p.shared].n
            p.shared += 1

    def __dealloc__(self):
        if self.plan.loop and self.plan.depth:
            free(<void *>self.plan.loop[self.plan.depth - 1].at)
        free(self.plan.loop)
        free(<void *>self.plan.u.at)
        free(<void *>self.plan.v.at)
        free(<void *>self.plan.size)
        free(<void *>self.plan.spacing)
        tl_free_order(&self.order)

    def run(self, cnp.ndarray source, cnp.ndarray target, bytes fill, stint=None):
        """Copy a stint of the iterations, or all of them where that is None; ``fill`` is 16 bytes or None.

        Returns whether all elements fit in their bits.
        """
        cdef Copying copying
        if stint is None:
            return self.copy(cnp.PyArray_BYTES(source), cnp.PyArray_BYTES(target), fill, False)
        copying = self._copying(cnp.PyArray_BYTES(source), cnp.PyArray_BYTES(target), fill)
        return shared(_copy_pieces, &copying, stint)

    def run_aside(self, cnp.ndarray array, bytes fill, int64_t size, stint):
        """Copy within an array: each block of so many bytes, one an iteration, is set aside and copied from there."""
        cdef char *bytes_ = cnp.PyArray_BYTES(array)
        cdef CopyingAside aside = CopyingAside(self._copying(bytes_, bytes_, fill), bytes_, array.nbytes, size, self.source)
        shared(_copy_aside, &aside, stint)

    cdef bint copy(self, const char *source, char *target, bytes fill, bint is_little) except -1:
        cdef int64_t near[TL_LITTLE_WORDS]
        cdef Copying copying = self._copying(source, target, fill)
        cdef bint fits
        cdef char *room = _room(&self.plan, <char *>near)
        if not room:
            raise MemoryError
        if is_little:
            fits = _copy(&copying, 0, self.iterations, room)
        else:
            with nogil:
                fits = _copy(&copying, 0, self.iterations, room)
        if room != <char *>near:
            free(room)
        return fits

    cdef Copying _copying(self, const char *source, char *target, bytes fill) noexcept:
        cdef const unsigned char *pattern = NULL
        if fill is not None:
            pattern = fill
        return Copying(&self.plan, &source[self.source], &target[self.target], pattern)


cdef const void *plan_of(Copier copy, int64_t *source, int64_t *target) except NULL:
    """The ``tl_plan`` of a copy, and how many bytes behind the beginning of source and target it begins."""
    source[0], target[0] = (<CopyPlan?>copy).source, (<CopyPlan>copy).target
    return &(<CopyPlan>copy).plan


cdef int64_t room_of(const Copying *copying) noexcept nogil:
    """Bytes that a copy sets aside."""
    cdef const tl_plan *plan = <const tl_plan *>copying.plan
    return plan.room(plan)


cdef void copy_whole(const Copying *copying, char *room) noexcept nogil:
    """Carry out all iterations."""
    cdef const tl_plan *plan = <const tl_plan *>copying.plan
    _copy(copying, 0, plan.loop[0].n * tl_shared_inside(plan, 0) if plan.depth else 1, room)


cdef bint shared(void (*work)(void *, Pieces *) noexcept nogil, void *what, stint) except -1:
    """Copy piece by piece, by several threads; whether all elements fit in their bits."""
    return done_by(work, what, stint) != MISFITS


cdef inline bint _copy(const Copying *copying, int64_t begin, int64_t end, char *room) noexcept nogil:
    cdef const tl_plan *plan = <const tl_plan *>copying.plan
    return plan.copy(plan, copying.source, copying.target, copying.fill, begin, end, room)


cdef void _copy_pieces(void *what, Pieces *pieces) noexcept nogil:
    """What each thread does of a copy: nothing, if it has no memory to work in."""
    cdef const Copying *copying = <const Copying *>what
    cdef int64_t near[TL_LITTLE_WORDS]
    cdef char *room = _room(<const tl_plan *>copying.plan, <char *>near)
    cdef int64_t begin, end
    while room is not NULL and take(pieces, &begin, &end):
        if not _copy(copying, begin, end, room):
            report(pieces, MISFITS)
    if room != <char *>near:
        free(room)


cdef void _copy_aside(void *what, Pieces *pieces) noexcept nogil:
    """What each thread does of a copy within an array likewise."""
    cdef const CopyingAside *given = <const CopyingAside *>what
    cdef Copying copying = given.copying
    cdef int64_t near[TL_LITTLE_WORDS]
    cdef char *room = _room(<const tl_plan *>copying.plan, <char *>near)
    cdef char *held = <char *>malloc(given.block)
    cdef int64_t k, end, at, inner = tl_shared_inside(<const tl_plan *>copying.plan, 0)
    copying.source = &held[given.start]
    while room is not NULL and held is not NULL and take(pieces, &k, &end):
        while k < end:
            at = k * given.block
            memcpy(held, &given.array[at], min(given.block, given.size - at))
            _copy(&copying, k * inner, (k + 1) * inner, room)
            k += 1
    free(held)
    if room != <char *>near:
        free(room)


cdef inline char *_room(const tl_plan *plan, char *near) noexcept nogil:
    """Room for what a plan sets aside: near, or memory, or NULL where there is none."""
    cdef int64_t size = plan.room(plan)
    return near if size <= 8 * TL_LITTLE_WORDS else <char *>malloc(size)


cdef bint _waits(Nest nest, const tl_plan *p):
    """Whether streaming would put lines together in memory, of parts that a load has to wait for.

    Vectors of less than 512 bits do so with rows of a run of less than a line and no whole lanes, and with chains of an unzip whose rows
    end within a line; those of 512 do with short rows that lie close together, if these are no pairs of bytes and the machine picks no
    single ones. Pairs of vectors bring such rows together if they are close.
    """
    cdef Leaf leaf = nest.leaf
    cdef int64_t row = leaf.u.loop.n * leaf.width
    if leaf.kernel == "run" and _level >= TL_256 and tl_are_close_rows(p):
        return False
    if _level >= TL_512:
        return moved_at_once(leaf) > 1 and (row | leaf.v.steps[0][1]) % 2 and not tl_permutes_bytes(_level)
    if leaf.kernel == "unzip":
        return nest.chain > 1 and leaf.v.loop.n * leaf.width % LINE != 0
    return leaf.kernel == "run" and row < LINE and row % LANE != 0


cdef tl_way _way_of(Nest nest, bint is_streamed):
    """How lines are written: past the caches, or, where the copy is not streamed, by plain stores, asked for if the level does so.

    Those of a streamed one are stored and asked for where the machine is sooner done so.
    """
    if is_streamed:
        return TL_ASKED_FOR if nest.machine.stores and writes_on(nest) else TL_PAST
    return TL_ASKED_FOR if _level == TL_512_ASKING else TL_STORED


cdef int _set_side(tl_side *side, Side given) except -1:
    """Set a side and its offsets."""
    side.n, side.unit, side.divisor, side.each = given.loop.n, given.unit, given.loop.divisor, given.each
    side.axis = given.loop.axis if given.loop.clipped else -1
    side.at = _offsets(given.steps)
    return 0


cdef int64_t _even_step(tuple steps) except? -1:
    """The bytes between neighbours, if they lie at even distances and go forward; else -1."""
    cdef int64_t n, step, even = steps[0][1] if steps else 0, done = 1
    for n, step in steps:
        if n > 1 and (step != even * done or step < 0):
            return -1
        done *= n
    return even


cdef int _join_series(tl_plan *p, Nest nest) except -1:
    """Let the innermost loops that are one series run as one."""
    cdef int outermost = p.depth - nest.series
    cdef tl_loop *joined = &p.loop[outermost]
    cdef int64_t step = p.loop[p.depth - 1].to
    cdef Outer outer
    joined.at = _offsets([(outer.loop.n, outer.loop.source) for outer in reversed(nest.outer[outermost:])])
    joined.n, joined.to = joined.n * joined.to // step, step
    p.depth -= nest.series - 1
    return 0


cdef int64_t *_offsets(steps) except NULL:
    """Where all of these steps lead, pairs of a number and a stride, each around those before it; and one offset more."""
    cdef int64_t k, n, step, room = 1, done = 1
    cdef int64_t *at
    for n, _ in steps:
        room *= n
    at = <int64_t *>malloc((room + 1) * sizeof(int64_t))
    if not at:
        raise MemoryError
    at[0] = at[room] = 0
    for n, step in steps:
        for k in range(done, done * n):
            at[k] = at[k - done] + step
        done *= n
    return at


cdef int64_t *_numbers(values) except NULL:
    cdef int k
    cdef int64_t *numbers = <int64_t *>calloc(len(values) + 1, sizeof(int64_t))
    if not numbers:
        raise MemoryError
    for k in range(len(values)):
        numbers[k] = values[k]
    return numbers
