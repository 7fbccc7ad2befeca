//===- Uri.cpp - names of documents ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Uri.h"

namespace tilewright::lsp {

namespace {

bool isUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
}

int hexValue(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

} // namespace

std::string percentEncode(std::string_view text, std::string_view keep) {
  static const char digits[] = "0123456789ABCDEF";
  std::string result;
  for (char c : text) {
    if (isUnreserved(c) || keep.find(c) != std::string_view::npos) {
      result += c;
    } else {
      result += '%';
      result += digits[static_cast<unsigned char>(c) >> 4];
      result += digits[static_cast<unsigned char>(c) & 15];
    }
  }
  return result;
}

std::string percentDecode(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hexValue(text[i + 1]) >= 0 &&
        hexValue(text[i + 2]) >= 0) {
      result +=
          static_cast<char>(hexValue(text[i + 1]) * 16 + hexValue(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string uriFromPath(std::string_view path) {
  return "file://" + percentEncode(path, "/");
}

std::string pathFromUri(std::string_view uri) {
  constexpr std::string_view scheme = "file://";
  if (!uri.starts_with(scheme))
    return std::string(uri);
  uri.remove_prefix(scheme.size());
  // A host name, in practice "localhost" or none.
  size_t slash = uri.find('/');
  return percentDecode(slash == std::string_view::npos ? uri
                                                       : uri.substr(slash));
}

std::string StageUri::str() const {
  return "tilewright:/" + percentEncode(stage, "/@") +
         "?source=" + percentEncode(source, "/:");
}

std::optional<StageUri> StageUri::parse(std::string_view uri) {
  constexpr std::string_view scheme = "tilewright:";
  if (!uri.starts_with(scheme))
    return std::nullopt;
  uri.remove_prefix(scheme.size());
  while (uri.starts_with('/'))
    uri.remove_prefix(1);
  size_t question = uri.find('?');
  // Clients that re-encode a URI also encode the '=' of its query.
  if (question == std::string_view::npos)
    return std::nullopt;
  std::string query = percentDecode(uri.substr(question + 1));
  constexpr std::string_view name = "source=";
  if (!query.starts_with(name))
    return std::nullopt;
  StageUri result;
  result.stage = percentDecode(uri.substr(0, question));
  // A client may have encoded the value twice; a URI never contains "%3A"
  // before its first colon otherwise.
  result.source = query.substr(name.size());
  if (result.source.find(':') == std::string::npos)
    result.source = percentDecode(result.source);
  if (result.stage.empty() || result.source.empty())
    return std::nullopt;
  return result;
}

} // namespace tilewright::lsp
