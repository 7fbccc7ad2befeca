//===- NumberedParts.cpp - layer0, layer1, … as groups of a graph ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/NumberedParts.h"
#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace tilewright::model {

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

std::vector<size_t> numberEnds(const std::string &key, size_t most) {
  std::vector<size_t> ends;
  size_t at = key.find('/');
  while (at < key.size() && ends.size() < most) {
    if (key[at] == '%')
      at += 3;
    else if (!isDigit(key[at]))
      ++at;
    else {
      while (at < key.size() && isDigit(key[at]))
        ++at;
      ends.push_back(at);
    }
  }
  return ends;
}

NumberedParts::NumberedParts(GraphSource &graph) : graph(graph) {
  const size_t count = graph.nodeCount();
  partOf.assign(count, -1);
  std::vector<uint32_t> children(count + 1, 0); // the last: at the top
  auto parentOf = [&](size_t node) {
    int32_t parent = graph.parentOf(node);
    return parent < 0 ? count : size_t(parent);
  };
  for (size_t i = 0; i < count; ++i)
    ++children[parentOf(i)];
  std::unordered_map<size_t, std::vector<uint32_t>> levels;
  std::vector<size_t> order;
  for (size_t i = 0; i < count; ++i)
    if (size_t parent = parentOf(i); children[parent] >= smallestLevel) {
      auto [level, isNew] = levels.try_emplace(parent);
      if (isNew)
        order.push_back(parent);
      level->second.push_back(uint32_t(i));
    }
  for (size_t parent : order)
    findParts(levels[parent]);

  places.assign(count, -1);
  nodes.reserve(count + parts.size());
  std::vector<int32_t> placeOfPart(parts.size(), -1);
  for (size_t i = 0; i < count; ++i) {
    int32_t parent = graph.parentOf(i);
    parent = parent < 0 ? -1 : places[size_t(parent)];
    if (int32_t part = partOf[i]; part >= 0) {
      if (placeOfPart[part] < 0) {
        placeOfPart[part] = int32_t(nodes.size());
        nodes.push_back({-1, part, parent});
      }
      parent = placeOfPart[part];
    }
    places[i] = int32_t(nodes.size());
    nodes.push_back({int32_t(i), -1, parent});
  }
}

void NumberedParts::findParts(const std::vector<uint32_t> &level) {
  constexpr size_t numbersTried = 3;
  struct Child {
    std::string key;
    std::vector<size_t> ends;
  };
  std::vector<Child> children(level.size());
  for (size_t i = 0; i < level.size(); ++i) {
    children[i].key = graph.keyOf(level[i]);
    children[i].ends = numberEnds(children[i].key, numbersTried);
  }
  // The outermost number that tells many parts from each other, each with more
  // than one thing in it: of `model2_layer17_norm1` the 17.
  for (size_t number = 0; number < numbersTried; ++number) {
    using Members = std::vector<size_t>;
    struct Family {
      std::unordered_map<std::string_view, size_t> index; ///< in `parts`
      std::vector<std::pair<std::string_view, Members>> parts;
      size_t members = 0;
    };
    std::unordered_map<std::string_view, size_t> index; // in `families`
    std::vector<Family> families;
    for (size_t i = 0; i < level.size(); ++i) {
      if (partOf[level[i]] >= 0 || children[i].ends.size() <= number)
        continue;
      std::string_view key = children[i].key;
      size_t end = children[i].ends[number], begin = end;
      while (isDigit(key[begin - 1]))
        --begin;
      auto [of, isNew] =
          index.try_emplace(key.substr(0, begin), families.size());
      if (isNew)
        families.emplace_back();
      Family &family = families[of->second];
      auto [part, isNewPart] =
          family.index.try_emplace(key.substr(0, end), family.parts.size());
      if (isNewPart)
        family.parts.push_back({key.substr(0, end), {}});
      family.parts[part->second].second.push_back(i);
      ++family.members;
    }
    for (Family &family : families) {
      if (family.parts.size() < fewestParts ||
          family.members < 2 * family.parts.size())
        continue;
      for (auto &[name, members] : family.parts) {
        Part part;
        part.name = name;
        part.copy = copies[part.name]++;
        for (size_t i : members) {
          partOf[level[i]] = int32_t(parts.size());
          part.keys.push_back(children[i].key);
        }
        std::sort(part.keys.begin(), part.keys.end());
        part.keys.erase(std::unique(part.keys.begin(), part.keys.end()),
                        part.keys.end());
        parts.push_back(std::move(part));
      }
    }
  }
}

std::string NumberedParts::idOf(size_t node) const {
  const Placed &placed = nodes[node];
  if (placed.inner >= 0)
    return graph.idOf(size_t(placed.inner));
  const Part &part = parts[size_t(placed.part)];
  return prefix + part.name +
         (part.copy ? "@" + std::to_string(part.copy + 1) : "");
}

std::string NumberedParts::keyOf(size_t node) const {
  return isPart(node) ? "" : graph.keyOf(size_t(nodes[node].inner));
}

GraphSource::Ends NumberedParts::endsOf(size_t edge) const {
  Ends ends = graph.endsOf(edge);
  return {places[size_t(ends.from)], places[size_t(ends.to)]};
}

Node NumberedParts::node(size_t node) {
  const Placed &placed = nodes[node];
  if (placed.inner >= 0)
    return graph.node(size_t(placed.inner));
  const Part &part = parts[size_t(placed.part)];
  Node group;
  group.id = idOf(node);
  group.kind = NodeKind::Function;
  group.op = "part";
  group.label = part.name.substr(part.name.rfind('/') + 1);
  group.keys = part.keys;
  return group;
}

} // namespace tilewright::model
