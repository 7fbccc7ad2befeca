//===- Layout.cpp - layered layout of nested groups -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every expanded group is a level with a layout of its own, made inside out.
// An edge that crosses borders is cut into one piece a level; the pieces meet
// at ports on the borders. All edges of one value share its ports.
//
//===----------------------------------------------------------------------===//
#include "viz/Layout.h"
#include "viz/LevelLayout.h"
#include "viz/NodeText.h"
#include "viz/PathBuilder.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace tilewright::viz {

namespace {

constexpr double margin = 24;
constexpr double textPadding = 12;
constexpr double badgePadding = 6;
constexpr double badgeHeight = 16;
constexpr double stubLength = 16;
/// The straight start of an edge, beside which its label is.
constexpr double labelDrop = 20;
/// Beside the texts of a closed group: for what opens it.
constexpr double openerRoom = 16;

/// Several small numbers as one key of a hash table.
struct Key {
  uint32_t parts[6];
  friend bool operator==(const Key &, const Key &) = default;
};
struct KeyHash {
  size_t operator()(const Key &key) const {
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (uint32_t part : key.parts)
      hash = (hash ^ part) * 0xff51afd7ed558ccdu, hash ^= hash >> 32;
    return hash;
  }
};

/// One level: the top of the graph or the inside of an expanded group.
struct Level {
  int32_t box = -1; ///< visible node it is the inside of
  int depth = 0;
  std::vector<uint32_t> members; ///< visible nodes; local index = position
  std::vector<LevelNode> nodes;  ///< members, then ports
  std::vector<LevelEdge> edges;
  /// For each end of an edge, the port inside the box it ends at, or -1.
  std::vector<std::pair<int32_t, int32_t>> innerPorts;
  LevelResult result;
  double boxLeft = 0, boxTop = 0; ///< of its box, in its own coordinates
  Point origin;                   ///< its own zero in the scene
};

/// A piece of an edge: edge `edge` of level `level`.
struct Piece {
  uint32_t level;
  uint32_t edge;
};

class SceneBuilder {
public:
  SceneBuilder(const model::Graph &graph, const VisibleGraph &visible,
               const TextMeasurer &measurer, const LayoutOptions &options,
               const Positions *previous, std::stop_token stop,
               const Progress &progress)
      : graph(graph), visible(visible), measurer(measurer), options(options),
        previous(previous), stop(std::move(stop)), progress(progress) {}

  std::optional<Scene> build() {
    scene.stage = graph.stage;
    scene.pass = graph.pass;
    makeLevels();
    labelEdges();
    measureNodes();
    if (stop.stop_requested())
      return std::nullopt;
    cutEdges();
    if (!layOutLevels())
      return std::nullopt;
    place();
    routeEdges();
    finishBounds();
    return std::move(scene);
  }

private:
  // --- Levels -------------------------------------------------------------

  void makeLevels() {
    const uint32_t count = static_cast<uint32_t>(visible.nodes.size());
    levelOf.assign(count, 0);
    insideOf.assign(count, 0);
    local.assign(count, 0);
    sceneNode.assign(count, -1);
    sceneGroup.assign(count, -1);
    levels.emplace_back();
    for (uint32_t v = 0; v < count; ++v) {
      const VisibleNode &node = visible.nodes[v];
      uint32_t level =
          node.parent < 0 ? 0 : insideOf[static_cast<size_t>(node.parent)];
      levelOf[v] = level;
      local[v] = static_cast<uint32_t>(levels[level].members.size());
      levels[level].members.push_back(v);
      if (node.isGroup) {
        insideOf[v] = static_cast<uint32_t>(levels.size());
        Level inside;
        inside.box = static_cast<int32_t>(v);
        inside.depth = levels[level].depth + 1;
        levels.push_back(std::move(inside));
      }
    }
    for (Level &level : levels)
      level.nodes.resize(level.members.size());
  }

  // --- Texts and sizes ----------------------------------------------------

