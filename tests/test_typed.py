"""Programs as users write them: they run here, and ``make lint`` holds them to the types that the library tells."""

import inspect
from typing import Any, get_type_hints

import numpy as np
import numpy.typing as npt
import pytest

import tilelayout as tl

TILES = "f32[3,5]{1,0:T(2,2)}"
X = np.arange(15, dtype="float32").reshape(3, 5)


class Tensor:
    """A tensor of a library that mypy knows to share its memory by DLPack, and of which it knows no more."""

    def __init__(self, held: npt.NDArray[np.float32]) -> None:
        self.held = held

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.held.__dlpack_device__()

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None, **others: Any) -> object:
        return self.held.__dlpack__(stream=stream, max_version=max_version, **others)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="this numpy knows DLPack before 1.0")
def test_tensors_of_other_libraries() -> None:
    packed, back, columns = Tensor(np.zeros(24, "f4")), Tensor(np.zeros((3, 5), "f4")), Tensor(np.zeros(15, "f4"))
    tl.pack(Tensor(X), TILES, out=packed)
    tl.unpack(packed, TILES, out=back)
    tl.relayout(packed, TILES, "{0,1}", out=columns)
    assert np.array_equal(back.held, X)
    assert np.array_equal(columns.held, X.ravel("F"))


def test_arrays_and_bytes() -> None:
    packed = tl.pack(X, TILES, out=np.zeros(24, "f4"))
    for buffer in (packed, packed.tobytes(), bytearray(packed), memoryview(packed.tobytes())):
        assert np.array_equal(tl.unpack(buffer, TILES, region=np.s_[0:1, ...]), X[:1])


def test_coordinates_of_numpy() -> None:
    layout = tl.layout(TILES)
    assert layout(np.int64(2), 3) == layout(np.array(2), np.uint8(3)) == layout(2, 3) == 17


@pytest.mark.parametrize("room", [tl, tl.cute, tl.drawing, tl.hlo, tl.doctor, tl.presets, tl.mlir, tl.morello])
def test_annotations_can_be_evaluated(room: Any) -> None:
    """By those who check calls with them as programs run."""
    functions = [value for name in room.__all__ if inspect.isfunction(value := getattr(room, name))]
    assert functions
    for function in functions:
        assert "return" in get_type_hints(function)
