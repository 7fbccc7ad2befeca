//===- SourceDocument.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/SourceDocument.h"
#include "core/dialect/Key.h"
#include "core/frontend/ChunkParser.h"
#include "core/frontend/Dialects.h"
#include "core/frontend/MissingData.h"
#include "core/frontend/MovedSnapshot.h"
#include "core/frontend/SourceLexer.h"
#include "core/frontend/TextChange.h"
#include "core/frontend/WindowRead.h"
#include "core/model/StableSort.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/thread.h"
#include <algorithm>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace mlir;

namespace tilewright::frontend {

using model::Diagnostic;
using model::Severity;
using model::TextRange;

namespace {

TextRange moved(TextRange range, int64_t by) {
  return {range.begin + by, range.end + by};
}
TextRange moved(ChunkRange range, int64_t by) {
  return {int64_t(range.begin) + by, int64_t(range.end) + by};
}

bool isCancelled(const std::atomic<bool> *cancel) { return cancel && *cancel; }

/// What chunks are read with: aliases and module headers before, braces and
/// resources behind.
class Surroundings {
public:
  Surroundings(std::string_view text, const SourceLayout &layout)
      : text(text), layout(layout), aliasTexts(layout.aliases.size()),
        moduleTexts(layout.modules.size()) {}