  /// Each value's type is written once, where it leaves its node.
  void labelEdges() {
    labels.assign(visible.edges.size(), {});
    widestLabel.assign(visible.nodes.size(), 0);
    if (!options.edgeLabels)
      return;
    std::unordered_map<Key, bool, KeyHash> done;
    for (uint32_t e = 0; e < visible.edges.size(); ++e) {
      const VisibleEdge &edge = visible.edges[e];
      if (edge.from == edge.to)
        continue;
      const model::Edge &first = graph.edges[edge.edge];
      std::string text;
      if (edge.kind != model::EdgeKind::Data)
        text = first.label;
      else if (edge.sameType)
        text = typeText(first.type);
      if (text.empty())
        continue;
      Key key{{edge.from, static_cast<uint32_t>(edge.fromPort),
               static_cast<uint32_t>(edge.kind), 0, 0, 0}};
      if (!done.emplace(key, true).second)
        continue;
      labels[e] = elide(text, 190, TextStyle::EdgeLabel, measurer);
      double width = measurer.width(labels[e], TextStyle::EdgeLabel);
      widestLabel[edge.from] = std::max(widestLabel[edge.from], width);
    }
  }

  /// Of kernels and scopes named after the only function, what comes behind
  /// its name: `f.q.kernel` is `q.kernel` in the picture of f.
  std::string brief(const model::Node &node, std::string name) const {
    using model::NodeKind;
    bool isNamedAfter = node.kind == NodeKind::Kernel ||
                        node.kind == NodeKind::Dispatch ||
                        node.kind == NodeKind::Scope;
    if (isNamedAfter && !stem.empty() && name.size() > stem.size() &&
        name.starts_with(stem))
      name.erase(0, stem.size());
    return name;
  }

  void findStem() {
    for (const model::Node &node : graph.nodes) {
      if (node.kind != model::NodeKind::Function || !node.parent.empty())
        continue;
      if (!stem.empty()) {
        stem.clear();
        return;
      }
      stem = titleOf(node) + ".";
    }
  }

  void measureNodes() {
    findStem();
    for (uint32_t v = 0; v < visible.nodes.size(); ++v) {
      const VisibleNode &shown = visible.nodes[v];
      const model::Node &node = graph.nodes[shown.node];
      if (shown.isGroup) {
        SceneGroup group;
        group.id = node.id;
        group.graphNode = shown.node;
        group.kind = node.kind;
        group.depth = levels[levelOf[v]].depth;
        group.parent = shown.parent < 0 ? -1 : sceneGroup[shown.parent];
        fillText(group.title, brief(node, groupTitleOf(node, options.language)),
                 320, TextStyle::GroupTitle);
        fillText(group.badge, gridText(node), 110, TextStyle::Badge);
        sceneGroup[v] = static_cast<int32_t>(scene.groups.size());
        scene.groups.push_back(std::move(group));
        continue;
      }
      SceneNode item;
      item.id = node.id;
      item.graphNode = shown.node;
      item.group = shown.parent < 0 ? -1 : sceneGroup[shown.parent];
      item.kind = node.kind;
      item.hidden = shown.hidden;
      item.stacked = !node.grid.empty();
      const double widest = options.maxNodeWidth - 2 * textPadding;
      fillText(item.badge, gridText(node), widest * 0.5, TextStyle::Badge);
      double badge =
          item.badge.text.empty() ? 0 : item.badge.width + 2 * badgePadding + 8;
      fillText(item.title, brief(node, titleOf(node)), widest - badge,
               TextStyle::Title);
      bool plain = node.kind == model::NodeKind::Input ||
                   node.kind == model::NodeKind::Output;
      if (!plain || shown.hidden > 0)
        fillText(
            item.subtitle,
            node.kind == model::NodeKind::Dispatch
                ? brief(node, subtitleOf(node, shown.hidden, options.language))
                : subtitleOf(node, shown.hidden, options.language),
            widest, TextStyle::Subtitle);
      double text = std::max(item.title.width + badge, item.subtitle.width);
      if (shown.hidden > 0)
        text += openerRoom;
      double width = std::max(text + 2 * textPadding, 72.0);
      // The label beside the edge must stay clear of the next node's.
      width = std::max(width, 2 * (widestLabel[v] + 20 - options.nodeGap));
      width = std::ceil(std::min(width, options.maxNodeWidth) / 2) * 2;
      item.rect.width = width;
      item.rect.height = item.subtitle.text.empty() ? 30 : 44;
      LevelNode &size = levels[levelOf[v]].nodes[local[v]];
      size.width = width;
      size.height = item.rect.height;
      sceneNode[v] = static_cast<int32_t>(scene.nodes.size());
      scene.nodes.push_back(std::move(item));
    }
    if (previous)
      for (uint32_t v = 0; v < visible.nodes.size(); ++v) {
        auto found = previous->find(graph.nodes[visible.nodes[v].node].id);
        if (found != previous->end())
          levels[levelOf[v]].nodes[local[v]].hint = found->second.x;
      }
  }

