//===- OperationDiff.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/OperationDiff.h"
#include "core/dialect/Key.h"
#include "core/frontend/BoundedPrint.h"
#include "core/inspect/NamedPrinter.h"
#include "core/inspect/OperationRoles.h"
#include "core/inspect/TextDiff.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <unordered_map>

using namespace mlir;

namespace tilewright::inspect {

namespace {

constexpr size_t maxListed = 10000;
constexpr size_t maxShown = 400;
/// Of an attribute's text when compared; what is longer differs almost surely
/// before its end.
constexpr size_t maxCompared = 1 << 16;

struct Entry {
  Operation *op;
  std::string key;
  std::string meaning; ///< compared for "changed"
  std::string parent;  ///< the enclosing operation's identity
  std::string shown;
  int64_t match = -1; ///< in the other snapshot
};

/// What a value comes from, in words that hold across contexts.
std::string origin(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    SmallVector<StringRef> keys = keysOf(argument.getLoc());
    if (!keys.empty())
      return keys.front().str();
    Operation *parent = argument.getOwner()->getParentOp();
    return (parent ? primaryKey(parent).str() : "") + "^" +
           std::to_string(argument.getArgNumber());
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  // What does the work is its key whatever it has become; what serves it has
  // the same key.
  StringRef name =
      roleOf(op) == Role::Compute ? StringRef() : op->getName().getStringRef();
  return (primaryKey(op) + "|" + name + ":" +
          llvm::Twine(result.getResultNumber()))
      .str();
}

std::string meaningOf(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    text += "\n" + attribute.getName().getValue().str() + "=";
    if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attribute.getValue())) {
      // Large constants by their bytes.
      ArrayRef<char> data = dense.getRawData();
      text +=
          frontend::boundedText(dense.getType(), maxCompared) +
          std::to_string(llvm::hash_value(StringRef(data.data(), data.size())));
    } else {
      text += frontend::boundedText(attribute.getValue(), maxCompared);
    }
  }
  for (Value operand : op->getOperands())
    text += "\n<" + origin(operand);
  for (Type type : op->getResultTypes())
    text += "\n>" + frontend::boundedText(type, maxCompared);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        text += "\n^" + frontend::boundedText(type, maxCompared);
  return text;
}

/// The first line of an operation's text: all of it, or its head.
std::string shownText(const std::string &text, model::TextRange range) {
  size_t begin = size_t(range.begin), end = size_t(range.end);
  end = std::min(end, text.find('\n', begin));
  return frontend::cutText(text.substr(begin, end - begin), maxShown);
}

std::vector<Entry> entriesOf(ModuleOp module, model::PrintedStage &printed) {
  std::vector<std::pair<Operation *, model::TextRange>> places;
  printed = printNamed(module, {}, places);
  llvm::DenseMap<Operation *, model::TextRange> rangeOf;
  for (auto &[op, range] : places)
    rangeOf[op] = range;
  std::vector<Entry> entries;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == module.getOperation())
      return;
    Entry entry;
    entry.op = op;
    entry.key = primaryKey(op).str();
    entry.meaning = meaningOf(op);
    if (Operation *parent = op->getParentOp();
        parent && parent != module.getOperation())
      entry.parent =
          (primaryKey(parent) + "|" + parent->getName().getStringRef()).str();
    auto it = rangeOf.find(op);
    // Implicit terminators are not printed and not worth a word.
    if (it == rangeOf.end())
      return;
    entry.shown = shownText(printed.text, it->second);
    entries.push_back(std::move(entry));
  });
  return entries;
}

/// Pairs entries that have the same `identity`, in order.
template <typename Identity>
void matchBy(std::vector<Entry> &before, std::vector<Entry> &after,
             Identity identity) {
  std::unordered_map<std::string, std::vector<size_t>> open;
  for (size_t i = before.size(); i-- > 0;)
    if (before[i].match < 0)
      open[identity(before[i])].push_back(i);
  for (size_t j = 0; j < after.size(); ++j) {
    if (after[j].match >= 0)
      continue;
    auto it = open.find(identity(after[j]));
    if (it == open.end() || it->second.empty())
      continue;
    size_t i = it->second.back();
    it->second.pop_back();
    before[i].match = int64_t(j);
    after[j].match = int64_t(i);
  }
}

