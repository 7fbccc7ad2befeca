//===- FrontendRegistry.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/FrontendRegistry.h"
#include <algorithm>
#include <cctype>

namespace tilewright::frontend {

namespace {

class MlirFrontend : public Frontend {
public:
  std::string name() const override { return "mlir"; }
  std::vector<std::string> extensions() const override { return {".mlir"}; }
  bool isText() const override { return true; }
  SourceModule read(std::string_view bytes, const std::string &uri,
                    mlir::MLIRContext &context,
                    const std::atomic<bool> *cancel) const override {
    std::shared_ptr<const SourceSnapshot> source = readSource(
        context, uri, 0, std::string(bytes), /*previous=*/nullptr, cancel);
    return buildModule(*source, context, cancel);
  }
};

} // namespace

FrontendRegistry::FrontendRegistry() {
  add(std::make_shared<const MlirFrontend>());
}

void FrontendRegistry::add(std::shared_ptr<const Frontend> frontend) {
  for (const std::string &extension : frontend->extensions())
    byExtension[extension] = frontend;
}

const Frontend *FrontendRegistry::find(std::string_view path) const {
  size_t dot = path.rfind('.');
  if (dot == std::string_view::npos)
    return nullptr;
  std::string extension(path.substr(dot));
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  auto it = byExtension.find(extension);
  return it == byExtension.end() ? nullptr : it->second.get();
}

std::vector<std::string> FrontendRegistry::extensions() const {
  std::vector<std::string> result;
  for (const auto &[extension, frontend] : byExtension)
    result.push_back(extension);
  return result;
}

} // namespace tilewright::frontend