  ChunkInput inputFor(size_t index) {
    const ChunkSpan &span = layout.chunks[index];
    ChunkInput input;
    for (size_t alias : aliasClosure(layout, span.aliases)) {
      if (layout.aliases[alias].blocked)
        continue;
      std::string &line = aliasTexts[alias];
      if (line.empty())
        line = onOneLine(slice(layout.aliases[alias].range)) + " ";
      input.prefix += line;
    }
    std::vector<int> modules;
    for (int m = span.module; m >= 0; m = layout.modules[m].parent)
      modules.push_back(m);
    for (auto it = modules.rbegin(); it != modules.rend(); ++it) {
      std::string &line = moduleTexts[*it];
      if (line.empty())
        line = onOneLine(slice(layout.modules[*it].header)) + " ";
      input.prefix += line;
      input.suffix += "}";
      // Modules inside a module are part of a key's path.
      if (it != modules.rbegin() && !layout.modules[*it].name.empty())
        input.path += (input.path.empty() ? "" : "/") +
                      encodeKeySegment(layout.modules[*it].name);
    }
    input.modules = int(modules.size());
    if (!input.suffix.empty())
      input.suffix.insert(0, "\n");
    input.text = std::string(slice(span.range));
    input.unbalanced = span.unbalanced;
    if (layout.metadata.end > layout.metadata.begin &&
        input.text.find("dense_resource") != std::string::npos)
      input.suffix += "\n" + std::string(slice(layout.metadata));
    return input;
  }

private:
  std::string_view slice(TextRange range) const {
    return text.substr(size_t(range.begin), size_t(range.end - range.begin));
  }
  std::string_view text;
  const SourceLayout &layout;
  std::vector<std::string> aliasTexts, moduleTexts;
};

/// Errors in the texts of aliases, found on their own so that each is reported
/// once and at its place. Broken ones are blocked.
void checkAliases(MLIRContext &context, const std::string &uri,
                  SourceSnapshot &source, const SourceLimits &limits) {
  auto isBroken = [&](size_t index) {
    return source.layout.aliases[index].blocked;
  };
  // All at once; the first error blocks its alias, and again without it.
  for (int round = 0; round < limits.errorsPerChunk; ++round) {
    ChunkInput input;
    std::vector<std::pair<size_t, size_t>> starts; // offset, alias
    std::vector<size_t> all;
    for (size_t i = 0; i < source.layout.aliases.size(); ++i)
      all.push_back(i);
    for (size_t index : aliasClosure(source.layout, all)) {
      const AliasSpan &alias = source.layout.aliases[index];
      bool usable = !isBroken(index);
      for (size_t used : alias.uses)
        usable &= !isBroken(used);
      if (!usable)
        continue;
      starts.push_back({input.text.size(), index});
      input.text +=
          source.text.substr(size_t(alias.range.begin),
                             size_t(alias.range.end - alias.range.begin));
      input.text += '\n';
    }
    if (starts.empty()) {
      source.aliasesRight = source.layout.aliases.empty();
      return;
    }
    ChunkParser parser(context, uri, limits);
    std::shared_ptr<const ParsedChunk> parsed = parser.read(input, nullptr);
    bool blocked = false;
    for (const Diagnostic &diagnostic : parsed->diagnostics) {
      if (diagnostic.severity != Severity::Error)
        continue;
      auto it = std::upper_bound(
          starts.begin(), starts.end(),
          std::make_pair(size_t(diagnostic.range.begin), SIZE_MAX));
      if (it == starts.begin())
        continue;
      --it;
      AliasSpan &alias = source.layout.aliases[it->second];
      if (alias.blocked)
        continue;
      alias.blocked = blocked = true;
      Diagnostic entry = diagnostic;
      entry.range =
          moved(diagnostic.range, alias.range.begin - int64_t(it->first));
      source.diagnostics.push_back(std::move(entry));
      break;
    }
    if (!blocked) {
      source.aliasesRight = starts.size() == source.layout.aliases.size();
      return;
    }
  }
}

/// What a chunk alone cannot know: symbols defined twice, calls of functions
/// elsewhere.
void checkSymbols(SourceSnapshot &source) {
  struct Definition {
    TextRange range;
    std::string type;
    bool isFunction = false;
  };
  std::unordered_map<std::string, Definition> defined;
  bool anyFunction = false;
  auto scoped = [](int module, std::string_view name) {
    return std::to_string(module) + "/" + std::string(name);
  };
  for (size_t i = 0; i < source.chunks.size(); ++i) {
    const auto &chunk = source.chunks[i];
    const ChunkSpan &span = source.layout.chunks[i];
    if (!chunk) {
      anyFunction = true;
      continue;
    }
    for (uint32_t index : chunk->definitions) {
      const ParsedOperation &op = chunk->operations[index];
      const std::string &name = chunk->names[op.name];
      anyFunction |= name == "func.func" || name == "block.program";
      TextRange range = moved(op.nameRange, span.range.begin);
      auto at = std::lower_bound(chunk->symbols.begin(), chunk->symbols.end(),
                                 op.nameRange.end,
                                 [](const ParsedSymbol &s, uint32_t offset) {
                                   return s.range.begin < offset;
                                 });
      if (at != chunk->symbols.end() && at->name == op.symbol)
        range = moved(at->range, span.range.begin);
      auto [it, isNew] =
          defined.try_emplace(scoped(span.module, op.symbol),
                              Definition{range, {}, name == "func.func"});
      if (!isNew) {
        Diagnostic diagnostic;
        diagnostic.code = "TW0014";
        diagnostic.message = "'" + op.symbol + "' is defined twice";
        diagnostic.hint = "give one of them another name";
        diagnostic.range = range;
        diagnostic.key = op.key;
        diagnostic.related.push_back(
            {source.uri, it->second.range, "the other one is here"});
        source.diagnostics.push_back(std::move(diagnostic));
      }
    }
    // A chunk that does not parse still has its function, by its text.
    if (!chunk->complete && chunk->operations.empty() &&
        !chunk->symbols.empty())
      anyFunction = true;
    if (!chunk->complete && !chunk->symbols.empty())
      defined.try_emplace(
          scoped(span.module, chunk->symbols.front().name),
          Definition{
              moved(chunk->symbols.front().range, span.range.begin), {}, true});
  }
  for (size_t i = 0; i < source.chunks.size(); ++i) {
    const auto &chunk = source.chunks[i];
    if (!chunk || !chunk->complete)
      continue;
    for (const ParsedCall &call : chunk->calls) {
      const ChunkSpan &span = source.layout.chunks[i];
      bool found = false;
      for (int m = span.module; !found; m = source.layout.modules[m].parent) {
        found = defined.count(scoped(m, call.callee)) > 0;
        if (m < 0)
          break;
      }
      if (found)
        continue;
      Diagnostic diagnostic;
      diagnostic.code = "TW0113";
      diagnostic.message = "function '" + call.callee + "' is not defined";
      diagnostic.hint = "define it in this file, or correct its name";
      diagnostic.range = moved(call.range, span.range.begin);
      diagnostic.key = call.key;
      source.diagnostics.push_back(std::move(diagnostic));
    }
  }
  if (!anyFunction && source.diagnostics.empty()) {
    Diagnostic diagnostic;
    diagnostic.code = "TW0018";
    diagnostic.severity = Severity::Warning;
    diagnostic.message = "the text holds no function";
    diagnostic.hint = "write `func.func @name(…) -> … { … }`";
    diagnostic.range = {0, std::min<int64_t>(1, int64_t(source.text.size()))};
    source.diagnostics.push_back(std::move(diagnostic));
  }
}

} // namespace

/// Fills `source.layout`. Where only some chunks were touched it says which,
/// and takes the others over.
static std::optional<Resplit> layOut(SourceSnapshot &source,
                                     const SourceSnapshot *previous,
                                     const SourceLimits &limits) {
  std::optional<Resplit> part;
  if (previous && (previous->aliasesRight || previous->layout.aliases.empty()))
    part = resplitSource(previous->layout, previous->text, source.text, limits);
  if (!part) {
    source.layout = splitSource(source.text, limits);
    source.chunks.resize(source.layout.chunks.size());
    return part;
  }
  source.layout = std::move(part->layout);
  source.chunks.resize(source.layout.chunks.size());
  std::copy_n(previous->chunks.begin(), part->first, source.chunks.begin());
  std::copy(previous->chunks.begin() + int64_t(part->oldEnd),
            previous->chunks.end(),
            source.chunks.begin() + int64_t(part->newEnd));
  for (auto &chunk : source.chunks)
    if (chunk && chunk->cancelled)
      chunk = nullptr;
  return part;
}

/// A text of fewer bytes is read by one thread.
static constexpr int64_t parallelBytes = 256 << 10;
/// Threads that read one text.
static constexpr size_t readers = 4;
/// Regions may be nested, see SourceLimits.
static constexpr unsigned readerStackBytes = 64 << 20;

/// As readSource(). Either flag (each may be null) breaks it off.
static std::shared_ptr<const SourceSnapshot>
readUnless(const std::atomic<bool> *cancel, const std::atomic<bool> *outdated,
           MLIRContext &context, std::string uri, int64_t version,
           std::string text, const SourceSnapshot *previous,
           const SourceLimits &limits) {
  auto source = std::make_shared<SourceSnapshot>();
  source->uri = std::move(uri);
  source->version = version;
  source->text = std::move(text);
  std::optional<Resplit> part = layOut(*source, previous, limits);
  source->diagnostics = source->layout.diagnostics;
  if (source->layout.tooLarge) {
    source->text.resize(0);
    for (Diagnostic &diagnostic : source->diagnostics)
      diagnostic.uri = source->uri;
    return source;
  }
  std::string bufferName = source->uri.empty() ? "source" : source->uri;
  for (const AliasSpan &alias : source->layout.aliases) {
    source->aliasText.append(source->text, size_t(alias.range.begin),
                             size_t(alias.range.end - alias.range.begin));
    source->aliasText += '\n';
  }
  if (previous && previous->aliasesRight &&
      previous->aliasText == source->aliasText)
    source->aliasesRight = true;
  else
    checkAliases(context, bufferName, *source, limits);

  // Chunks by their text; of a text edited in parts only those that are gone.
  std::unordered_multimap<std::string_view, std::shared_ptr<const ParsedChunk>>
      known;
  if (previous)
    for (size_t i = part ? part->first : 0;
         i < (part ? part->oldEnd : previous->chunks.size()); ++i)
      if (const auto &chunk = previous->chunks[i]; chunk && !chunk->cancelled)
        known.emplace(chunk->text, chunk);

  Surroundings surroundings(source->text, source->layout);
  std::vector<size_t> unread; // indices of chunks
  int64_t bytes = 0;
  for (size_t i = 0; i < source->layout.chunks.size(); ++i) {
    const ChunkSpan &span = source->layout.chunks[i];
    if (source->chunks[i] || span.blocked)
      continue;
    if (!known.empty()) {
      ChunkInput input = surroundings.inputFor(i);
      auto [begin, end] = known.equal_range(input.text);
      for (auto it = begin; it != end; ++it)
        if (it->second->prefix == input.prefix &&
            it->second->suffix == input.suffix &&
            it->second->unbalanced == input.unbalanced) {
          source->chunks[i] = it->second;
          break;
        }
      if (source->chunks[i])
        continue;
    }
    unread.push_back(i);
    bytes += span.range.end - span.range.begin;
  }

  // Each is then an edition of the one before it in the same place.
  const bool sameChunks =
      previous && previous->chunks.size() == source->chunks.size();
  std::atomic<size_t> next = 0;
  std::mutex texts; // of the surroundings
  std::atomic<bool> stopped = false;
  auto readSome = [&] {
    ChunkParser parser(context, bufferName, limits);
    for (size_t k = next++; k < unread.size(); k = next++) {
      if (isCancelled(cancel) || isCancelled(outdated)) {
        stopped = true;
        return;
      }
      ChunkInput input;
      {
        std::lock_guard lock(texts);
        input = surroundings.inputFor(unread[k]);
      }
      auto &chunk = source->chunks[unread[k]];
      std::shared_ptr<const ParsedChunk> before;
      if (sameChunks)
        before = previous->chunks[unread[k]];
      if (before)
        chunk = readWindow(context, bufferName, limits, input, before, cancel);
      if (!chunk) {
        chunk = parser.read(input, cancel);
        if (!chunk->complete &&
            int64_t(input.text.size()) >= limits.windowedBytes)
          std::const_pointer_cast<ParsedChunk>(chunk)->right =
              lastRight(before);
      }
      if (chunk->cancelled)
        stopped = true;
    }
  };
  // Chunks need nothing of each other; a few are not worth a thread.
  std::vector<llvm::thread> helpers;
  if (context.isMultithreadingEnabled() && bytes >= parallelBytes)
    for (size_t i = 1;
         i < std::min<size_t>(
                 {unread.size(), readers, std::thread::hardware_concurrency()});
         ++i)
      helpers.emplace_back(std::optional<unsigned>(readerStackBytes), readSome);
  readSome();
  for (llvm::thread &helper : helpers)
    helper.join();
  source->cancelled = stopped;

  for (size_t i = 0; i < source->chunks.size(); ++i) {
    if (!source->chunks[i])
      continue;
    int64_t base = source->layout.chunks[i].range.begin;
    for (Diagnostic diagnostic : source->chunks[i]->diagnostics) {
      diagnostic.range = moved(diagnostic.range, base);
      for (model::RelatedInformation &related : diagnostic.related) {
        related.uri = source->uri;
        related.range = moved(related.range, base);
      }
      // What our own lexer has said of a place need not be said twice.
      if (diagnostic.code == "TW0001" &&
          std::any_of(source->layout.diagnostics.begin(),
                      source->layout.diagnostics.end(),
                      [&](const Diagnostic &other) {
                        return other.range.begin <= diagnostic.range.end + 1 &&
                               diagnostic.range.begin <= other.range.end + 1;
                      }))
        continue;
      source->diagnostics.push_back(std::move(diagnostic));
    }
  }
  if (!source->cancelled)
    checkSymbols(*source);
  for (Diagnostic &diagnostic : source->diagnostics)
    diagnostic.uri = source->uri;
  model::stableSort(source->diagnostics,
                    [](const Diagnostic &a, const Diagnostic &b) {
                      return a.range.begin < b.range.begin;
                    });
  return source;
}

std::shared_ptr<const SourceSnapshot>
readSource(MLIRContext &context, std::string uri, int64_t version,
           std::string text, const SourceSnapshot *previous,
           const std::atomic<bool> *cancel, const SourceLimits &limits) {
  return readUnless(cancel, nullptr, context, std::move(uri), version,
                    std::move(text), previous, limits);
}

bool SourceSnapshot::hasErrors() const {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic &diagnostic) {
                       return diagnostic.severity == Severity::Error;
                     });
}