  void fillText(SceneText &text, const std::string &full, double widest,
                TextStyle style) {
    text.style = style;
    if (full.empty())
      return;
    // What tells names apart is at their end.
    text.text = style == TextStyle::Title
                    ? elideMiddle(full, widest, style, measurer)
                    : elide(full, widest, style, measurer);
    text.width = measurer.width(text.text, style);
  }

  // --- Edges --------------------------------------------------------------

  /// The port of a level for a value that comes in or goes out; made on demand.
  uint32_t port(uint32_t level, bool in, uint32_t source, int fromPort,
                model::EdgeKind kind) {
    Key key{{level, in, source, static_cast<uint32_t>(fromPort),
             static_cast<uint32_t>(kind), 1}};
    auto [found, fresh] = ports.try_emplace(key, 0);
    if (fresh) {
      LevelNode node;
      node.pin = in ? LevelNode::Pin::First : LevelNode::Pin::Last;
      found->second = static_cast<uint32_t>(levels[level].nodes.size());
      levels[level].nodes.push_back(node);
    }
    return found->second;
  }

  struct End {
    uint32_t node;      ///< local
    int32_t inner = -1; ///< port inside the box, or -1
  };

  Piece connect(uint32_t level, End from, End to, int fromPort,
                model::EdgeKind kind, bool shared, bool labelled = false) {
    Level &at = levels[level];
    uint32_t next = static_cast<uint32_t>(at.edges.size());
    if (shared) {
      // Pieces between the same ports are one line.
      Key key{
          {level, from.node, static_cast<uint32_t>(from.inner), to.node,
           static_cast<uint32_t>(to.inner),
           static_cast<uint32_t>(fromPort) * 4 + static_cast<uint32_t>(kind)}};
      auto [found, fresh] = pieces.try_emplace(key, next);
      if (!fresh) {
        at.edges[found->second].labelled |= labelled;
        return {level, found->second};
      }
    }
    LevelEdge edge;
    edge.from = from.node;
    edge.to = to.node;
    edge.fromPort = fromPort;
    edge.weak = kind != model::EdgeKind::Data;
    edge.labelled = labelled;
    at.edges.push_back(edge);
    at.innerPorts.push_back({from.inner, to.inner});
    return {level, next};
  }

