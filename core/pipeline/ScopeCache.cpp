//===- ScopeCache.cpp - scope results by content --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/ScopeCache.h"
#include "core/dialect/Key.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilewright {

namespace {
/// Hashes what is printed to it, so that no text of a whole scope is kept.
class HashStream : public llvm::raw_ostream {
public:
  explicit HashStream(llvm::SHA256 &hash) : hash(hash) {}
  ~HashStream() override { flush(); }

private:
  void write_impl(const char *text, size_t size) override {
    hash.update(StringRef(text, size));
    position += size;
  }
  uint64_t current_pos() const override { return position; }
  llvm::SHA256 &hash;
  uint64_t position = 0;
};
} // namespace

std::string scopeFingerprint(ModuleOp module, StringRef target) {
  llvm::SHA256 hash;
  {
    HashStream stream(hash);
    stream << target << '\n';
    module->print(stream, OpPrintingFlags().useLocalScope());
    module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (StringRef key : keysOf(op))
        stream << key << ',';
      stream << ';';
    });
  }
  return llvm::toHex(hash.final());
}

std::shared_ptr<const ScopeResult>
ScopeCache::find(const std::string &fingerprint) {
  std::lock_guard lock(mutex);
  auto found = index.find(fingerprint);
  if (found == index.end())
    return nullptr;
  entries.splice(entries.begin(), entries, found->second);
  return found->second->result;
}

void ScopeCache::insert(const std::string &fingerprint,
                        std::shared_ptr<const ScopeResult> result) {
  size_t size = 0;
  for (const ScopeStep &step : result->steps)
    if (step.module && step.changed)
      size += step.module->size();
  std::lock_guard lock(mutex);
  if (index.count(fingerprint))
    return;
  entries.push_front({fingerprint, std::move(result), size});
  index[fingerprint] = entries.begin();
  bytes += size;
  while (bytes > maxBytes && entries.size() > 1) {
    bytes -= entries.back().bytes;
    index.erase(entries.back().fingerprint);
    entries.pop_back();
  }
}

} // namespace tilewright
