//===- NamedPrinter.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's printer knows no names from the source and cannot be told any, except
// by each operation itself. So: print, with the place of each operation; lex
// the text; replace each `%name` by the name its value should have.
//
//===----------------------------------------------------------------------===//
#include "core/inspect/NamedPrinter.h"
#include "core/dialect/Block/BufferLife.h"
#include "core/dialect/Key.h"
#include "core/frontend/BoundedPrint.h"
#include "core/frontend/KeyAssignment.h"
#include "core/frontend/SourceLexer.h"
#include "core/inspect/OperationRoles.h"
#include "core/model/StableSort.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include <unordered_map>

using namespace mlir;
using tilewright::frontend::SourceLexer;
using tilewright::frontend::Token;
using tilewright::frontend::TokenKind;

namespace tilewright::inspect {

namespace {

/// Undoes encodeKeySegment() and replaces what cannot stand in a name.
std::string decodeName(StringRef segment) {
  std::string name;
  for (size_t i = 0; i < segment.size(); ++i) {
    char c = segment[i];
    unsigned code;
    if (c == '%' && i + 2 < segment.size() + 0 &&
        !segment.substr(i + 1, 2).getAsInteger(16, code)) {
      c = char(code);
      i += 2;
    }
    bool legal =
        llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '-';
    name += legal ? c : '_';
  }
  // A name of digits only would be taken for a number.
  if (!name.empty() && llvm::isDigit(name.front()))
    name.insert(0, "_");
  return name;
}

/// The name a key asks for, or empty.
std::string nameFromKey(StringRef key) {
  StringRef segment = key.substr(key.rfind('/') + 1);
  if (!key.contains('/') || segment.contains('~') || segment.contains('#') ||
      segment.contains('$'))
    return {};
  return decodeName(segment.split(':').first.split('@').first);
}

/// A value's name as MLIR prints it, and as it shall be.
struct Naming {
  std::string printed; ///< empty if nobody asked for it
  std::string wanted;
};

/// Chooses names: unique among all that are visible at a place.
class Namer {
public:
  /// Without a `state` only what has no better name gets one as it is printed,
  /// which takes longer than all the rest.
  Namer(Operation *root, AsmState *state) : root(root), state(state) {
    root->walk([&](Operation *op) {
      if (roleOf(op) == Role::Compute)
        computeKeys.insert(primaryKey(op));
    });
    findCallers(root);
    visit(root);
  }

  const Naming *of(Value value) const {
    auto it = names.find(value);
    return it == names.end() ? nullptr : &it->second;
  }

  const llvm::DenseMap<Value, Naming> &all() const { return names; }

private:
  std::string printedName(Value value) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    value.printAsOperand(stream, state ? *state : ownStateFor(value));
    size_t group = text.find('#');
    if (group != std::string::npos)
      text.resize(group);
    return text;
  }

  /// That of the isolated operation around, which numbers its values alone.
  AsmState &ownStateFor(Value value) {
    Operation *around = value.getParentBlock()->getParentOp();
    while (around != root && !around->hasTrait<OpTrait::IsIsolatedFromAbove>())
      around = around->getParentOp();
    std::unique_ptr<AsmState> &own = ownStates[around];
    if (!own)
      own = std::make_unique<AsmState>(around,
                                       OpPrintingFlags().assumeVerified());
    return *own;
  }

