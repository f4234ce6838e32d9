from .leaves import Manner

DIRECT: Manner
CACHED: Manner
STREAMED: Manner
ONWARD: Manner
SWEPT: Manner
