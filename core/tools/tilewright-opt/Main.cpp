//===- Main.cpp - tilewright-opt: passes on text, for tests ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/pass/RegisterPasses.h"
#include "core/tools/tilewright-opt/RegisterUpstream.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#ifdef TILEWRIGHT_HAS_TILEDIALECT
#include "core/dialect/Tile/TileDialect.h"
#endif
#ifdef TILEWRIGHT_HAS_BLOCKDIALECT
#include "core/dialect/Block/BlockDialect.h"
#endif
#ifdef TILEWRIGHT_HAS_CPULOWERING
#include "core/execute/CpuLowering.h"
#endif

int main(int argc, char **argv) {
  using namespace tilewright;
  mlir::DialectRegistry registry;
  registerUpstreamDialects(registry);
  registerUpstreamPasses();
  registerTensorDialect(registry);
#ifdef TILEWRIGHT_HAS_TENSORPASSES
  registerTensorPasses();
#endif
#ifdef TILEWRIGHT_HAS_TILEPASSES
  registerTilePasses();
#endif
#ifdef TILEWRIGHT_HAS_BLOCKPASSES
  registerBlockPasses();
#endif
#ifdef TILEWRIGHT_HAS_EXECUTIONPASSES
  registerExecutionPasses();
#endif
#ifdef TILEWRIGHT_HAS_CPULOWERING
  execute::registerCpuPasses();
#endif
#ifdef TILEWRIGHT_HAS_TILEDIALECT
  registry.insert<tile::TileDialect>();
#endif
#ifdef TILEWRIGHT_HAS_BLOCKDIALECT
  registry.insert<block::BlockDialect>();
#endif
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tilewright pass driver\n", registry));
}