  void cutEdges() {
    pieceStart.assign(1, 0);
    std::vector<Piece> lowerPieces;
    for (const VisibleEdge &edge : visible.edges) {
      const uint32_t a = edge.from, b = edge.to;
      bool labelled = widestLabel[a] > 0;
      const bool fromBox = visible.nodes[a].isGroup;
      const bool toBox = visible.nodes[b].isGroup;
      const bool flat = levelOf[a] == levelOf[b] && !fromBox && !toBox;
      auto selfPort = [&](uint32_t box, bool in) {
        return static_cast<int32_t>(
            port(insideOf[box], in, box, -2, edge.kind));
      };
      if (flat) {
        allPieces.push_back(connect(levelOf[a], {local[a]}, {local[b]},
                                    edge.fromPort, edge.kind, false, labelled));
        pieceStart.push_back(static_cast<uint32_t>(allPieces.size()));
        continue;
      }
      uint32_t levelA = levelOf[a], levelB = levelOf[b];
      End endA{local[a]}, endB{local[b]};
      lowerPieces.clear();
      if (fromBox && isInside(b, a)) {
        levelA = insideOf[a];
        endA = {port(levelA, true, a, -2, edge.kind)};
      } else if (fromBox) {
        endA.inner = selfPort(a, false);
      }
      if (toBox && isInside(a, b)) {
        levelB = insideOf[b];
        endB = {port(levelB, false, b, -2, edge.kind)};
      } else if (toBox) {
        endB.inner = selfPort(b, true);
      }
      auto out = [&] {
        uint32_t border = port(levelA, false, a, edge.fromPort, edge.kind);
        allPieces.push_back(connect(levelA, endA, {border}, edge.fromPort,
                                    edge.kind, true, labelled));
        labelled = false;
        uint32_t box = static_cast<uint32_t>(levels[levelA].box);
        levelA = levelOf[box];
        endA = {local[box], static_cast<int32_t>(border)};
      };
      auto in = [&] {
        uint32_t border = port(levelB, true, a, edge.fromPort, edge.kind);
        lowerPieces.push_back(
            connect(levelB, {border}, endB, edge.fromPort, edge.kind, true));
        uint32_t box = static_cast<uint32_t>(levels[levelB].box);
        levelB = levelOf[box];
        endB = {local[box], static_cast<int32_t>(border)};
      };
      while (levels[levelA].depth > levels[levelB].depth)
        out();
      while (levels[levelB].depth > levels[levelA].depth)
        in();
      while (levelA != levelB) {
        out();
        in();
      }
      allPieces.push_back(connect(levelA, endA, endB, edge.fromPort, edge.kind,
                                  true, labelled));
      allPieces.insert(allPieces.end(), lowerPieces.rbegin(),
                       lowerPieces.rend());
      pieceStart.push_back(static_cast<uint32_t>(allPieces.size()));
    }
  }

  bool isInside(uint32_t node, uint32_t box) const {
    for (int32_t up = visible.nodes[node].parent; up >= 0;
         up = visible.nodes[up].parent)
      if (static_cast<uint32_t>(up) == box)
        return true;
    return false;
  }

  // --- Layout -------------------------------------------------------------

  bool layOutLevels() {
    // Inside out: a level is always behind the one around it.
    size_t done = 0;
    for (size_t l = levels.size(); l-- > 0;) {
      Level &level = levels[l];
      for (uint32_t e = 0; e < level.edges.size(); ++e) {
        LevelEdge &edge = level.edges[e];
        auto [from, to] = level.innerPorts[e];
        edge.fromOffset = portOffset(level, edge.from, from);
        edge.toOffset = portOffset(level, edge.to, to);
      }
      if (!layOutLevel(level.nodes, level.edges, options, stop, level.result))
        return false;
      done += level.members.size();
      if (progress)
        progress(0.9 * double(done) / double(visible.nodes.size() + 1));
      if (level.box >= 0)
        measureBox(level);
    }
    return true;
  }

  double portOffset(const Level &level, uint32_t node, int32_t inner) const {
    if (inner < 0)
      return 0;
    const Level &inside = levels[insideOf[level.members[node]]];
    return inside.result.x[inner] - inside.boxLeft -
           level.nodes[node].width / 2;
  }

  void measureBox(Level &level) {
    const LevelResult &result = level.result;
    bool first = false, last = false;
    for (const LevelNode &node : level.nodes) {
      first |= node.pin == LevelNode::Pin::First;
      last |= node.pin == LevelNode::Pin::Last;
    }
    const double pad = options.groupPadding;
    const SceneGroup &group = scene.groups[sceneGroup[level.box]];
    double title = group.title.width + 2 * textPadding;
    if (!group.badge.text.empty())
      title += group.badge.width + 2 * badgePadding + 8;
    double width = result.right - result.left + 2 * pad;
    double wider = std::max(0.0, title - width);
    level.boxLeft = result.left - pad - wider / 2;
    level.boxTop = first ? 0 : -(boxHeader + pad * 0.6);
    double bottom = last ? result.height : result.height + pad;
    LevelNode &box = levels[levelOf[level.box]].nodes[local[level.box]];
    box.isBox = true;
    box.width = width + wider;
    box.height = bottom - level.boxTop;
  }

