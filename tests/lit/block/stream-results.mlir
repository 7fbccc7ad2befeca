// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --stream-results=target=cpu-generic %s | FileCheck %s
// RUN: tilewright-opt --stream-results=target=ascend-a3 %s | FileCheck %s --check-prefix=NONE
// NONE-NOT: block.streaming

!large = memref<4096x4096xf32, #block.level<"GM">>
!small = memref<1024x1024xf32, #block.level<"GM">>

// Only what is written once, is large, and is read nowhere in the kernel.
// CHECK-LABEL: block.kernel @kinds
// CHECK:         block.unary <exp> %{{.*}} into %{{.*}} on "CORE" {block.streaming}
// CHECK:         block.unary <neg> %{{.*}} into %{{[a-z0-9_]*}} on "CORE" :
// CHECK:         block.unary <abs> %{{.*}} into %{{.*}} on "CORE" :
// CHECK:         block.unary <neg> %{{.*}} into %{{.*}} on "CORE" :
block.kernel @kinds(%x: !large, %once: !large, %twice: !large, %s: !small, %t: !small, %g0: index) attributes {core = "any", grid_rank = 1 : i64} {
  block.unary <exp> %x into %once on "CORE" : !large into !large
  block.unary <neg> %x into %twice on "CORE" : !large into !large
  block.unary <abs> %twice into %twice on "CORE" : !large into !large
  block.unary <neg> %s into %t on "CORE" : !small into !small
  block.return
}