SourceDocument::SourceDocument(std::string uri, int64_t version,
                               std::string text)
    : name(std::move(uri)), currentVersion(version),
      current(std::make_shared<const std::string>(std::move(text))) {}

std::optional<Diagnostic>
SourceDocument::edit(int64_t version, const std::vector<TextEdit> &edits) {
  std::lock_guard lock(mutex);
  std::string changed = *current;
  for (size_t i = 0; i < edits.size(); ++i) {
    const TextEdit &edit = edits[i];
    if (edit.begin < 0 || edit.end < edit.begin ||
        edit.end > int64_t(changed.size())) {
      Diagnostic diagnostic;
      diagnostic.code = "TW0017";
      diagnostic.message = "edit " + std::to_string(i) + " replaces bytes " +
                           std::to_string(edit.begin) + " to " +
                           std::to_string(edit.end) + " of a text of " +
                           std::to_string(changed.size());
      diagnostic.hint = "send the whole text again";
      diagnostic.uri = name;
      return diagnostic;
    }
    changed.replace(size_t(edit.begin), size_t(edit.end - edit.begin),
                    edit.text);
  }
  if (last && last->version == version && last->text != changed)
    last = nullptr;
  if (glanced && glanced->version == version)
    glanced = nullptr;
  current = std::make_shared<const std::string>(std::move(changed));
  currentVersion = version;
  outdated = true;
  return std::nullopt;
}

