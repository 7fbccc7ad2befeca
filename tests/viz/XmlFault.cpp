//===- XmlFault.cpp - what is wrong with a picture ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tests/viz/XmlFault.h"
#include <algorithm>
#include <cmath>
#include <vector>

using tilewright::viz::Colour;

std::string xmlFault(const std::string &xml) {
  std::vector<std::string> open;
  size_t at = 0;
  while (at < xml.size()) {
    unsigned char c = static_cast<unsigned char>(xml[at]);
    if (c < 0x20 && c != '\n' && c != '\t')
      return "control character";
    if (c == '&') {
      size_t end = xml.find(';', at);
      if (end == std::string::npos || end - at > 6)
        return "stray &";
      at = end + 1;
      continue;
    }
    if (c != '<') {
      if (c == '>')
        return "stray >";
      ++at;
      continue;
    }
    size_t name = at + 1;
    bool closing = xml[name] == '/';
    name += closing;
    size_t end = name;
    while (end < xml.size() && isalpha(static_cast<unsigned char>(xml[end])))
      ++end;
    if (end == name)
      return "no name behind <";
    std::string tag = xml.substr(name, end - name);
    while (end < xml.size() && xml[end] != '>' && xml[end] != '/') {
      if (xml[end] == '"') {
        size_t quote = xml.find('"', end + 1);
        if (quote == std::string::npos)
          return "open quote";
        if (xml.substr(end + 1, quote - end - 1).find('<') != std::string::npos)
          return "< in an attribute";
        end = quote;
      } else if (xml[end] == '<') {
        return "< in a tag";
      }
      ++end;
    }
    if (end >= xml.size())
      return "open tag";
    bool single = xml[end] == '/';
    end += single;
    if (xml[end] != '>')
      return "no > behind /";
    if (closing) {
      if (open.empty() || open.back() != tag)
        return "unbalanced " + tag;
      open.pop_back();
    } else if (!single) {
      open.push_back(tag);
    }
    at = end + 1;
  }
  return open.empty() ? "" : "unclosed " + open.back();
}

double contrast(Colour a, Colour b) {
  auto luminance = [](Colour c) {
    auto part = [](uint8_t v) {
      double x = v / 255.0;
      return x <= 0.03928 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * part(c.red) + 0.7152 * part(c.green) +
           0.0722 * part(c.blue);
  };
  double x = luminance(a), y = luminance(b);
  if (x < y)
    std::swap(x, y);
  return (x + 0.05) / (y + 0.05);
}