  // --- Places in the scene ------------------------------------------------

  void place() {
    for (Level &level : levels) {
      if (level.box >= 0) {
        const Rect &rect = scene.groups[sceneGroup[level.box]].rect;
        level.origin = {rect.x - level.boxLeft, rect.y - level.boxTop};
      } else {
        level.origin = {-level.result.left, 0};
      }
      for (uint32_t i = 0; i < level.members.size(); ++i) {
        uint32_t v = level.members[i];
        const LevelNode &size = level.nodes[i];
        Rect rect{level.origin.x + level.result.x[i] - size.width / 2,
                  level.origin.y + level.result.y[i], size.width, size.height};
        if (sceneGroup[v] >= 0)
          placeGroup(scene.groups[sceneGroup[v]], rect);
        else
          placeNode(scene.nodes[sceneNode[v]], rect);
      }
    }
  }

  void placeGroup(SceneGroup &group, const Rect &rect) {
    group.rect = rect;
    double x = rect.x + textPadding, y = rect.y + 5;
    group.title.position = {x, y + 12};
    group.titleRect = {x - 6, y - 1, group.title.width + 12, 18};
    if (!group.badge.text.empty()) {
      group.badgeRect = {x + group.title.width + 8, y,
                         group.badge.width + 2 * badgePadding, badgeHeight};
      group.badge.position = {group.badgeRect.center().x, y + 12};
      group.badge.centered = true;
    }
  }

  void placeNode(SceneNode &node, const Rect &rect) {
    node.rect = rect;
    const bool two = !node.subtitle.text.empty();
    double badge =
        node.badge.text.empty() ? 0 : node.badge.width + 2 * badgePadding + 8;
    double middle = rect.center().x;
    node.title.centered = node.subtitle.centered = true;
    node.title.position = {middle - badge / 2, rect.y + (two ? 18.5 : 19.5)};
    node.subtitle.position = {middle, rect.y + 34.5};
    if (badge > 0) {
      double width = node.badge.width + 2 * badgePadding;
      double left = middle + (node.title.width + badge) / 2 - width;
      node.badgeRect = {left, rect.y + (two ? 6 : 7), width, badgeHeight};
      node.badge.position = {node.badgeRect.center().x, node.badgeRect.y + 12};
      node.badge.centered = true;
    }
  }

  // --- Paths --------------------------------------------------------------

  void routeEdges() {
    scene.edges.resize(visible.edges.size());
    PathBuilder path, stub;
    std::vector<Point> piece;
    for (uint32_t e = 0; e < visible.edges.size(); ++e) {
      const VisibleEdge &from = visible.edges[e];
      SceneEdge &edge = scene.edges[e];
      edge.from = {sceneNode[from.from], sceneGroup[from.from]};
      edge.to = {sceneNode[from.to], sceneGroup[from.to]};
      edge.graphEdge = from.edge;
      edge.kind = from.kind;
      edge.count = from.count;
      path.clear();
      stub.clear();
      bool cut = false;
      for (uint32_t p = pieceStart[e]; p < pieceStart[e + 1]; ++p) {
        const Level &level = levels[allPieces[p].level];
        const LevelRoute &route = level.result.routes[allPieces[p].edge];
        edge.reversed |= route.reversed;
        if (route.kind == LevelRoute::Kind::Stub) {
          auto [leave, arrive] = stubEnds(level, allPieces[p].edge);
          if (!cut) {
            path.moveTo(leave.first);
            path.lineTo(leave.second);
          }
          cut = true;
          stub.clear();
          stub.moveTo(arrive.second);
          stub.lineTo(arrive.first);
          continue;
        }
        tracePiece(level, allPieces[p].edge, piece);
        (cut ? stub : path).append(piece);
      }
      edge.firstPoint = static_cast<uint32_t>(scene.points.size());
      edge.pointCount = static_cast<uint32_t>(path.points().size());
      scene.points.insert(scene.points.end(), path.points().begin(),
                          path.points().end());
      if (cut) {
        edge.firstStubPoint = static_cast<uint32_t>(scene.points.size());
        edge.stubPointCount = static_cast<uint32_t>(stub.points().size());
        scene.points.insert(scene.points.end(), stub.points().begin(),
                            stub.points().end());
      }
    }
    placeLabels();
    labelCounts();
    labelStubs();
  }

