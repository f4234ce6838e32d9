cdef enum:
    #: Bytes of a leaf that are worth streaming, unless it takes turns with others or they follow each other.
    LEAST_LEAF = 512
