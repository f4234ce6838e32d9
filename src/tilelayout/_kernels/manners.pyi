from .leaves import Manner

DIRECT: Manner
CACHED: Manner
STREAMED: Manner
STORED: Manner
ONWARD: Manner
PAIRED: Manner
SWEPT: Manner
