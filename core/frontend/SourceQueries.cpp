//===- SourceQueries.cpp - answers from a text that was read --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Occurrences.h"
#include "core/frontend/OperationDocs.h"
#include "core/frontend/SourcePlace.h"
#include <algorithm>

namespace tilewright::frontend {

using model::TextRange;

namespace {

std::string valueName(const ParsedChunk &chunk, const ParsedValue &value) {
  return chunk.text.substr(value.definition.begin,
                           value.definition.end - value.definition.begin);
}

std::string codeBlock(std::string text) {
  // Source text may hold anything; a fence inside must not end the block.
  for (size_t at = text.find("```"); at != std::string::npos;
       at = text.find("```", at))
    text.replace(at, 3, "'''");
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return "```mlir\n" + text + "\n```\n";
}

std::string cut(std::string_view text, size_t limit) {
  if (text.size() <= limit)
    return std::string(text);
  while (limit > 0 && (uint8_t(text[limit]) & 0xC0) == 0x80)
    --limit;
  return std::string(text.substr(0, limit)) + " …";
}

/// Names with their types, one a line, `%qk: tensor<4xf32>`.
void describeValue(const ParsedChunk &chunk, const ParsedValue &value,
                   std::string &into) {
  std::string name = valueName(chunk, value);
  for (uint32_t r = 0; r < std::min<uint32_t>(value.count, 8); ++r)
    into += name + (value.count > 1 ? "#" + std::to_string(r) : "") + ": " +
            chunk.typeOf(value, r) + "\n";
}

std::string describeOperation(const ParsedChunk &chunk, int index,
                              bool withDocs) {
  const ParsedOperation &op = chunk.operations[size_t(index)];
  std::string code =
      cut(std::string_view(chunk.text)
              .substr(op.range.begin, headerEnd(chunk, index) - op.range.begin),
          1200);
  while (!code.empty() && (code.back() == ' ' || code.back() == '\n'))
    code.pop_back();
  std::string markdown = codeBlock(code);

  std::string operands, results;
  auto it = std::lower_bound(
      chunk.references.begin(), chunk.references.end(), op.range.begin,
      [](const ParsedReference &r, uint32_t at) { return r.range.begin < at; });
  std::vector<uint32_t> seen;
  uint32_t end = headerEnd(chunk, index);
  for (; it != chunk.references.end() && it->range.begin < end; ++it) {
    const ParsedValue &value = chunk.values[it->value];
    if (std::find(seen.begin(), seen.end(), it->value) != seen.end() ||
        seen.size() >= 16)
      continue;
    seen.push_back(it->value);
    describeValue(chunk, value, value.operation == index ? results : operands);
  }
  if (!results.empty() || !operands.empty())
    markdown += codeBlock(operands + (results.empty() ? "" : "-> " + results));
  if (!op.key.empty())
    markdown += "key `" + op.key + "`\n";
  if (withDocs) {
    std::string_view docs = operationDocs(chunk.names[op.name]);
    if (!docs.empty())
      markdown += "\n---\n" + cut(docs, 6000) + "\n";
  }
  return markdown;
}

} // namespace

std::optional<SourceHover> SourceSnapshot::hover(int64_t offset) const {
  if (const AliasSpan *alias = aliasAt(*this, offset)) {
    SourceHover hover;
    hover.markdown =
        codeBlock(cut(std::string_view(text).substr(
                          size_t(alias->range.begin),
                          size_t(alias->range.end - alias->range.begin)),
                      2000));
    hover.range = alias->nameRange;
    return hover;
  }
  std::optional<SourcePlace> place = placeAt(*this, offset);
  if (!place)
    return std::nullopt;
  const ParsedChunk &chunk = *place->chunk;
  if (std::optional<ValueAt> reference = valueAt(*place)) {
    const ParsedValue &value = chunk.values[reference->value];
    SourceHover hover;
    hover.range = place->absolute(reference->range);
    std::string types;
    describeValue(chunk, value, types);
    hover.markdown = codeBlock(types);
    if (value.operation >= 0) {
      hover.markdown += describeOperation(chunk, value.operation, true);
    } else if (!value.key.empty()) {
      hover.markdown += "argument, key `" + value.key + "`\n";
    }
    return hover;
  }
  if (const ParsedSymbol *symbol = symbolAt(*place)) {
    std::vector<TextRange> definitions = definition(offset);
    if (!definitions.empty())
      if (std::optional<SourcePlace> target =
              placeAt(*this, definitions.front().begin)) {
        int index = operationAt(*target->chunk, target->at);
        if (index >= 0)
          return SourceHover{describeOperation(*target->chunk, index, false),
                             place->absolute(symbol->range)};
      }
  }
  int index = operationAt(chunk, place->at);
  if (index < 0)
    return std::nullopt;
  // In a body but on no operation of it: nothing, rather than the function.
  if (place->at > headerEnd(chunk, index))
    return std::nullopt;
  const ParsedOperation &op = chunk.operations[size_t(index)];
  return SourceHover{describeOperation(chunk, index, true),
                     place->absolute(op.nameRange)};
}

std::vector<TextRange> SourceSnapshot::definition(int64_t offset) const {
  if (const AliasSpan *alias = aliasAt(*this, offset))
    return {alias->nameRange};
  std::optional<SourcePlace> place = placeAt(*this, offset);
  if (!place)
    return {};
  if (std::optional<ValueAt> value = valueAt(*place))
    return {place->absolute(place->chunk->values[value->value].definition)};
  if (const ParsedSymbol *symbol = symbolAt(*place)) {
    auto target = definitionOf(*this, place->index, symbol->name);
    return target ? std::vector{target->range} : std::vector<TextRange>();
  }
  std::vector<TextRange> result;
  for (const Occurrence &occurrence : occurrencesAt(*this, offset).places)
    if (occurrence.definition)
      result.push_back(occurrence.range);
  return result;
}

std::vector<TextRange> SourceSnapshot::references(int64_t offset) const {
  std::vector<TextRange> result;
  for (const Occurrence &occurrence : occurrencesAt(*this, offset).places)
    result.push_back(occurrence.range);
  return result;
}

std::vector<SourceSymbol> SourceSnapshot::symbols() const {
  std::vector<SourceSymbol> result;
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (!chunks[i])
      continue;
    const ParsedChunk &chunk = *chunks[i];
    SourcePlace place{&chunk, i, layout.chunks[i].range.begin, 0};
    // Values by their place, so that they come in the order of the text.
    std::vector<uint32_t> values(chunk.values.size());
    for (size_t v = 0; v < values.size(); ++v)
      values[v] = uint32_t(v);
    std::sort(values.begin(), values.end(), [&](uint32_t a, uint32_t b) {
      return chunk.values[a].definition.begin <
             chunk.values[b].definition.begin;
    });
    size_t nextValue = 0;

    // Enclosing entries, innermost last; children are attached when closed.
    struct Open {
      SourceSymbol symbol;
      uint32_t end;
    };
    std::vector<Open> open;
    auto close = [&](uint32_t at) {
      while (!open.empty() && open.back().end <= at) {
        SourceSymbol done = std::move(open.back().symbol);
        open.pop_back();
        (open.empty() ? result : open.back().symbol.children)
            .push_back(std::move(done));
      }
    };
    auto argumentsBefore = [&](uint32_t at) {
      for (; nextValue < values.size() &&
             chunk.values[values[nextValue]].definition.begin < at;
           ++nextValue) {
        const ParsedValue &value = chunk.values[values[nextValue]];
        if (value.operation >= 0)
          continue;
        close(value.definition.begin);
        SourceSymbol symbol;
        symbol.name = valueName(chunk, value);
        symbol.detail = chunk.typeOf(value, 0);
        symbol.kind = "argument";
        symbol.key = value.key;
        symbol.range = symbol.selectionRange = place.absolute(value.definition);
        (open.empty() ? result : open.back().symbol.children)
            .push_back(std::move(symbol));
      }
    };
    std::vector<int64_t> firstValueOf(chunk.operations.size(), -1);
    for (uint32_t v : values)
      if (chunk.values[v].operation >= 0 &&
          firstValueOf[size_t(chunk.values[v].operation)] < 0)
        firstValueOf[size_t(chunk.values[v].operation)] = v;
    for (size_t o = 0; o < chunk.operations.size(); ++o) {
      const ParsedOperation &op = chunk.operations[o];
      argumentsBefore(op.range.begin);
      close(op.range.begin);
      bool hasValue = firstValueOf[o] >= 0;
      if (!hasValue && op.symbol.empty())
        continue;
      SourceSymbol symbol;
      symbol.range = place.absolute(op.range);
      symbol.key = op.key;
      if (hasValue) {
        const ParsedValue &value = chunk.values[size_t(firstValueOf[o])];
        symbol.name = valueName(chunk, value);
        symbol.detail = chunk.names[op.name] + " : " + chunk.typeOf(value, 0);
        symbol.kind = "operation";
        symbol.selectionRange = place.absolute(value.definition);
      } else {
        symbol.name = op.symbol;
        symbol.detail = chunk.names[op.name];
        symbol.kind = "function";
        symbol.selectionRange = place.absolute(op.nameRange);
        auto it = std::lower_bound(chunk.symbols.begin(), chunk.symbols.end(),
                                   op.nameRange.end,
                                   [](const ParsedSymbol &s, uint32_t at) {
                                     return s.range.begin < at;
                                   });
        if (it != chunk.symbols.end() && it->name == op.symbol)
          symbol.selectionRange = place.absolute(it->range);
      }
      open.push_back({std::move(symbol), op.range.end});
    }
    argumentsBefore(UINT32_MAX);
    close(UINT32_MAX);
  }
  return result;
}

