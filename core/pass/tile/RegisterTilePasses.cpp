//===- RegisterTilePasses.cpp - the tile stage's passes by name -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/RegisterPasses.h"
#include "core/pass/tile/ChooseTiles.h"
#include "core/pass/tile/ExpandTiles.h"
#include "core/pass/tile/FormScopes.h"
#include "core/pass/tile/PlaceTiles.h"
#include "core/pass/tile/ReuseLoads.h"
#include "core/pass/tile/SplitAccumulators.h"

void tilewright::registerTilePasses() {
  mlir::registerPass([] { return pass::createSplitAccumulatorsPass(); });
  mlir::registerPass([] { return pass::createFormScopesPass(); });
  mlir::registerPass([] { return pass::createChooseTilesPass(); });
  mlir::registerPass([] { return pass::createExpandTilesPass(); });
  mlir::registerPass([] { return pass::createPlaceTilesPass(); });
  mlir::registerPass([] { return pass::createReuseLoadsPass(); });
}
