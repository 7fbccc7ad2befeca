#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules accept what rounding does and refuse what mistakes do."""
import sys
import unittest

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import tolerance


class Tolerance(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(3)
        self.a = random.standard_normal((40, 300)).astype(np.float32)
        self.b = random.standard_normal((300, 50)).astype(np.float32)
        self.want = self.a.astype(np.float64) @ self.b.astype(np.float64)
        self.magnitudes = np.abs(self.a).astype(np.float64) @ np.abs(self.b).astype(np.float64)

    def problem(self, got, dtype="f32"):
        return tolerance.compare(got, self.want, dtype, self.magnitudes, 300)[0]

    def test_f32_product_is_accepted(self):
        self.assertEqual(self.problem((self.a @ self.b).astype(np.float64)), "")

    def test_f16_rounding_is_accepted(self):
        self.assertEqual(self.problem(self.want.astype(np.float16).astype(np.float64), "f16"), "")

    def test_f16_rounding_of_f32_is_refused(self):
        self.assertNotEqual(self.problem(self.want.astype(np.float16).astype(np.float64)), "")

    def test_a_lost_step_is_refused(self):
        got = self.a[:, :-1].astype(np.float64) @ self.b[:-1].astype(np.float64)
        self.assertIn("matmul bound at [", self.problem(got))

    def test_one_wrong_element_is_refused(self):
        got = self.want.copy()
        got[39, 49] += 1e-3
        self.assertIn("[39, 49]", self.problem(got))

    def test_rows(self):
        want = np.ones((3, 4))
        for dtype, limit in tolerance.ROW.items():
            got = want.copy()
            got[1, 2] += 0.9 * limit
            self.assertEqual(tolerance.compare(got, want, dtype)[0], "")
            got[1, 2] += 0.2 * limit
            self.assertIn("[1, 2]", tolerance.compare(got, want, dtype)[0])

    def test_small_rows_count_as_much(self):
        want = np.array([[1000.0, 1000.0], [1e-3, 1e-3]])
        got = want + np.array([[0, 0], [0, 1e-5]])
        self.assertNotEqual(tolerance.compare(got, want, "f32")[0], "")

    def test_nan_and_shape(self):
        got = self.want.copy()
        got[0, 0] = np.nan
        self.assertIn("finite", self.problem(got))
        self.assertIn("shape", self.problem(self.want[:, :1]))

    def test_where_nothing_may_be_off(self):
        zeros = np.zeros((2, 2))
        self.assertEqual(tolerance.compare(zeros, zeros, "f32", zeros, 4)[0], "")
        self.assertNotEqual(tolerance.compare(zeros + 1e-30, zeros, "f32", zeros, 4)[0], "")


if __name__ == "__main__":
    unittest.main()