std::optional<KeyAtOffset> SourceSnapshot::keyAt(int64_t offset) const {
  std::optional<SourcePlace> place = placeAt(*this, offset);
  if (!place)
    return std::nullopt;
  const ParsedChunk &chunk = *place->chunk;
  if (std::optional<ValueAt> reference = valueAt(*place)) {
    const ParsedValue &value = chunk.values[reference->value];
    if (!value.key.empty())
      return KeyAtOffset{{value.key}, place->absolute(reference->range)};
  }
  int index = operationAt(chunk, place->at);
  if (index < 0)
    return std::nullopt;
  const ParsedOperation &op = chunk.operations[size_t(index)];
  if (op.key.empty())
    return std::nullopt;
  return KeyAtOffset{{op.key}, place->absolute(op.range)};
}

void SourceSnapshot::buildKeys() const {
  std::call_once(keysBuilt, [&] {
    for (size_t i = 0; i < chunks.size(); ++i) {
      if (!chunks[i])
        continue;
      SourcePlace place{chunks[i].get(), i, layout.chunks[i].range.begin, 0};
      for (const ParsedOperation &op : chunks[i]->operations)
        if (!op.key.empty())
          keys.try_emplace(op.key, KeyEntry{place.absolute(op.range),
                                            place.absolute(op.nameRange)});
      for (const ParsedValue &value : chunks[i]->values) {
        TextRange name = place.absolute(value.definition);
        if (value.key.empty())
          continue;
        auto [it, isNew] = keys.try_emplace(value.key, KeyEntry{name, name});
        if (!isNew)
          it->second.name = name;
      }
    }
  });
}

void SourceSnapshot::forEachKey(
    const std::function<void(const std::string &, TextRange)> &visit) const {
  buildKeys();
  for (const auto &[key, entry] : keys)
    visit(key, entry.name);
}

const SourceSnapshot::KeyEntry *
SourceSnapshot::find(std::string_view key) const {
  buildKeys();
  std::string wanted(key);
  while (!wanted.empty()) {
    auto it = keys.find(wanted);
    if (it != keys.end())
      return &it->second;
    // `#` operand, `:` result, `.` part, `@` repeat; then the enclosing one.
    size_t cutAt = wanted.find_last_of("#:.@/");
    if (cutAt == std::string::npos)
      break;
    wanted.resize(cutAt);
  }
  return nullptr;
}

std::optional<TextRange> SourceSnapshot::rangeOf(std::string_view key) const {
  const KeyEntry *entry = find(key);
  return entry ? std::optional(entry->range) : std::nullopt;
}

std::optional<TextRange>
SourceSnapshot::nameRangeOf(std::string_view key) const {
  const KeyEntry *entry = find(key);
  return entry ? std::optional(entry->name) : std::nullopt;
}

} // namespace tilewright::frontend
