//===- MissingData.cpp - constants whose values are not there -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/MissingData.h"
#include "core/dialect/Key.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace tilewright::frontend {

using namespace mlir;

StringRef writtenResource(StringRef name, StringRef text) {
  auto [written, number] = name.rsplit('_');
  unsigned ignored;
  bool renamed = !number.getAsInteger(10, ignored) && !text.contains(name) &&
                 text.contains(written);
  return renamed ? written : name;
}

void describeMissingData(model::Diagnostic &entry) {
  entry.code = "TW0024";
  entry.message = "the values of this constant are not in the text";
  entry.hint =
      "they were left out when it was printed; write them, as dense<…>";
}

bool reportMissingData(ModuleOp module, const SourceSnapshot &source,
                       std::vector<model::Diagnostic> &diagnostics) {
  bool found = false;
  module.walk([&](arith::ConstantOp constant) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
    if (!resource || resource.getRawHandle().getBlob())
      return;
    found = true;
    StringRef name =
        writtenResource(resource.getRawHandle().getKey(), source.text);
    model::Diagnostic entry;
    describeMissingData(entry);
    entry.uri = source.uri;
    entry.message =
        "the values of resource '" + name.str() + "' are not in the text: " +
        std::to_string(resource.getType().getNumElements()) + " elements";
    if (name != leftOutValues)
      entry.hint = "add them to dialect_resources at the end of the file, or "
                   "write dense<…>";
    SmallVector<StringRef> keys = keysOf(constant.getLoc());
    if (!keys.empty()) {
      entry.key = keys.front().str();
      if (auto range = source.nameRangeOf(entry.key))
        entry.range = *range;
    }
    diagnostics.push_back(std::move(entry));
  });
  return found;
}

} // namespace tilewright::frontend