/// Members of a longest ascending run of `values` are true.
std::vector<bool> inOrder(const std::vector<int64_t> &values) {
  std::vector<size_t> tails, previous(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    auto it = std::lower_bound(
        tails.begin(), tails.end(), values[i],
        [&](size_t index, int64_t value) { return values[index] < value; });
    previous[i] = it == tails.begin() ? SIZE_MAX : *(it - 1);
    if (it == tails.end())
      tails.push_back(i);
    else
      *it = i;
  }
  std::vector<bool> kept(values.size(), false);
  for (size_t at = tails.empty() ? SIZE_MAX : tails.back(); at != SIZE_MAX;
       at = previous[at])
    kept[at] = true;
  return kept;
}

} // namespace

model::Diff diffOperations(ModuleOp before, ModuleOp after) {
  model::Diff diff;
  model::PrintedStage beforeText, afterText;
  std::vector<Entry> a = entriesOf(before, beforeText);
  std::vector<Entry> b = entriesOf(after, afterText);

  // The surest partner first.
  matchBy(a, b, [](const Entry &entry) {
    return entry.key + "\n" + entry.parent + "\n" + entry.meaning;
  });
  matchBy(a, b,
          [](const Entry &entry) { return entry.key + "\n" + entry.meaning; });
  matchBy(a, b, [](const Entry &entry) {
    return entry.key + "\n" + entry.op->getName().getStringRef().str();
  });
  // The one operation with a key may have become another: tw.relu to
  // linalg.max. Not so the index arithmetic around it.
  auto soleCompute = [](const std::vector<Entry> &entries) {
    std::unordered_map<std::string, int> count;
    for (const Entry &entry : entries)
      if (entry.match < 0 && !entry.key.empty())
        ++count[entry.key];
    return count;
  };
  auto aCount = soleCompute(a), bCount = soleCompute(b);
  matchBy(a, b, [&](const Entry &entry) {
    bool alone =
        !entry.key.empty() && aCount[entry.key] == 1 && bCount[entry.key] == 1;
    return alone ? entry.key
                 : std::to_string(reinterpret_cast<uintptr_t>(entry.op));
  });

  // Order among the children of one parent.
  std::vector<bool> movedAfter(b.size(), false);
  std::unordered_map<std::string, std::vector<size_t>> siblings;
  for (size_t j = 0; j < b.size(); ++j)
    if (b[j].match >= 0 && a[size_t(b[j].match)].parent == b[j].parent)
      siblings[b[j].parent].push_back(j);
  for (auto &[parent, members] : siblings) {
    std::vector<int64_t> order;
    for (size_t j : members)
      order.push_back(b[j].match);
    std::vector<bool> kept = inOrder(order);
    for (size_t k = 0; k < members.size(); ++k)
      movedAfter[members[k]] = !kept[k];
  }

  auto list = [&](const Entry &entry, model::Change change, std::string from,
                  std::string to) {
    if (diff.ops.size() < maxListed)
      diff.ops.push_back({entry.key, change, std::move(from), std::move(to)});
  };
  // In the order of the later text; what is gone where it would have stood.
  size_t nextRemoved = 0;
  auto listRemovedBefore = [&](size_t end) {
    for (; nextRemoved < end; ++nextRemoved)
      if (a[nextRemoved].match < 0)
        list(a[nextRemoved], model::Change::Removed, a[nextRemoved].shown, "");
  };
  for (size_t j = 0; j < b.size(); ++j) {
    if (b[j].match < 0) {
      list(b[j], model::Change::Added, "", b[j].shown);
      continue;
    }
    const Entry &old = a[size_t(b[j].match)];
    listRemovedBefore(size_t(b[j].match));
    // What only its names now stand for is told where those are made.
    bool sameText = old.shown == b[j].shown && old.shown.size() < maxShown;
    if (old.meaning != b[j].meaning && !sameText)
      list(b[j], model::Change::Changed, old.shown, b[j].shown);
    else if (old.parent != b[j].parent || movedAfter[j])
      list(b[j], model::Change::Moved, old.shown, b[j].shown);
  }
  listRemovedBefore(a.size());
  diff.text = unifiedDiff(beforeText.text, afterText.text, "before", "after");
  return diff;
}

} // namespace tilewright::inspect