  /// Start and end of the stub that leaves, and of the one that arrives (its
  /// outer end second).
  std::pair<std::pair<Point, Point>, std::pair<Point, Point>>
  stubEnds(const Level &level, uint32_t e) const {
    const LevelEdge &edge = level.edges[e];
    const LevelRoute &route = level.result.routes[e];
    auto at = [&](double x, double y) {
      return Point{level.origin.x + x, level.origin.y + y};
    };
    uint32_t up = route.reversed ? edge.to : edge.from;
    uint32_t down = route.reversed ? edge.from : edge.to;
    double low = level.result.y[up] + level.nodes[up].height;
    double high = level.result.y[down];
    std::pair<Point, Point> upper{at(route.startX, low),
                                  at(route.startX, low + stubLength)};
    std::pair<Point, Point> lower{at(route.endX, high),
                                  at(route.endX, high - stubLength)};
    if (route.reversed)
      std::swap(upper, lower);
    return {upper, lower};
  }

  void tracePiece(const Level &level, uint32_t e, std::vector<Point> &points) {
    const LevelEdge &edge = level.edges[e];
    const LevelRoute &route = level.result.routes[e];
    const LevelResult &result = level.result;
    auto at = [&](double x, double y) {
      return Point{level.origin.x + x, level.origin.y + y};
    };
    PathBuilder &path = scratch;
    path.clear();
    if (route.kind == LevelRoute::Kind::Loop) {
      double right = result.x[edge.from] + level.nodes[edge.from].width / 2;
      double y = result.y[edge.from] + level.nodes[edge.from].height / 2;
      path.moveTo(at(right, y + 8));
      path.curveTo(at(right + 18, y + 12), at(right + 18, y - 12),
                   at(right, y - 8));
      points = path.points();
      return;
    }
    uint32_t up = route.reversed ? edge.to : edge.from;
    uint32_t down = route.reversed ? edge.from : edge.to;
    double top = result.y[up] + level.nodes[up].height;
    double bottom = result.y[down];
    uint32_t r = result.rank[up];
    path.moveTo(at(route.startX, top));
    if (route.kind == LevelRoute::Kind::Channel) {
      const double lane = route.laneX;
      path.lineTo(at(route.startX, route.laneTop - 8));
      path.cornerTo(at(route.startX, route.laneTop), at(lane, route.laneTop));
      path.cornerTo(at(lane, route.laneTop), at(lane, route.laneBottom));
      path.cornerTo(at(lane, route.laneBottom),
                    at(route.endX, route.laneBottom));
      path.cornerTo(at(route.endX, route.laneBottom), at(route.endX, bottom));
      path.lineTo(at(route.endX, bottom));
    } else {
      // Past the label before the first bend.
      double straight = result.rankBottom[r];
      if (edge.labelled && !route.reversed)
        straight = std::max(straight, top + labelDrop);
      path.lineTo(at(route.startX, straight));
      for (uint32_t k = 0; k < route.bendCount; ++k) {
        double x = result.bends[route.firstBend + k];
        path.sCurveTo(at(x, result.rankTop[r + k + 1]));
        path.lineTo(at(x, result.rankBottom[r + k + 1]));
      }
      path.sCurveTo(at(route.endX, result.rankTop[r + route.bendCount + 1]));
      path.lineTo(at(route.endX, bottom));
    }
    points = path.points();
    if (route.reversed)
      std::reverse(points.begin(), points.end());
  }

