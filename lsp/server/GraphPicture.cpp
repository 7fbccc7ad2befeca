//===- GraphPicture.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/GraphPicture.h"
#include "lsp/server/Parameters.h"
#include "viz/Export.h"
#include "viz/Text.h"
#include <algorithm>
#include <set>

namespace tilewright::lsp {

namespace {

/// Texts of 11 pixels can be read down to this scale.
constexpr double leastScale = 0.75;
constexpr double leastSide = 100, mostSide = 20000;

double sideOf(const Json &picture, const char *name, double otherwise) {
  auto it = picture.find(name);
  if (it == picture.end())
    return otherwise;
  if (!it->is_number())
    refuse("TW0606", std::string("'picture.") + name +
                         "' must be a number of pixels, not " + it->dump());
  return std::clamp(it->get<double>(), leastSide, mostSide);
}

} // namespace

std::optional<GraphPicture> GraphPicture::of(const Json &params,
                                             viz::Language language) {
  auto it = params.find("picture");
  if (it == params.end() || it->is_null())
    return std::nullopt;
  if (!it->is_object())
    refuse("TW0606", "'picture' must be an object");
  GraphPicture picture;
  picture.language = language;
  std::string theme = stringField(*it, "theme");
  if (theme == "dark")
    picture.theme = viz::ThemeName::Dark;
  else if (!theme.empty() && theme != "light")
    refuse("TW0606",
           "'picture.theme' is '" + theme + "'; it can be 'light' or 'dark'");
  picture.frame = {sideOf(*it, "width", 1200) / leastScale,
                   sideOf(*it, "height", 900) / leastScale};
  if (auto open = it->find("open"); open != it->end()) {
    if (!open->is_object())
      refuse("TW0606",
             "'picture.open' must map ids of groups to true or false");
    for (const auto &[id, value] : open->items()) {
      if (!value.is_boolean())
        refuse("TW0606", "'picture.open' says " + value.dump() + " of '" + id +
                             "'; it can be true or false");
      picture.chosen[id] = value.get<bool>();
    }
  }
  return picture;
}

void GraphPicture::narrow(Json &params) const {
  if (!params.contains("atMost"))
    params["atMost"] = mostNodes;
  for (auto [name, wanted] :
       {std::pair("open", true), std::pair("closed", false)}) {
    Json &ids = params[name];
    if (ids.is_null())
      ids = Json::array();
    if (!ids.is_array())
      continue; // the engine says what is wrong with it
    for (const auto &[id, value] : chosen)
      if (value == wanted)
        ids.push_back(id);
  }
}

void GraphPicture::draw(Json &result) const {
  auto graph = result.get<model::Graph>();
  std::map<std::string, bool> chosen = this->chosen;
  std::map<std::string_view, std::string_view> parents;
  for (const model::Node &node : graph.nodes)
    parents.emplace(node.id, node.parent);
  for (const auto &[id, open] : this->chosen) {
    if (!open)
      continue;
    std::set<std::string_view> around;
    for (auto at = parents.find(id);
         at != parents.end() && !at->second.empty() &&
         around.insert(at->second).second;
         at = parents.find(at->second))
      chosen.try_emplace(std::string(at->second), true);
  }
  viz::ApproximateTextMeasurer measurer;
  viz::LayoutOptions layout;
  layout.language = language;
  // Nothing requests a stop.
  viz::Opening opening =
      viz::openReadably(graph, frame, measurer, chosen, layout).value();
  viz::SvgOptions options;
  options.theme = theme;
  options.heading = false; // the client has its own
  options.identify = true;
  options.language = language;
  result["svg"] = viz::toSvg(graph, opening.scene, options);
  Json shown = Json::array(), open = Json::array();
  for (const viz::SceneGroup &group : opening.scene.groups) {
    shown.push_back(group.id);
    open.push_back(group.id);
  }
  for (const viz::SceneNode &node : opening.scene.nodes)
    shown.push_back(node.id);
  result["shown"] = std::move(shown);
  result["open"] = std::move(open);
}

} // namespace tilewright::lsp