  /// What scopes and kernels are given where they are first called: their
  /// arguments carry no names of their own.
  void findCallers(Operation *root) {
    llvm::StringMap<Operation *> functions;
    root->walk([&](Operation *op) {
      if (auto symbol =
              op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
        if (op->getNumRegions() == 1 && !op->getRegion(0).empty())
          functions[symbol.getValue()] = op;
    });
    auto give = [&](StringRef callee, ValueRange operands) {
      Operation *function = functions.lookup(callee);
      if (!function)
        return;
      callees.insert(function);
      for (auto [argument, operand] :
           llvm::zip(function->getRegion(0).getArguments(), operands))
        given.try_emplace(argument, operand);
    };
    root->walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op))
        give(call.getCallee(), call.getOperands());
      else if (auto dispatch = dyn_cast<block::DispatchOp>(op))
        give(dispatch.getKernel(), dispatch.getBuffers());
    });
  }

  std::string suggestionFor(BlockArgument argument) {
    SmallVector<StringRef> keys = keysOf(argument.getLoc());
    Operation *parent = argument.getOwner()->getParentOp();
    // Loops made by tiling give their arguments their own key.
    if (!keys.empty() && parent && keys.front() != primaryKey(parent))
      if (std::string name = nameFromKey(keys.front()); !name.empty())
        return name;
    if (auto it = given.find(argument); it != given.end())
      if (const Naming *naming = of(it->second))
        if (!llvm::isDigit(naming->wanted[1]))
          return naming->wanted.substr(1);
    unsigned number = argument.getArgNumber();
    if (auto kernel = dyn_cast_or_null<block::KernelOp>(parent))
      if (number >= kernel.getNumBuffers())
        return "g" + std::to_string(number - kernel.getNumBuffers());
    if (auto grid = dyn_cast_or_null<scf::ForallOp>(parent))
      if (number < unsigned(grid.getRank()))
        return "g" + std::to_string(number);
    if (isa_and_nonnull<scf::ForOp>(parent) && number == 0)
      return "i";
    return {};
  }

  /// The buffer that the content of `memref` was first in: through all that
  /// only moves fill, each from one such buffer.
  Value rootOf(Value memref) {
    Value buffer = block::underlyingBuffer(memref);
    auto [known, isNew] = roots.try_emplace(buffer, buffer);
    if (!isNew || !buffer.getDefiningOp<block::AllocOp>())
      return known->second;
    if (block::MoveOp move = fillOf(buffer)) {
      Value root = rootOf(move.getSource());
      return roots[buffer] = root;
    }
    return buffer;
  }

  /// One of the moves that fill `buffer`; null if anything else writes it, or
  /// if they bring parts of different buffers.
  block::MoveOp fillOf(Value buffer) {
    block::MoveOp filledBy;
    for (Operation *user : block::usesOfBuffer(buffer)) {
      if (!block::isInstruction(user))
        continue;
      for (Value write : block::accessesOf(user).writes) {
        if (block::underlyingBuffer(write) != buffer)
          continue;
        auto move = dyn_cast<block::MoveOp>(user);
        if (!move || (filledBy &&
                      rootOf(filledBy.getSource()) != rootOf(move.getSource())))
          return {};
        filledBy = move;
      }
    }
    return filledBy;
  }

  /// A buffer that only moves fill is called after what is moved there.
  std::string suggestionForBuffer(Operation *op) {
    auto type = dyn_cast<MemRefType>(op->getResult(0).getType());
    block::MoveOp filledBy = fillOf(op->getResult(0));
    auto level = type
                     ? dyn_cast_or_null<block::LevelAttr>(type.getMemorySpace())
                     : block::LevelAttr();
    if (!filledBy || !level)
      return {};
    Value source = rootOf(filledBy.getSource());
    const Naming *naming = of(source);
    if (!naming || llvm::isDigit(naming->wanted[1]) ||
        naming->wanted.size() > 60)
      return {};
    StringRef base = StringRef(naming->wanted).drop_front();
    if (auto from = dyn_cast<MemRefType>(source.getType()))
      if (auto fromLevel =
              dyn_cast_or_null<block::LevelAttr>(from.getMemorySpace()))
        base.consume_back("_" + decodeName(fromLevel.getName()));
    return (base + "_" + decodeName(level.getName())).str();
  }

  std::string suggestion(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return suggestionFor(argument);
    Operation *op = cast<OpResult>(value).getOwner();
    Role role = roleOf(op);
    if (role == Role::Buffer)
      if (std::string name = suggestionForBuffer(op); !name.empty())
        return name;
    if (role == Role::Compute || isGroup(role) || role == Role::Dispatch ||
        role == Role::Buffer)
      return nameFromKey(primaryKey(op));
    if (std::string own = ofKeyIfWritten(op); !own.empty())
      return own;
    // A cut or a move of a value is called after that value.
    if ((role == Role::Plumbing || role == Role::Move) &&
        op->getNumOperands() > 0 && op->getNumResults() == 1 &&
        isa<ShapedType>(value.getType()) &&
        isa<ShapedType>(op->getOperand(0).getType()))
      if (const Naming *source = of(op->getOperand(0)))
        return derived(source->wanted, op);
    return {};
  }

  /// The name of an operation the source names, not of what serves another
  /// and carries its key.
  std::string ofKeyIfWritten(Operation *op) {
    StringRef key = primaryKey(op);
    if (key.empty() || computeKeys.contains(key) || op->getNumResults() != 1)
      return {};
    for (Operation *user : op->getUsers())
      if (primaryKey(user) == key)
        return {};
    return usedKeys.insert(key).second ? nameFromKey(key) : std::string();
  }
  static std::string derived(StringRef source, Operation *op) {
    StringRef base = source.drop_front();
    if (base.empty() || llvm::isDigit(base.front()) || base.size() > 60)
      return {};
    std::string suffix = "_tile";
    if (op->getName().getStringRef() == "tile.move") {
      auto level = op->getAttrOfType<StringAttr>("level");
      suffix = level ? "_" + decodeName(level.getValue()) : "_moved";
      base.consume_back("_tile");
      // From level to level: only the last one shows.
      Operation *from = op->getOperand(0).getDefiningOp();
      while (from && roleOf(from) == Role::Plumbing && from->getNumOperands())
        from = from->getOperand(0).getDefiningOp();
      if (auto before =
              from ? from->getAttrOfType<StringAttr>("level") : StringAttr())
        base.consume_back("_" + decodeName(before.getValue()));
    } else if (base.ends_with("_tile")) {
      suffix.clear();
    }
    return (base + suffix).str();
  }

  bool isTaken(StringRef name) const { return taken.lookup(name) > 0; }

  void assign(Value value, SmallVectorImpl<std::string> &here) {
    Naming naming;
    auto print = [&] {
      naming.printed = printedName(value);
      // "<<UNKNOWN" and the like: an operand from outside.
      return StringRef(naming.printed).starts_with("%");
    };
    if (state && !print())
      return;
    std::string name = suggestion(value);
    if (name.empty() && !state && !print())
      return;
    if (name.empty())
      name = naming.printed.substr(1);
    std::string chosen = name;
    bool number = frontend::isNumberedName(name);
    for (int n = 1; isTaken(chosen); ++n) {
      // Resume counting where the last value of this name stopped.
      int &last = counts[name];
      n = std::max(n, last + 1);
      last = n;
      chosen = number ? name + "_" + std::to_string(n)
                      : name + "_" + std::to_string(n);
      if (number)
        chosen.insert(0, "_");
    }
    ++taken[chosen];
    here.push_back(chosen);
    naming.wanted = "%" + chosen;
    names[value] = std::move(naming);
  }

  void assignGroups(Operation *op, SmallVectorImpl<std::string> &here) {
    if (op->getNumResults() == 1)
      return assign(op->getResult(0), here);
    std::string last;
    for (OpResult result : op->getResults()) {
      std::string printed = printedName(result);
      if (result.getResultNumber() > 0 && printed == last) {
        if (const Naming *first =
                of(op->getResult(result.getResultNumber() - 1)))
          names[result] = Naming(*first);
        continue;
      }
      last = printed;
      assign(result, here);
    }
  }

  void visit(Operation *op) {
    // Names do not reach into isolated operations.
    llvm::StringMap<int> savedTaken, savedCounts;
    bool isolated = op->hasTrait<OpTrait::IsIsolatedFromAbove>();
    if (isolated) {
      std::swap(savedTaken, taken);
      std::swap(savedCounts, counts);
    }
    for (Region &region : op->getRegions()) {
      SmallVector<std::string> here;
      // The region's own names before those of regions inside it: a name must
      // not be taken inside by what is defined further down outside.
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          assign(argument, here);
      for (Block &block : region)
        for (Operation &inner : block)
          if (roleOf(&inner) == Role::Compute || isGroup(roleOf(&inner)))
            assignGroups(&inner, here);
      for (Block &block : region)
        for (Operation &inner : block)
          if (inner.getNumResults() && !of(inner.getResult(0)))
            assignGroups(&inner, here);
      for (bool called : {false, true})
        for (Block &block : region)
          for (Operation &inner : block)
            if (inner.getNumRegions() && callees.contains(&inner) == called)
              visit(&inner);
      for (const std::string &name : here)
        --taken[name];
    }
    if (isolated) {
      std::swap(savedTaken, taken);
      std::swap(savedCounts, counts);
    }
  }

  Operation *root;
  AsmState *state;
  llvm::DenseMap<Operation *, std::unique_ptr<AsmState>> ownStates;
  llvm::DenseMap<Value, Naming> names;
  llvm::StringMap<int> taken, counts;
  llvm::StringSet<> computeKeys, usedKeys;
  llvm::DenseSet<Operation *> callees;
  llvm::DenseMap<Value, Value> given; ///< argument -> operand of the first call
  llvm::DenseMap<Value, Value> roots; ///< see rootOf()
};

