//===- KeyAssignment.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/KeyAssignment.h"
#include "core/dialect/Key.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace tilewright::frontend {

namespace {

/// Hashes what is printed to it, piece by piece, so that nothing large is ever
/// held as text.
class HashStream : public llvm::raw_ostream {
public:
  HashStream() { SetUnbuffered(); }
  ~HashStream() override = default;
  uint64_t value() const { return hash; }

private:
  void write_impl(const char *data, size_t size) override {
    // FNV-1a: its value does not depend on how the bytes come in pieces.
    for (size_t i = 0; i < size; ++i)
      hash = (hash ^ uint8_t(data[i])) * 1099511628211ull;
    position += size;
  }
  uint64_t current_pos() const override { return position; }

  uint64_t hash = 14695981039346656037ull;
  uint64_t position = 0;
};

void hashAttribute(HashStream &stream, Attribute attribute) {
  // Large constants by their bytes: printing them would take seconds.
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attribute)) {
    ArrayRef<char> data = dense.getRawData();
    stream << dense.getType()
           << llvm::xxh3_64bits(llvm::StringRef(data.data(), data.size()));
    return;
  }
  attribute.print(stream);
}

} // namespace

bool isNumberedName(StringRef name) {
  return name.empty() ||
         llvm::all_of(name, [](char c) { return llvm::isDigit(c); });
}

std::string KeyAssignment::unnamedSegment(Operation *op) const {
  HashStream stream;
  stream << op->getName().getStringRef();
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    stream << ';' << attribute.getName().getValue() << '=';
    hashAttribute(stream, attribute.getValue());
  }
  for (Value operand : op->getOperands()) {
    std::string key = operand ? keyOf(operand) : std::string();
    // Without the function, so that renaming it keeps the hash.
    stream << ';'
           << (key.empty()
                   ? StringRef("?")
                   : StringRef(key).substr(std::min(rootLength, key.size())));
  }
  uint64_t hash = stream.value();
  hash ^= hash >> 32;
  std::string digits =
      llvm::utohexstr(hash & 0xFFFFFFFFFFull, /*LowerCase=*/true, 10);
  return (op->getName().getStringRef() + "~" + digits).str();
}

std::string KeyAssignment::unique(std::string key) {
  int &count = used[key];
  if (++count == 1)
    return key;
  return key + "@" + std::to_string(count);
}

StringRef KeyAssignment::keyOf(Operation *op) const {
  auto it = operationKeys.find(op);
  return it == operationKeys.end() ? StringRef() : StringRef(it->second);
}

std::string KeyAssignment::keyOf(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto it = argumentKeys.find(value);
    return it == argumentKeys.end() ? std::string() : it->second;
  }
  auto result = cast<OpResult>(value);
  StringRef key = keyOf(result.getOwner());
  if (key.empty() || result.getResultNumber() == 0)
    return key.str();
  return (key + ":" + llvm::Twine(result.getResultNumber())).str();
}

/// The symbol an operation without results defines.
static StringRef symbolOf(Operation *op) {
  if (op->getNumResults())
    return {};
  auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  return name ? name.getValue() : StringRef();
}

void KeyAssignment::assignTop(Operation *top, StringRef path) {
  std::string prefix = path.empty() ? std::string() : (path + "/").str();
  StringRef symbol = symbolOf(top);
  std::string segment =
      symbol.empty() ? unnamedSegment(top) : encodeKeySegment(symbol);
  std::string key = unique(prefix + segment);
  rootLength = key.size();
  operationKeys[top] = std::move(key);
  assignRegions(top);
}

void KeyAssignment::assignRegions(Operation *op) {
  if (op->getNumRegions() == 0)
    return;
  std::string path = operationKeys[op];
  for (auto [index, region] : llvm::enumerate(op->getRegions()))
    assignRegion(region, op->getNumRegions() == 1
                             ? path
                             : path + "." + std::to_string(index));
}

void KeyAssignment::assignRegion(Region &region, StringRef path) {
  SmallVector<Operation *> operations;
  SmallVector<BlockArgument> arguments;
  for (Block &block : region) {
    arguments.append(block.args_begin(), block.args_end());
    for (Operation &op : block)
      operations.push_back(&op);
  }
  assignInside(operations, arguments, path);
}

void KeyAssignment::assignInside(ArrayRef<Operation *> operations,
                                 ArrayRef<BlockArgument> arguments,
                                 StringRef path) {
  std::string prefix = path.empty() ? std::string() : (path + "/").str();
  if (rootLength == 0)
    rootLength = path.size();
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    StringRef name = names.ofArgument(argument);
    argumentKeys[argument] =
        unique(isNumberedName(name) ? prefix + "arg~" + std::to_string(index)
                                    : prefix + encodeKeySegment(name));
  }
  // Named ones first: an unnamed one may use a value defined behind it.
  for (Operation *op : operations) {
    StringRef name = names.ofOperation(op);
    if (!isNumberedName(name))
      operationKeys[op] = unique(prefix + encodeKeySegment(name));
    else if (StringRef symbol = symbolOf(op); !symbol.empty())
      operationKeys[op] = unique(prefix + encodeKeySegment(symbol));
  }
  for (Operation *op : operations) {
    if (keyOf(op).empty())
      operationKeys[op] = unique(prefix + unnamedSegment(op));
    assignRegions(op);
  }
}

void KeyAssignment::apply(Operation *top) const {
  top->walk([&](Operation *op) {
    if (StringRef key = keyOf(op); !key.empty())
      op->setLoc(withKey(op->getLoc(), key));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (std::string key = keyOf(argument); !key.empty())
            argument.setLoc(withKey(argument.getLoc(), key));
  });
}

} // namespace tilewright::frontend