void SourceDocument::replace(int64_t version, std::string text) {
  std::lock_guard lock(mutex);
  // Clients may send another text under the same version.
  if (last && last->version == version && last->text != text)
    last = nullptr;
  if (glanced && glanced->version == version)
    glanced = nullptr;
  current = std::make_shared<const std::string>(std::move(text));
  currentVersion = version;
  outdated = true;
}

int64_t SourceDocument::version() const {
  std::lock_guard lock(mutex);
  return currentVersion;
}

std::shared_ptr<const std::string> SourceDocument::text() const {
  std::lock_guard lock(mutex);
  return current;
}

std::shared_ptr<const SourceSnapshot>
SourceDocument::read(SourceContext &context, const std::atomic<bool> *cancel) {
  return readBefore(context, cancel,
                    std::chrono::steady_clock::time_point::max());
}

std::shared_ptr<const SourceSnapshot>
SourceDocument::readBefore(SourceContext &context,
                           const std::atomic<bool> *cancel,
                           std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex);
  while (true) {
    if (last && last->version == currentVersion)
      return last;
    if (isCancelled(cancel)) {
      auto nothing = std::make_shared<SourceSnapshot>();
      nothing->uri = name;
      nothing->version = currentVersion;
      nothing->cancelled = true;
      return nothing;
    }
    if (reading) {
      // Who reads it now reads it for all. A cancel rings no bell.
      if (std::chrono::steady_clock::now() >= deadline)
        return nullptr;
      readingEnded.wait_for(lock, std::chrono::milliseconds(2));
      continue;
    }
    reading = true;
    outdated = false;
    const int64_t version = currentVersion;
    std::shared_ptr<const std::string> text = current;
    // Of a reading that was broken off, what it got done.
    std::shared_ptr<const SourceSnapshot> previous =
        last ? last : std::exchange(brokenOff, nullptr);
    lock.unlock();
    std::shared_ptr<const SourceSnapshot> snapshot;
    auto end = [&] {
      lock.lock();
      reading = false;
      readingEnded.notify_all();
    };
    auto ended = llvm::make_scope_exit(end); // for what is thrown
    std::shared_ptr<MLIRContext> mlirContext = context.acquire();
    snapshot = readUnless(cancel, &outdated, *mlirContext, name, version, *text,
                          previous.get(), context.limits);
    mlirContext = nullptr;
    ended.release();
    end();
    if (!snapshot->cancelled) {
      // Another text was sent under the same version.
      if (version == currentVersion && text != current)
        continue;
      last = snapshot;
      glanced = nullptr;
      return snapshot;
    }
    if (!last)
      brokenOff = snapshot;
    if (isCancelled(cancel))
      return snapshot;
  }
}

