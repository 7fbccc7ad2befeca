# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When two results agree.

A matmul of depth k, element by element: |got - want| <= 4 eps sqrt(k) (|A||B|), eps = 2^-24, and
one unit in the last place of a 16-bit result. Elsewhere the largest absolute error of a row over
the row's largest magnitude: 1e-5 for f32, 2^-10 for f16, 2^-7 for bf16.
"""
import numpy as np

ROW = {"f32": 1e-5, "f16": 2.0**-10, "bf16": 2.0**-7}
# Bits of the significand behind the point, smallest exponent.
SIXTEEN = {"f16": (10, -14), "bf16": (7, -126)}


def last_place(values, dtype):
    """One unit in the last place of each value in a 16-bit type."""
    bits, smallest = SIXTEEN[dtype]
    exponent = np.floor(np.log2(np.maximum(np.abs(values), 2.0**smallest)))
    return 2.0**(exponent - bits)


def compare(got, want, dtype, magnitudes=None, k=None, both_round=False):
    """("" or what is wrong, the figure). `magnitudes` is |A||B| of a matmul of depth k; with
    `both_round` the reference is of limited precision too, and may be off as far as we may."""
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}", ""
    if not np.array_equal(np.isfinite(got), np.isfinite(want)):
        return "not finite where the reference is, or the other way round", ""
    error = np.abs(got - want)
    if magnitudes is not None:
        bound = 4 * 2.0**-24 * np.sqrt(k) * magnitudes
        if dtype in SIXTEEN:
            bound = bound + last_place(want, dtype)
        bound = bound * (2 if both_round else 1)
        # An error where nothing may be off is beyond any bound.
        ratio = np.where(error > 0, error / np.maximum(bound, 1e-300), 0)
        rule = "of the matmul bound"
    else:
        scale = np.abs(want).max(axis=-1, keepdims=True) * ROW[dtype] * (2 if both_round else 1)
        ratio = np.where(error > 0, error / np.maximum(scale, 1e-300), 0)
        rule = "of the row's tolerance"
    if ratio.size == 0:
        return "", "nothing to compare"
    worst = np.unravel_index(np.argmax(ratio), ratio.shape)
    figure = f"{ratio[worst]:.3g} {rule}"
    if ratio[worst] <= 1:
        return "", figure
    place = ", ".join(str(int(i)) for i in worst)
    return f"{figure} at [{place}]: {got[worst]:.9g}, not {want[worst]:.9g}", figure