/// The values an operation's own text may mention.
class Mentioned {
public:
  Mentioned(Operation *op, const Namer &namer) {
    auto add = [&](Value value) {
      if (const Naming *naming = namer.of(value))
        namings.push_back(naming);
    };
    for (Value value : op->getResults())
      add(value);
    for (Value value : op->getOperands())
      add(value);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          add(argument);
    if (namings.size() > 16)
      for (const Naming *naming : namings)
        byPrinted.try_emplace(naming->printed, naming);
  }
  const Naming *find(std::string_view printed) const {
    if (!byPrinted.empty()) {
      auto it = byPrinted.find(printed);
      return it == byPrinted.end() ? nullptr : it->second;
    }
    for (const Naming *naming : namings)
      if (naming->printed == printed)
        return naming;
    return nullptr;
  }

private:
  SmallVector<const Naming *, 6> namings;
  std::unordered_map<std::string_view, const Naming *> byPrinted;
};

} // namespace

llvm::DenseMap<Value, std::string> printedNames(Operation *root) {
  Namer namer(root, nullptr);
  llvm::DenseMap<Value, std::string> names;
  for (const auto &[value, naming] : namer.all())
    names[value] = naming.wanted.substr(1);
  return names;
}

model::PrintedStage printNamed(Operation *root, const PrintLimits &limits) {
  std::vector<std::pair<Operation *, model::TextRange>> operations;
  return printNamed(root, limits, operations);
}

