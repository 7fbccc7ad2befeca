//===- OverrideText.cpp - a person's text in place of a pass's IR ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/OverrideText.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/frontend/PartReader.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace mlir;

namespace tilewright {

namespace {

/// Resources stand for constants whose data the text does not show; their names
/// depend on what else a context has read.
Attribute withoutResources(Attribute attribute) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](DenseResourceElementsAttr resource) -> std::optional<Attribute> {
        MLIRContext *context = resource.getContext();
        return ArrayAttr::get(context, {StringAttr::get(context, "not shown"),
                                        TypeAttr::get(resource.getType())});
      });
  return replacer.replace(attribute);
}

bool holdsResource(Attribute attribute) {
  return attribute
      .walk([](DenseResourceElementsAttr) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

std::vector<Operation *> preorder(Operation *root) {
  std::vector<Operation *> operations;
  root->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { operations.push_back(op); });
  return operations;
}

/// Pairs operations of an edited text with those of the text it was made from.
class Matching {
public:
  Matching(Operation *edited, Operation *base) {
    std::vector<Operation *> before = preorder(base), after = preorder(edited);
    llvm::StringMap<Operation *> byKey;
    for (Operation *op : before)
      if (StringRef key = primaryKey(op); !key.empty())
        byKey.try_emplace(key, op);
    pair(edited, base);
    for (Operation *op : after)
      if (auto found = byKey.find(primaryKey(op));
          found != byKey.end() && !matched.contains(op) &&
          !taken.contains(found->second))
        pair(op, found->second);
    // What has no name and was changed: in the order of what is left.
    llvm::DenseMap<Operation *, std::vector<Operation *>> leftIn;
    for (Operation *op : before)
      if (!taken.contains(op) && op->getParentOp())
        leftIn[op->getParentOp()].push_back(op);
    for (Operation *op : after) {
      if (matched.contains(op))
        continue;
      Operation *parent = matched.lookup(op->getParentOp());
      auto left = leftIn.find(parent);
      if (!parent || left == leftIn.end())
        continue;
      auto same = llvm::find_if(left->second, [&](Operation *other) {
        return other->getName() == op->getName() && !taken.contains(other);
      });
      if (same != left->second.end())
        pair(op, *same);
    }
  }

  Operation *of(Operation *edited) const { return matched.lookup(edited); }

private:
  void pair(Operation *edited, Operation *base) {
    matched[edited] = base;
    taken.insert(base);
  }
  llvm::DenseMap<Operation *, Operation *> matched;
  llvm::DenseSet<Operation *> taken;
};

std::string nameFor(Operation *op) {
  std::string name = op->getName().getStringRef().str();
  StringRef key = primaryKey(op);
  StringRef last = key.substr(key.rfind('/') + 1);
  if (!last.empty() && !last.contains('~'))
    name = "%" + last.str() + " (" + name + ")";
  return name;
}

} // namespace

unsigned lineInText(Location location) {
  unsigned line = 0;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file || file.getFilename() != "override")
      return WalkResult::advance();
    line = file.getLine();
    return WalkResult::interrupt();
  });
  return line;
}

std::string lineOfText(const std::string &text, unsigned line) {
  if (line == 0)
    return {};
  StringRef rest = text, shown;
  for (unsigned i = 0; i < line; ++i)
    std::tie(shown, rest) = rest.split('\n');
  constexpr size_t mostBytes = 120;
  shown = shown.trim();
  std::string cut = shown.take_front(mostBytes).str();
  while (!cut.empty() && cut.size() < shown.size() &&
         (static_cast<unsigned char>(shown[cut.size()]) & 0xc0) == 0x80)
    cut.pop_back();
  return "line " + std::to_string(line) + " of its text (`" + cut +
         (cut.size() < shown.size() ? " …" : "") + "`)";
}

std::string partFingerprint(Operation *part) {
  OwningOpRef<Operation *> copy(part->clone());
  llvm::SHA256 hash;
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](SymbolRefAttr symbol)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        return std::pair<Attribute, WalkResult>(
            FlatSymbolRefAttr::get(symbol.getContext(), "symbol"),
            WalkResult::skip());
      });
  copy.get()->walk([&](Operation *op) {
    for (NamedAttribute named : op->getAttrs())
      named.getValue().walk([&](DenseResourceElementsAttr resource) {
        if (AsmResourceBlob *blob = resource.getRawHandle().getBlob()) {
          ArrayRef<char> data = blob->getData();
          hash.update(ArrayRef<uint8_t>(
              reinterpret_cast<const uint8_t *>(data.data()), data.size()));
        }
      });
    // Keys of the source: names.
    op->removeDiscardableAttr(tile::bindingsAttrName);
    op->removeDiscardableAttr(tile::resultsAttrName);
    for (NamedAttribute named : llvm::to_vector(op->getAttrs())) {
      Attribute value = named.getValue();
      if (named.getName() == SymbolTable::getSymbolAttrName())
        op->setAttr(named.getName(),
                    StringAttr::get(op->getContext(), "symbol"));
      else if (Attribute other = replacer.replace(withoutResources(value));
               other != value)
        op->setAttr(named.getName(), other);
    }
  });
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy.get()->print(stream,
                    OpPrintingFlags().useLocalScope().printGenericOpForm());
  hash.update(stream.str());
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