std::shared_ptr<const SourceSnapshot>
SourceDocument::glance(SourceContext &context,
                       const std::atomic<bool> *cancel) {
  {
    // Who waits for the first reading must hear of a cancel meanwhile, and so
    // does not wait in line.
    std::unique_lock lock(mutex);
    if (!last && !glanced) {
      lock.unlock();
      return read(context, cancel);
    }
  }
  std::lock_guard one(glancing);
  std::shared_ptr<const std::string> text;
  std::shared_ptr<const SourceSnapshot> before;
  bool wasMoved;
  int64_t version;
  {
    std::lock_guard lock(mutex);
    if (last && last->version == currentVersion)
      return last;
    if (glanced && glanced->version == currentVersion)
      return glanced;
    text = current;
    // Edit by edit: what lies between two of them keeps its place.
    wasMoved = glanced != nullptr;
    before = wasMoved ? glanced : last;
    version = currentVersion;
  }
  if (!before)
    return read(context, cancel);
  TextChange change = changeBetween(before->text, *text);
  if (!wasMoved && isQuicklyRead(*before, change, int64_t(text->size())))
    if (auto snapshot = readBefore(context, cancel,
                                   std::chrono::steady_clock::now() +
                                       std::chrono::milliseconds(5)))
      return snapshot;
  auto moved = movedSnapshot(*before, change, version, *text);
  std::lock_guard lock(mutex);
  if (version == currentVersion && text == current)
    glanced = moved;
  return moved;
}

