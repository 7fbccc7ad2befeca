// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --build-tasks %s | FileCheck %s

// Writers of different parts do not wait for each other; who reads both waits
// for the tasks whose parts it reads, and a whole-grid reader for all.
// CHECK:      block.dispatch @w grid [4](%arg0) {access = [{{.*}}]} :
// CHECK:      block.dispatch @w grid [2](%arg0) {access = [{{.*}}]} :
// CHECK:      block.dispatch @r grid [8](%arg0, %arg1)
// CHECK-SAME:   dependencies = [#block.dependency<0, (d0) -> (d0 floordiv 2), (d0) -> ((d0 + 1) ceildiv 2)>, #block.dependency<1, (d0) -> ({{.*}}), (d0) -> ({{.*}})>]
// CHECK:      block.dispatch @r grid [1](%arg1, %arg0)
// CHECK-SAME:   #block.dependency<2, (d0) -> (0), (d0) -> (8)>
block.program @p(%x: memref<96xf32, #block.level<"GM">>, %y: memref<96xf32, #block.level<"GM">>) attributes {result_count = 2 : i64} {
  block.dispatch @w grid [4](%x) {access = [#block.access<write, (d0) -> (d0 * 16), [16]>]} : memref<96xf32, #block.level<"GM">>
  block.dispatch @w grid [2](%x) {access = [#block.access<write, (d0) -> (d0 * 16 + 64), [16]>]} : memref<96xf32, #block.level<"GM">>
  block.dispatch @r grid [8](%x, %y) {access = [#block.access<read, (d0) -> (d0 * 8), [8]>, #block.access<write, (d0) -> (d0 * 8), [8]>]} : memref<96xf32, #block.level<"GM">>, memref<96xf32, #block.level<"GM">>
  block.dispatch @r grid [1](%y, %x) {access = [#block.access<read, (d0) -> (0), [96]>, #block.access<write, (d0) -> (0), [96]>]} : memref<96xf32, #block.level<"GM">>, memref<96xf32, #block.level<"GM">>
  block.return
}
block.kernel @w(%x: memref<96xf32, #block.level<"GM">>, %i: index) attributes {core = "any", grid_rank = 1 : i64} {
  block.return
}
block.kernel @r(%x: memref<96xf32, #block.level<"GM">>, %y: memref<96xf32, #block.level<"GM">>, %i: index) attributes {core = "any", grid_rank = 1 : i64} {
  block.return
}