  /// Right of where the edge leaves; left for the left one of several results.
  void placeLabels() {
    std::unordered_map<uint32_t, std::vector<uint32_t>> byNode;
    // What leaves or, against the flow, arrives at the lower side of a node; a
    // label must not lie across it.
    constexpr double far = 1e18;
    std::vector<std::pair<double, double>> ends(visible.nodes.size(),
                                                {far, -far});
    for (uint32_t e = 0; e < visible.edges.size(); ++e) {
      const SceneEdge &edge = scene.edges[e];
      std::span<const Point> path = scene.path(edge);
      double x = edge.reversed ? path.back().x : path.front().x;
      auto &[left, right] =
          ends[edge.reversed ? visible.edges[e].to : visible.edges[e].from];
      left = std::min(left, x);
      right = std::max(right, x);
    }
    for (uint32_t e = 0; e < visible.edges.size(); ++e)
      if (!labels[e].empty() && !scene.edges[e].reversed)
        byNode[visible.edges[e].from].push_back(e);
    for (auto &[node, list] : byNode) {
      auto startOf = [&](uint32_t e) {
        return scene.points[scene.edges[e].firstPoint];
      };
      std::sort(list.begin(), list.end(), [&](uint32_t a, uint32_t b) {
        return std::pair(startOf(a).x, a) < std::pair(startOf(b).x, b);
      });
      auto write = [&](uint32_t e, bool left) {
        SceneText &label = scene.edges[e].label;
        label.style = TextStyle::EdgeLabel;
        label.text = labels[e];
        label.width = measurer.width(label.text, label.style);
        Point start = startOf(e);
        int32_t from = scene.edges[e].from.node;
        bool stacked = from >= 0 && scene.nodes[from].stacked;
        label.position = {left ? start.x - 6 - label.width : start.x + 6,
                          start.y + (stacked ? 18.5 : 15)};
      };
      auto [left, right] = ends[node];
      bool onRight = startOf(list.back()).x >= right - 1;
      bool onLeft = startOf(list.front()).x <= left + 1;
      if (onRight || !onLeft)
        write(list.back(), false);
      bool another = startOf(list.front()).x < startOf(list.back()).x - 1;
      if (onLeft && (!onRight || another))
        write(list.front(), true);
    }
  }

  void labelCounts() {
    for (SceneEdge &edge : scene.edges) {
      if (edge.count < 2 || edge.pointCount == 0)
        continue;
      Point end =
          (edge.stubPointCount ? scene.stubPath(edge) : scene.path(edge))
              .back();
      SceneText &label = edge.arrivalLabel;
      label.style = TextStyle::EdgeLabel;
      label.text = "\u00d7" + std::to_string(edge.count);
      label.width = measurer.width(label.text, label.style);
      label.position = {end.x + 6, end.y + (edge.reversed ? 14 : -7)};
    }
  }

  /// The names at cut ends: at a node's first stub those of all of them.
  void labelStubs() {
    std::map<std::pair<uint32_t, int>, std::vector<uint32_t>> leaving;
    std::map<uint32_t, std::vector<uint32_t>> arriving;
    for (uint32_t e = 0; e < scene.edges.size(); ++e)
      if (scene.edges[e].stubPointCount > 0) {
        leaving[{visible.edges[e].from, visible.edges[e].fromPort}].push_back(
            e);
        arriving[visible.edges[e].to].push_back(e);
      }
    auto names = [&](const std::vector<uint32_t> &list, bool from) {
      std::string text;
      size_t shown = 0;
      for (uint32_t e : list) {
        if (shown == 2)
          break;
        uint32_t v = from ? visible.edges[e].from : visible.edges[e].to;
        const model::Node &end = graph.nodes[visible.nodes[v].node];
        text += (shown++ ? ", " : "") + brief(end, titleOf(end));
      }
      if (list.size() > shown)
        text += ", +" + std::to_string(list.size() - shown);
      return text;
    };
    auto write = [&](SceneText &label, std::string text, Point position) {
      label.style = TextStyle::EdgeLabel;
      label.text = elide(text, 110, label.style, measurer);
      label.width = measurer.width(label.text, label.style);
      label.position = position;
    };
    for (const auto &[from, list] : leaving) {
      SceneEdge &edge = scene.edges[list.front()];
      Point end = scene.points[edge.firstPoint + edge.pointCount - 1];
      Point start = scene.points[edge.firstPoint];
      // The type, if written, is above it.
      write(edge.stubLabel, "\u2192 " + names(list, false),
            {end.x + 6, std::max(start.y, end.y) + 11});
    }
    for (const auto &[to, list] : arriving) {
      SceneEdge &edge = scene.edges[list.back()];
      Point outer = scene.points[edge.firstStubPoint];
      write(edge.arrivalLabel, "from " + names(list, true),
            {outer.x + 6, outer.y + 4});
    }
  }

