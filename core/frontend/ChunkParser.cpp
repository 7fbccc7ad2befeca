//===- ChunkParser.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/ChunkParser.h"
#include "core/dialect/Key.h"
#include "core/frontend/BoundedPrint.h"
#include "core/frontend/KeyAssignment.h"
#include "core/frontend/MissingData.h"
#include "core/frontend/ParserMessage.h"
#include "core/frontend/SourceLexer.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <algorithm>
#include <thread>
#include <unordered_map>
#include <unordered_set>

using namespace mlir;

namespace tilewright::frontend {

using model::Diagnostic;
using model::TextRange;

namespace {

/// How often a broken chunk is tried with one more line blanked. More tries
/// find little more (they cost a parse each).
constexpr int maxTries = 8;

/// The position a location names in the buffer `name`, if any.
FileLineColLoc positionIn(Location loc, StringRef name) {
  FileLineColLoc found;
  loc->walk([&](Location part) {
    if (auto file = dyn_cast<FileLineColLoc>(part))
      if (file.getFilename().getValue() == name) {
        found = file;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return found;
}

/// Offsets of the lines' first bytes, counting lines as MLIR does.
std::vector<uint32_t> lineStarts(StringRef text) {
  std::vector<uint32_t> starts{0};
  for (size_t at = text.find('\n'); at != StringRef::npos;
       at = text.find('\n', at + 1))
    starts.push_back(uint32_t(at + 1));
  return starts;
}

/// Fills the tables from a parser's state. The operations must be alive and
/// their operands in place.
class Extractor {
public:
  Extractor(const AsmParserState &state, StringRef buffer, size_t prefixSize,
            size_t textSize, const SourceLimits &limits)
      : state(state), buffer(buffer), prefixSize(prefixSize),
        textSize(textSize), limits(limits) {}

  void run(ParsedChunk &chunk, KeyAssignment &keys);

  StringRef nameOf(Operation *op) const {
    const auto *def = state.getOpDef(op);
    if (!def || def->resultGroups.empty())
      return {};
    return textOf(def->resultGroups.front().definition.loc).ltrim('%');
  }
  StringRef nameOf(BlockArgument argument) const {
    const auto *def = state.getBlockDef(argument.getOwner());
    if (!def || argument.getArgNumber() >= def->arguments.size())
      return {};
    return textOf(def->arguments[argument.getArgNumber()].loc).ltrim('%');
  }

  /// Types whose size in bytes does not fit, and one operation that has it.
  std::vector<std::pair<ChunkRange, std::string>> oversized;

  bool rangeOf(SMRange range, ChunkRange &out) const {
    if (!range.isValid())
      return false;
    int64_t begin = range.Start.getPointer() - buffer.data();
    int64_t end = range.End.getPointer() - buffer.data();
    if (begin < int64_t(prefixSize) || end < begin ||
        end > int64_t(prefixSize + textSize))
      return false;
    out = {uint32_t(begin - prefixSize), uint32_t(end - prefixSize)};
    return true;
  }

private:
  StringRef textOf(SMRange range) const {
    if (!range.isValid())
      return {};
    return StringRef(range.Start.getPointer(),
                     size_t(range.End.getPointer() - range.Start.getPointer()));
  }
  uint32_t typeIndex(Type type, ChunkRange at);
  uint32_t nameIndex(StringRef name);
  void addValue(const AsmParserState::SMDefinition &definition, int32_t op,
                uint32_t firstResult, ArrayRef<Type> types, std::string key);

  const AsmParserState &state;
  StringRef buffer;
  size_t prefixSize, textSize;
  const SourceLimits &limits;
  ParsedChunk *chunk = nullptr;
  llvm::DenseMap<Type, uint32_t> typeIndices;
  llvm::StringMap<uint32_t> nameIndices;
};

uint32_t Extractor::typeIndex(Type type, ChunkRange at) {
  auto [it, isNew] = typeIndices.try_emplace(type, chunk->types.size());
  if (!isNew)
    return it->second;
  chunk->types.push_back(boundedText(type, size_t(limits.shownBytes)));
  if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank()) {
    // 2^63 bits: sizes are counted in bits at some places, in 64-bit integers.
    unsigned __int128 bits = shaped.getElementType().isIntOrFloat()
                                 ? shaped.getElementTypeBitWidth()
                                 : 64;
    for (int64_t size : shaped.getShape())
      if (!ShapedType::isDynamic(size)) {
        bits *= unsigned(size > 0) ? (unsigned __int128)size : 0;
        if (bits >> 63) {
          oversized.push_back({at, chunk->types.back()});
          break;
        }
      }
  }
  return it->second;
}

uint32_t Extractor::nameIndex(StringRef name) {
  auto [it, isNew] = nameIndices.try_emplace(name, chunk->names.size());
  if (isNew)
    chunk->names.push_back(name.str());
  return it->second;
}

void Extractor::addValue(const AsmParserState::SMDefinition &definition,
                         int32_t op, uint32_t firstResult, ArrayRef<Type> types,
                         std::string key) {
  ParsedValue value;
  if (!rangeOf(definition.loc, value.definition))
    return;
  value.operation = op;
  value.firstResult = firstResult;
  value.firstType = uint32_t(chunk->typeIndices.size());
  value.count = uint32_t(types.size());
  value.key = std::move(key);
  for (Type type : types)
    chunk->typeIndices.push_back(typeIndex(type, value.definition));
  uint32_t index = uint32_t(chunk->values.size());
  chunk->references.push_back({value.definition, index});
  for (SMRange use : definition.uses) {
    ParsedReference reference;
    reference.value = index;
    if (rangeOf(use, reference.range))
      chunk->references.push_back(reference);
  }
  chunk->values.push_back(std::move(value));
}

void Extractor::run(ParsedChunk &into, KeyAssignment &keys) {
  chunk = &into;
  const auto defs = state.getOpDefs();
  const size_t count = size_t(std::distance(defs.begin(), defs.end()));
  chunk->operations.reserve(count);
  chunk->values.reserve(count + 8);
  chunk->typeIndices.reserve(count + 8);
  chunk->references.reserve(3 * count + 8);
  for (const auto &def : state.getOpDefs()) {
    ParsedOperation op;
    if (!rangeOf(def.scopeLoc, op.range) || !rangeOf(def.loc, op.nameRange))
      continue;
    for (const auto &group : def.resultGroups) {
      ChunkRange name;
      if (rangeOf(group.definition.loc, name))
        op.range.begin = std::min(op.range.begin, name.begin);
    }
    op.name = nameIndex(def.op->getName().getStringRef());
    op.key = keys.keyOf(def.op).str();
    if (auto symbol =
            def.op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      op.symbol = symbol.getValue().str();
    int32_t index = int32_t(chunk->operations.size());
    for (auto [g, group] : llvm::enumerate(def.resultGroups)) {
      unsigned begin = group.startIndex;
      unsigned end = g + 1 < def.resultGroups.size()
                         ? def.resultGroups[g + 1].startIndex
                         : def.op->getNumResults();
      end = std::min(end, def.op->getNumResults());
      if (begin >= end)
        continue;
      SmallVector<Type> types;
      for (unsigned r = begin; r < end; ++r)
        types.push_back(def.op->getResult(r).getType());
      addValue(group.definition, index, begin, types,
               keys.keyOf(def.op->getResult(begin)));
    }
    if (auto call = dyn_cast<func::CallOp>(def.op)) {
      ParsedCall entry;
      entry.range = op.nameRange;
      entry.callee = call.getCallee().str();
      entry.type = boundedText(call.getCalleeType(), size_t(limits.shownBytes));
      entry.key = op.key;
      chunk->calls.push_back(std::move(entry));
    }
    chunk->operations.push_back(std::move(op));
  }
  for (const auto &def : state.getBlockDefs())
    for (auto [index, argument] : llvm::enumerate(def.arguments))
      if (index < def.block->getNumArguments()) {
        BlockArgument value = def.block->getArgument(index);
        addValue(argument, -1, 0, {value.getType()}, keys.keyOf(value));
      }

  // In the order of the text, enclosing first; references to operations follow.
  std::vector<uint32_t> order(chunk->operations.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = uint32_t(i);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const ChunkRange &x = chunk->operations[a].range;
    const ChunkRange &y = chunk->operations[b].range;
    return x.begin != y.begin ? x.begin < y.begin : x.end > y.end;
  });
  std::vector<uint32_t> place(order.size());
  std::vector<ParsedOperation> sorted;
  sorted.reserve(order.size());
  for (uint32_t from : order) {
    place[from] = uint32_t(sorted.size());
    sorted.push_back(std::move(chunk->operations[from]));
  }
  chunk->operations = std::move(sorted);
  for (ParsedValue &value : chunk->values)
    if (value.operation >= 0)
      value.operation = int32_t(place[size_t(value.operation)]);
  uint32_t end = 0;
  for (auto [index, op] : llvm::enumerate(chunk->operations)) {
    if (op.range.begin < end)
      continue;
    end = op.range.end;
    if (!op.symbol.empty())
      chunk->definitions.push_back(uint32_t(index));
  }
  std::sort(chunk->references.begin(), chunk->references.end(),
            [](const ParsedReference &a, const ParsedReference &b) {
              return a.range.begin < b.range.begin;
            });
}

/// Where the symbol of the chunk's first operation is: for keys of a chunk that
/// does not parse.
std::string symbolInText(StringRef text) {
  SourceLexer lexer(text);
  for (int i = 0; i < 8; ++i) {
    Token token = lexer.next();
    if (token.kind == TokenKind::Symbol)
      return symbolName(lexer.textOf(token));
    if (token.kind == TokenKind::End || token.is('{') || token.is('('))
      break;
  }
  return {};
}

} // namespace

/// `message` with resources called as in `text`.
static std::string asWritten(std::string message, StringRef text) {
  size_t begin = message.find("for key '"), end = message.rfind('\'');
  if (begin == std::string::npos || end < (begin += 9))
    return message;
  StringRef name = StringRef(message).slice(begin, end);
  message.replace(begin, name.size(), writtenResource(name, text).str());
  return message;
}

/// What one parse of one version of the chunk gave.
struct ChunkParser::Attempt {
  OwningOpRef<ModuleOp> container;
  std::vector<Diagnostic> errors;
  bool failed = false;
  bool cancelled = false;
};

ChunkParser::ChunkParser(MLIRContext &context, std::string bufferName,
                         SourceLimits limits)
    : context(context), bufferName(std::move(bufferName)), limits(limits) {}

std::shared_ptr<const ParsedChunk>
ChunkParser::read(const ChunkInput &input, const std::atomic<bool> *cancel) {
  OwningOpRef<ModuleOp> operations;
  return read(input, cancel, operations);
}

namespace {

/// Finds attributes that were given a value of another kind. Operations with a
/// parser of their own take any; the value is dropped, and who asks for it then
/// (their verifier, before all) reads nothing's insides.
class DroppedAttributes {
public:
  /// One with a default, and so always there, that `op` has not. Null: none.
  StringAttr of(Operation *op) {
    // Ours have verifiers that expect it, and say more.
    StringRef dialect = op->getName().getDialectNamespace();
    if (op->getPropertiesStorageSize() == 0 || !op->isRegistered() ||
        dialect == "tw" || dialect == "tile" || dialect == "block")
      return nullptr;
    auto [it, isNew] = defaulted.try_emplace(op->getName());
    if (isNew) {
      Operation *bare = Operation::create(
          op->getLoc(), op->getName(), TypeRange(), ValueRange(),
          NamedAttrList(), OpaqueProperties(nullptr), BlockRange(), 0);
      for (StringAttr name : op->getRegisteredInfo()->getAttributeNames())
        if (std::optional<Attribute> value = bare->getInherentAttr(name);
            value && *value)
          it->second.push_back(name);
      bare->destroy();
    }
    for (StringAttr name : it->second)
      if (std::optional<Attribute> value = op->getInherentAttr(name);
          value && !*value)
        return name;
    return nullptr;
  }

private:
  llvm::DenseMap<OperationName, SmallVector<StringAttr, 2>> defaulted;
};

} // namespace

/// Reports every error of the operations of `root`, one by one, since the
/// verifier as a whole stops at the first. False if it was broken off.
static bool verifyEach(ModuleOp root, Operation *&current,
                       function_ref<bool(Operation *)> wanted,
                       const std::atomic<bool> *cancel) {
  DominanceInfo dominance;
  DroppedAttributes dropped;
  WalkResult walked = root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (cancel && *cancel)
      return WalkResult::interrupt();
    if (op == root.getOperation() || !wanted(op))
      return WalkResult::advance();
    current = op;
    if (StringAttr name = dropped.of(op)) {
      op->emitError() << "attribute '" << name.getValue()
                      << "' has a value of another kind than it takes";
      return WalkResult::advance();
    }
    if (failed(verify(op, /*verifyRecursively=*/false)))
      return WalkResult::advance();
    for (OpOperand &operand : op->getOpOperands()) {
      if (op->getBlock()->isEntryBlock() &&
          operand.get().getParentBlock() == op->getBlock() &&
          !isa<OpResult>(operand.get()))
        continue;
      if (!dominance.properlyDominates(operand.get(), op))
        op->emitError() << "operand #" << operand.getOperandNumber()
                        << " is used where it is not yet computed";
    }
    return WalkResult::advance();
  });
  current = nullptr;
  return !walked.wasInterrupted();
}

void ChunkParser::attempt(const ChunkInput &input, const std::string &text,
                          const std::atomic<bool> *cancel, ParsedChunk &tables,
                          Attempt &result) {
  std::string whole = input.prefix + text + input.suffix;
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(whole, bufferName), SMLoc());
  StringRef buffer =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID())->getBuffer();
  std::vector<uint32_t> lines = lineStarts(buffer);

  AsmParserState state;
  Extractor extractor(state, buffer, input.prefix.size(), text.size(), limits);
  auto ofOperation = [&](Operation *op) { return extractor.nameOf(op); };
  auto ofArgument = [&](BlockArgument arg) { return extractor.nameOf(arg); };
  KeyAssignment keys(SourceNames{ofOperation, ofArgument});

  // Offset in the chunk; clamped to it for what lies in the prefix.
  auto offsetOf = [&](Location loc) -> int64_t {
    FileLineColLoc file = positionIn(loc, bufferName);
    if (!file || file.getLine() == 0 || file.getLine() > lines.size())
      return 0;
    int64_t offset = int64_t(lines[file.getLine() - 1]) + file.getColumn() -
                     (file.getColumn() ? 1 : 0);
    return std::clamp<int64_t>(offset - int64_t(input.prefix.size()), 0,
                               int64_t(text.size()));
  };

  auto placeOf = [&](Location loc) -> TextRange {
    if (FileLineColLoc file = positionIn(loc, bufferName);
        file && file.getLine() == 1)
      for (const auto &[offset, place] : input.standIns)
        if (offset + 1 == file.getColumn())
          return place;
    return wordAt(text, offsetOf(loc));
  };

  // Called by the parser, in the middle of things, at its first error: the
  // finished operations are alive, the unfinished ones that enclose them are
  // not linked yet.
  auto salvage = [&] {
    llvm::DenseSet<Operation *> known;
    for (const auto &def : state.getOpDefs())
      known.insert(def.op);
    std::string path = input.path;
    if (std::string symbol = symbolInText(text); !symbol.empty())
      path += (path.empty() ? "" : "/") + encodeKeySegment(symbol);
    SmallVector<Operation *> loose;
    SmallVector<BlockArgument> arguments;
    for (const auto &def : state.getOpDefs()) {
      Operation *parent = def.op->getParentOp();
      if (parent && known.contains(parent))
        continue;
      if (isa<FunctionOpInterface>(def.op) || isa<ModuleOp>(def.op))
        keys.assignTop(def.op, input.path);
      else
        loose.push_back(def.op);
    }
    for (const auto &def : state.getBlockDefs()) {
      Operation *parent = def.block->getParentOp();
      if (!parent || !known.contains(parent))
        arguments.append(def.block->args_begin(), def.block->args_end());
    }
    keys.assignInside(loose, arguments, path);
    extractor.run(tables, keys);
    for (const auto &def : state.getOpDefs())
      def.op->dropAllReferences();
  };

  const std::thread::id thread = std::this_thread::get_id();
  bool parsing = true;
  Operation *current = nullptr;
  auto rangeOfOperation = [&](Operation *op) -> TextRange {
    ChunkRange range;
    if (const auto *def = op ? state.getOpDef(op) : nullptr)
      if (extractor.rangeOf(def->loc, range))
        return {range.begin, range.end};
    return {0, 1};
  };
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (std::this_thread::get_id() != thread)
      return failure();
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error &&
        diagnostic.getSeverity() != DiagnosticSeverity::Warning)
      return success();
    bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
    if (isError && parsing && !result.failed) {
      result.failed = true;
      salvage();
    }
    Diagnostic entry;
    entry.severity =
        isError ? model::Severity::Error : model::Severity::Warning;
    describeParserMessage(asWritten(diagnostic.str(), input.suffix), parsing,
                          context, entry);
    if (parsing) {
      int64_t offset = offsetOf(diagnostic.getLocation());
      entry.range = wordAt(text, offset);
      if (StringRef(text).substr(size_t(offset)).starts_with(leftOutValues))
        describeMissingData(entry);
    } else {
      entry.range = rangeOfOperation(current);
      entry.key = current ? keys.keyOf(current).str() : std::string();
    }
    for (mlir::Diagnostic &note : diagnostic.getNotes()) {
      if (!positionIn(note.getLocation(), bufferName))
        continue;
      std::string message = cutText(note.str(), size_t(limits.shownBytes));
      if (!StringRef(message).starts_with("see current operation"))
        entry.related.push_back({"", placeOf(note.getLocation()), message});
    }
    result.errors.push_back(std::move(entry));
    return success();
  });

  result.container = ModuleOp::create(UnknownLoc::get(&context));
  LogicalResult parsed = parseAsmSourceFile(
      sourceMgr, result.container->getBody(),
      ParserConfig(&context, /*verifyAfterParse=*/false), &state);
  parsing = false;
  if (failed(parsed) && !result.failed) {
    // Cannot happen by what the parser promises; be safe, not sorry.
    result.failed = true;
    Diagnostic entry;
    entry.code = "TW0001";
    entry.message = "cannot be parsed";
    result.errors.push_back(std::move(entry));
  }
  if (result.failed) {
    // What is left holds operations without operands.
    result.container.release().erase();
    return;
  }

  Block *body = result.container->getBody();
  for (int i = 0; i < input.modules; ++i)
    body = cast<ModuleOp>(body->front()).getBody();
  for (Operation &op : *body)
    keys.assignTop(&op, input.path);
  extractor.run(tables, keys);
  for (auto &[range, type] : extractor.oversized) {
    Diagnostic entry;
    entry.code = "TW0102";
    entry.message = "too large: " + type + " has more than 2^63 bits";
    entry.range = {range.begin, range.end};
    result.errors.push_back(std::move(entry));
  }
  llvm::DenseSet<Operation *> modules;
  for (Block *b = result.container->getBody(); b != body;) {
    modules.insert(&b->front());
    b = cast<ModuleOp>(b->front()).getBody();
  }
  const bool unblanked = text == input.text;
  result.cancelled = !verifyEach(
      *result.container, current,
      [&](Operation *op) {
        if (modules.contains(op))
          return false;
        if (unblanked)
          return true;
        // What a blanked line belonged to cannot be judged.
        ChunkRange range;
        const auto *def = state.getOpDef(op);
        return def && extractor.rangeOf(def->scopeLoc, range) &&
               StringRef(text).slice(range.begin, range.end) ==
                   StringRef(input.text).slice(range.begin, range.end);
      },
      cancel);
  if (input.firstLine) {
    // From the parsed buffer to the file.
    auto moved = [&](Location loc) -> Location {
      auto file = dyn_cast<FileLineColLoc>(loc);
      if (!file || file.getFilename().getValue() != bufferName)
        return loc;
      unsigned column = file.getColumn();
      if (file.getLine() == 1)
        column = column - unsigned(input.prefix.size()) + input.firstColumn - 1;
      return FileLineColLoc::get(file.getFilename(),
                                 file.getLine() + input.firstLine - 1, column);
    };
    body->walk([&](Operation *op) {
      op->setLoc(moved(op->getLoc()));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            argument.setLoc(moved(argument.getLoc()));
    });
    for (Operation &op : *body)
      keys.apply(&op);
  }
}

