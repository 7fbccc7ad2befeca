// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only here to own the precompiled header.