model::PrintedStage
printNamed(Operation *root, const PrintLimits &limits,
           std::vector<std::pair<Operation *, model::TextRange>> &operations) {
  model::PrintedStage result;
  operations.clear();

  OpPrintingFlags flags;
  flags.assumeVerified();
  flags.elideLargeElementsAttrs(limits.constantElements);
  flags.elideLargeResourceString(limits.constantElements);
  AsmState::LocationMap places;
  AsmState state(root, flags, &places);
  frontend::BoundedStream stream{size_t(limits.bytes)};
  root->print(stream, state);
  bool wasCut = stream.full();
  std::string text = stream.take();
  if (wasCut) {
    text.resize(text.rfind('\n') == std::string::npos ? 0
                                                      : text.rfind('\n') + 1);
    text += "// … cut behind " + std::to_string(limits.bytes) + " bytes\n";
  }
  if (text.empty() || text.back() != '\n')
    text += '\n';

  // Operations in the order of the text.
  std::vector<size_t> lines{0};
  for (size_t at = text.find('\n'); at != std::string::npos;
       at = text.find('\n', at + 1))
    lines.push_back(at + 1);
  struct Placed {
    size_t begin;
    Operation *op;
  };
  std::vector<Placed> placed;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto it = places.find(op);
    if (it == places.end() || it->second.first == 0 ||
        it->second.first > lines.size())
      return;
    size_t begin = lines[it->second.first - 1] + it->second.second;
    if (begin < text.size())
      placed.push_back({begin, op});
  });
  model::stableSort(placed, [](const Placed &a, const Placed &b) {
    return a.begin < b.begin;
  });

  Namer namer(root, &state);

  struct Open {
    size_t span; ///< into result.spans and operations
    int depth;
    Mentioned mentioned;
  };
  std::vector<Open> open;
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  size_t copied = 0, next = 0;
  int depth = 0;
  auto closeDeeperThan = [&](int limit) {
    while (!open.empty() && open.back().depth > limit) {
      int64_t end = result.spans[open.back().span].range.end;
      open.pop_back();
      if (!open.empty())
        result.spans[open.back().span].range.end =
            std::max(result.spans[open.back().span].range.end, end);
    }
  };
  SourceLexer lexer(text);
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    out.append(text, copied, token.begin - copied);
    copied = token.begin;
    while (next < placed.size() && placed[next].begin < token.begin)
      ++next;
    if (next < placed.size() && placed[next].begin == token.begin) {
      // What started at this depth has ended.
      closeDeeperThan(depth - 1);
      Operation *op = placed[next++].op;
      model::TextSpan span;
      span.range = {int64_t(out.size()), int64_t(out.size())};
      for (StringRef key : keysOf(op))
        span.keys.push_back(key.str());
      open.push_back({result.spans.size(), depth, Mentioned(op, namer)});
      result.spans.push_back(std::move(span));
      operations.push_back({op, {}});
    } else if (token.kind == TokenKind::BlockLabel && token.startsLine) {
      closeDeeperThan(depth - 1);
    }
    if (token.is('{') || token.is('(') || token.is('['))
      ++depth;
    else if (token.is('}') || token.is(')') || token.is(']')) {
      --depth;
      closeDeeperThan(depth);
    }
    if (token.kind == TokenKind::Value) {
      const Naming *naming = nullptr;
      for (size_t i = open.size(); i-- > 0 && !naming;)
        naming = open[i].mentioned.find(lexer.textOf(token));
      out += naming ? std::string_view(naming->wanted) : lexer.textOf(token);
    } else {
      out += lexer.textOf(token);
    }
    copied = token.end;
    if (!open.empty())
      result.spans[open.back().span].range.end = int64_t(out.size());
  }
  closeDeeperThan(-1);
  out.append(text, copied, text.size() - copied);
  for (size_t i = 0; i < operations.size(); ++i)
    operations[i].second = result.spans[i].range;
  result.text = std::move(out);
  return result;
}

} // namespace tilewright::inspect