/// Blanks the line at `offset`, or the next one that is not blank yet; to the
/// matching `}` if it opens one. Line ends stay. False if nothing is left.
static bool blankLine(std::string &text, size_t offset) {
  offset = std::min(offset, text.size());
  size_t begin = text.rfind('\n', offset ? offset - 1 : 0);
  if (begin == std::string::npos || offset == 0)
    begin = 0;
  else
    ++begin;
  size_t end;
  while (true) {
    end = text.find('\n', begin);
    if (end == std::string::npos)
      end = text.size();
    size_t first = text.find_first_not_of(" \t\r", begin);
    if (first < end)
      break;
    if (end >= text.size())
      return false;
    begin = end + 1;
  }
  SourceLexer lexer(StringRef(text).substr(0, text.size()), uint32_t(begin));
  int depth = 0;
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    if (token.begin >= end && depth <= 0)
      break;
    if (token.is('{'))
      ++depth;
    else if (token.is('}') && --depth <= 0 && token.begin >= end) {
      // Up to the end of the line that closes it.
      size_t close = text.find('\n', token.end);
      end = close == std::string::npos ? text.size() : close;
      break;
    }
  }
  // A line that closes what an earlier one opened keeps its `}`.
  if (depth < 0) {
    size_t brace = text.find('}', begin);
    if (brace == std::string::npos || brace >= end)
      return false;
    bool only = text.find_first_not_of(" \t\r}", begin) >= end;
    if (only)
      return false;
    for (size_t i = begin; i < end; ++i)
      if (text[i] != '}' && text[i] != '\n' && text[i] != '\r')
        text[i] = ' ';
    return true;
  }
  for (size_t i = begin; i < end; ++i)
    if (text[i] != '\n' && text[i] != '\r')
      text[i] = ' ';
  return true;
}