void WrittenPart::locate() {
  for (auto &[written, location] : locations)
    written->setLoc(location);
}

std::optional<WrittenPart> writePart(const model::Override &override,
                                     Operation *now,
                                     model::Diagnostic &problem) {
  MLIRContext *context = now->getContext();
  auto fail = [&](const char *code, std::string message, std::string hint) {
    problem = model::Diagnostic();
    problem.code = code;
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    return std::nullopt;
  };
  frontend::ReadPart edited =
      frontend::readPart(*context, override.text, nullptr);
  if (!edited.op) {
    const model::Diagnostic &first = edited.diagnostics.front();
    unsigned line =
        1 + unsigned(std::count(
                override.text.begin(),
                override.text.begin() +
                    std::min(first.range.begin, int64_t(override.text.size())),
                '\n'));
    return fail("TW0243",
                lineOfText(override.text, line) + ": " + first.message + " [" +
                    first.code + "]",
                first.hint);
  }
  frontend::ReadPart base =
      frontend::readPart(*context, override.base, nullptr);
  std::vector<Operation *> ofNow = preorder(now);
  std::vector<Operation *> ofBase;
  if (base.op)
    ofBase = preorder(base.op);
  bool same = ofBase.size() == ofNow.size();
  for (size_t i = 0; same && i < ofNow.size(); ++i)
    same = ofBase[i]->getName() == ofNow[i]->getName();
  if (!same)
    return fail("TW0243",
                "the text it was made from does not read as what it was "
                "printed from",
                "make it anew from the stage as it is shown now");
  llvm::DenseMap<Operation *, Operation *> current;
  for (size_t i = 0; i < ofNow.size(); ++i)
    current[ofBase[i]] = ofNow[i];

  // What is seen from outside: name, type, attributes.
  auto header = [](Operation *op) {
    return withoutResources(op->getAttrDictionary());
  };
  if (edited.op->getName() != base.op->getName() ||
      header(edited.op) != header(base.op))
    return fail("TW0245",
                lineOfText(override.text, lineInText(edited.op->getLoc())) +
                    " changes name, type or attributes of @" + override.part,
                "leave its first line as it was; an override changes what is "
                "inside");

  Matching matching(edited.op, base.op);
  llvm::DenseMap<Operation *, Operation *> editedOf;
  for (Operation *op : preorder(edited.op))
    if (Operation *from = matching.of(op))
      editedOf[from] = op;
  for (Operation *op : ofBase) {
    Operation *kept = editedOf.lookup(op);
    for (NamedAttribute named : op->getAttrs())
      if (holdsResource(named.getValue()) &&
          (!kept || !kept->getAttr(named.getName()) ||
           withoutResources(kept->getAttr(named.getName())) !=
               withoutResources(named.getValue())))
        return fail("TW0244",
                    nameFor(op) +
                        ", whose data is not shown, is gone from "
                        "the text, or has another type; it was " +
                        lineOfText(override.base, lineInText(op->getLoc())),
                    "keep that line; a constant that nobody uses costs "
                    "nothing");
  }
  WrittenPart written;
  llvm::DenseMap<Operation *, LocationAttr> located;
  for (Operation *op : preorder(edited.op)) {
    Operation *from = matching.of(op);
    Operation *source = from ? current.lookup(from) : nullptr;
    bool alike = from && from->getName() == op->getName();
    for (NamedAttribute named : llvm::to_vector(op->getAttrs())) {
      Attribute before = alike ? from->getAttr(named.getName()) : Attribute();
      bool unchanged = before && withoutResources(before) ==
                                     withoutResources(named.getValue());
      if (unchanged) {
        Attribute value = source->getAttr(named.getName());
        if (value && value != named.getValue())
          op->setAttr(named.getName(), value);
      } else if (holdsResource(named.getValue())) {
        return fail("TW0244",
                    lineOfText(override.text, lineInText(op->getLoc())) +
                        " has a constant whose data is not shown where there "
                        "was none like it",
                    "keep the name and the type of a constant whose data is "
                    "not shown, or write its data out");
      }
    }
    // Keys: of what it was; else of what it is made of, else of what it is in.
    Location location = now->getLoc();
    if (source) {
      location = source->getLoc();
    } else {
      LocationAttr near;
      for (Value operand : op->getOperands())
        if (Operation *maker = operand.getDefiningOp(); maker && !near)
          near = located.lookup(maker);
      if (!near)
        near = located.lookup(op->getParentOp());
      if (near)
        location = near;
    }
    located[op] = location;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setLoc(location);
    if (source)
      for (auto [region, other] :
           llvm::zip(op->getRegions(), source->getRegions()))
        for (auto [block, otherBlock] : llvm::zip(region, other))
          for (auto [argument, otherArgument] :
               llvm::zip(block.getArguments(), otherBlock.getArguments()))
            argument.setLoc(otherArgument.getLoc());
    written.locations.push_back({op, location});
  }
  written.module = std::move(edited.module);
  written.op = edited.op;
  return written;
}

} // namespace tilewright