static int64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * int64_t(sysconf(_SC_PAGESIZE));
}

std::shared_ptr<MLIRContext> SourceContext::acquire() {
  std::lock_guard lock(mutex);
  if (context && residentBytes() - residentAtStart > growthLimit)
    context.reset();
  if (!context) {
    context = makeContext();
    // Nobody is shown the notes with whole operations in them, and what is
    // wrong with an operation may be what printing it stumbles over.
    context->printOpOnDiagnostic(false);
    residentAtStart = residentBytes();
  }
  return context;
}

SourceModule buildModule(const SourceSnapshot &source, MLIRContext &context,
                         const std::atomic<bool> *cancel) {
  SourceModule result;
  result.diagnostics = source.diagnostics;
  auto fail = [&](const char *code, std::string message) {
    Diagnostic diagnostic;
    diagnostic.code = code;
    diagnostic.message = std::move(message);
    diagnostic.uri = source.uri;
    result.diagnostics.push_back(std::move(diagnostic));
  };
  if (source.cancelled || source.hasErrors())
    return result;
  if (source.layout.chunks.empty()) {
    for (Diagnostic &diagnostic : result.diagnostics)
      diagnostic.severity = Severity::Error;
    return result;
  }
  std::string bufferName = source.uri.empty() ? "source" : source.uri;

  // The modules: an empty one each, nested as in the text. A file that is one
  // module is that module.
  Surroundings surroundings(source.text, source.layout);
  OwningOpRef<ModuleOp> root = ModuleOp::create(UnknownLoc::get(&context));
  std::vector<ModuleOp> modules(source.layout.modules.size());
  ChunkParser parser(context, bufferName);
  unsigned line = 1;
  int64_t lineStart = 0, counted = 0;
  for (size_t i = 0; i < source.layout.chunks.size(); ++i) {
    if (isCancelled(cancel))
      return result;
    const ChunkSpan &span = source.layout.chunks[i];
    ChunkInput input = surroundings.inputFor(i);
    for (; counted < span.range.begin; ++counted)
      if (source.text[size_t(counted)] == '\n') {
        ++line;
        lineStart = counted + 1;
      }
    input.firstLine = line;
    input.firstColumn = unsigned(span.range.begin - lineStart) + 1;
    OwningOpRef<ModuleOp> operations;
    std::shared_ptr<const ParsedChunk> chunk =
        parser.read(input, cancel, operations);
    if (chunk->cancelled)
      return result;
    if (!operations) {
      fail("TW0001", "cannot be read again");
      return result;
    }
    // Down to the module that holds the chunk, making ours on the way.
    std::vector<int> path;
    for (int m = span.module; m >= 0; m = source.layout.modules[m].parent)
      path.push_back(m);
    Block *from = operations->getBody(), *to = root->getBody();
    for (auto it = path.rbegin(); it != path.rend(); ++it) {
      auto wrapper = cast<ModuleOp>(from->front());
      if (!modules[*it]) {
        OpBuilder builder = OpBuilder::atBlockEnd(to);
        auto module = builder.create<ModuleOp>(UnknownLoc::get(&context),
                                               wrapper.getName());
        module->setAttrs(wrapper->getAttrDictionary());
        std::string name = source.layout.modules[*it].name;
        module->setLoc(withKey(module->getLoc(), name.empty()
                                                     ? "module"
                                                     : encodeKeySegment(name)));
        modules[*it] = module;
      }
      from = wrapper.getBody();
      to = modules[*it].getBody();
    }
    to->getOperations().splice(to->end(), from->getOperations());
  }
  // Empty modules hold no chunk and mean nothing.
  if (source.layout.modules.size() >= 1 &&
      llvm::hasSingleElement(root->getBody()->getOperations()))
    if (auto inner = dyn_cast<ModuleOp>(root->getBody()->front())) {
      inner->remove();
      root = OwningOpRef<ModuleOp>(inner);
    }

  // Symbols across chunks, then everything once more as a whole.
  const std::thread::id thread = std::this_thread::get_id();
  Operation *current = nullptr;
  bool failed = false;
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (std::this_thread::get_id() != thread)
      return failure();
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success();
    failed = true;
    Diagnostic entry;
    entry.code = current ? "TW0113" : "TW0101";
    entry.message = diagnostic.str().substr(0, 2000);
    entry.uri = source.uri;
    SmallVector<StringRef> keys = keysOf(diagnostic.getLocation());
    if (!keys.empty()) {
      entry.key = keys.front().str();
      if (auto range = source.nameRangeOf(entry.key))
        entry.range = *range;
    }
    result.diagnostics.push_back(std::move(entry));
    return success();
  });
  SymbolTableCollection symbols;
  root->walk([&](SymbolUserOpInterface user) {
    current = user;
    if (mlir::failed(user.verifySymbolUses(symbols)))
      failed = true;
  });
  current = nullptr;
  if (!failed && mlir::failed(verify(*root)))
    failed = true;
  if (!failed && !reportMissingData(*root, source, result.diagnostics))
    result.module = std::move(root);
  return result;
}

} // namespace tilewright::frontend