std::shared_ptr<const ParsedChunk>
ChunkParser::read(const ChunkInput &input, const std::atomic<bool> *cancel,
                  OwningOpRef<ModuleOp> &operations) {
  auto best = std::make_shared<ParsedChunk>();
  std::vector<ParsedSymbol> symbols;
  std::vector<Diagnostic> diagnostics =
      checkBeforeParsing(input.text, input.prefix, &symbols);
  const bool parse = diagnostics.empty();

  // Zero bytes are reported by who cut the text; the parser would take some of
  // them for the end.
  std::string text = input.text;
  std::replace(text.begin(), text.end(), '\0', ' ');
  ChunkInput clean = input;
  clean.text = text;

  std::unordered_set<std::string> blankedNames;
  int64_t lastError = -1;
  int tries = 0;
  for (; parse && tries < maxTries; ++tries) {
    if (cancel && *cancel) {
      best->cancelled = true;
      break;
    }
    ParsedChunk tables;
    Attempt result;
    attempt(clean, text, cancel, tables, result);
    if (result.cancelled) {
      best->cancelled = true;
      break;
    }
    bool better =
        tries == 0 || tables.operations.size() > best->operations.size();
    if (better)
      *best = std::move(tables);

    // Uses of what a blanked line defined are no news.
    const Diagnostic *first = nullptr;
    for (Diagnostic &error : result.errors) {
      bool undefined = error.code == "TW0021";
      if (undefined) {
        StringRef name =
            StringRef(input.text)
                .substr(size_t(error.range.begin),
                        size_t(error.range.end - error.range.begin));
        if (blankedNames.count(name.str()))
          continue;
      }
      if (input.unbalanced && error.code == "TW0001")
        continue;
      if (error.severity == model::Severity::Error && !undefined && !first)
        first = &error;
      bool known = llvm::any_of(diagnostics, [&](const Diagnostic &other) {
        return other.range == error.range && other.message == error.message;
      });
      if (!known && int(diagnostics.size()) < limits.errorsPerChunk)
        diagnostics.push_back(error);
    }
    if (!result.failed) {
      if (tries == 0 && result.errors.empty()) {
        best->complete = true;
        operations = std::move(result.container);
      } else if (tries == 0) {
        best->complete =
            llvm::none_of(result.errors, [](const Diagnostic &error) {
              return error.severity == model::Severity::Error;
            });
        if (best->complete)
          operations = std::move(result.container);
      }
      break;
    }
    // Tries go on while they get further.
    if (!first || (!better && first->range.begin <= lastError))
      break;
    lastError = first->range.begin;
    std::string before = text;
    if (!blankLine(text, size_t(first->range.begin)))
      break;
    // With lines gone the rest may mean something else.
    if (!checkBeforeParsing(text, input.prefix).empty())
      break;
    // Names that went with the line.
    SourceLexer lexer(before);
    for (Token token = lexer.next(); token.kind != TokenKind::End;
         token = lexer.next())
      if (token.kind == TokenKind::Value && text[token.begin] == ' ')
        blankedNames.insert(std::string(lexer.textOf(token)));
  }

  best->prefix = input.prefix;
  best->text = input.text;
  best->suffix = input.suffix;
  best->unbalanced = input.unbalanced;
  best->diagnostics = std::move(diagnostics);
  best->symbols = std::move(symbols);
  return best;
}

} // namespace tilewright::frontend