  // --- Bounds -------------------------------------------------------------

  void finishBounds() {
    double left = 0, top = 0, right = 0, bottom = 0;
    bool any = false;
    auto add = [&](double x0, double y0, double x1, double y1) {
      if (!any) {
        left = x0, top = y0, right = x1, bottom = y1;
        any = true;
        return;
      }
      left = std::min(left, x0);
      top = std::min(top, y0);
      right = std::max(right, x1);
      bottom = std::max(bottom, y1);
    };
    auto addText = [&](const SceneText &text) {
      if (text.text.empty())
        return;
      double x = text.position.x - (text.centered ? text.width / 2 : 0);
      add(x, text.position.y - 12, x + text.width, text.position.y + 4);
    };
    auto addRect = [&](const Rect &rect) {
      add(rect.x, rect.y, rect.right(), rect.bottom());
    };
    for (const SceneNode &node : scene.nodes)
      addRect(node.rect);
    for (const SceneGroup &group : scene.groups)
      addRect(group.rect);
    for (const Point &point : scene.points)
      add(point.x, point.y, point.x, point.y);
    for (const SceneEdge &edge : scene.edges) {
      addText(edge.label);
      addText(edge.stubLabel);
      addText(edge.arrivalLabel);
    }
    scene.bounds = {left - margin, top - margin, right - left + 2 * margin,
                    bottom - top + 2 * margin};
    if (progress)
      progress(1);
  }

  const model::Graph &graph;
  const VisibleGraph &visible;
  const TextMeasurer &measurer;
  const LayoutOptions &options;
  const Positions *previous;
  const std::stop_token stop;
  const Progress &progress;
  std::string stem; ///< name of the only function and a dot
  Scene scene;
  std::vector<Level> levels;
  std::vector<uint32_t> levelOf;  ///< visible node -> level it is in
  std::vector<uint32_t> insideOf; ///< expanded group -> level inside
  std::vector<uint32_t> local;    ///< visible node -> index in its level
  std::vector<int32_t> sceneNode, sceneGroup;
  std::vector<std::string> labels; ///< by visible edge
  std::vector<double> widestLabel; ///< by visible node
  std::unordered_map<Key, uint32_t, KeyHash> ports, pieces;
  std::vector<Piece> allPieces; ///< of all edges, from source to target
  std::vector<uint32_t> pieceStart;
  PathBuilder scratch;
};

/// A copy of `visible` with the groups from `maxDepth` on closed, if any.
std::optional<VisibleGraph> limitDepth(const model::Graph &graph,
                                       const VisibleGraph &visible,
                                       int maxDepth) {
  std::vector<int> depth(visible.nodes.size(), 0);
  CollapsedSet closed;
  bool any = false;
  for (size_t v = 0; v < visible.nodes.size(); ++v) {
    const VisibleNode &node = visible.nodes[v];
    depth[v] = node.parent < 0 ? 0 : depth[node.parent] + 1;
    bool tooDeep = node.isGroup && depth[v] >= maxDepth;
    any |= tooDeep;
    if (tooDeep || node.hidden > 0)
      closed.insert(graph.nodes[node.node].id);
  }
  if (!any)
    return std::nullopt;
  return fold(graph, closed);
}

} // namespace

std::optional<Scene> layOut(const model::Graph &graph,
                            const VisibleGraph &visible,
                            const TextMeasurer &measurer,
                            const LayoutOptions &options,
                            const Positions *previous, std::stop_token stop,
                            const Progress &progress) {
  std::optional<VisibleGraph> shallow =
      limitDepth(graph, visible, std::max(1, options.maxDepth));
  return SceneBuilder(graph, shallow ? *shallow : visible, measurer, options,
                      previous, std::move(stop), progress)
      .build();
}

} // namespace tilewright::viz
