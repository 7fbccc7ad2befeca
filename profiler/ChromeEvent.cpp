//===- ChromeEvent.cpp - one event of a Chrome trace as written -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "profiler/ChromeEvent.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilewright::profiler {

namespace ondemand = simdjson::ondemand;

static constexpr size_t longestName = 4096;

/// A token of a number without its trailing white space.
static std::string_view trimmed(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ')
    token.remove_suffix(1);
  return token;
}

/// Microseconds as written -> nanoseconds, exact for plain decimals: a double
/// does not hold the nanoseconds of a date.
bool parseMicroseconds(std::string_view text, int64_t &nanoseconds) {
  text = trimmed(text);
  size_t at = 0;
  bool negative = !text.empty() && text[0] == '-';
  at += negative;
  uint64_t whole = 0;
  size_t first = at;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9' &&
         at - first < 16)
    whole = whole * 10 + uint64_t(text[at++] - '0');
  bool plain = at > first;
  uint64_t part = 0;
  if (plain && at < text.size() && text[at] == '.') {
    ++at;
    uint64_t scale = 100;
    bool rounded = false;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      uint64_t digit = uint64_t(text[at] - '0');
      if (scale > 0) {
        part += digit * scale;
        scale /= 10;
      } else if (!rounded) {
        part += digit >= 5;
        rounded = true;
      }
    }
  }
  if (plain && at == text.size() && whole < uint64_t(2'000'000'000'000'000)) {
    auto value = static_cast<int64_t>(whole * 1000 + part);
    nanoseconds = negative ? -value : value;
    return true;
  }
  double value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::result_out_of_range)
    value = negative ? -1e15 : 1e15;
  else if (code != std::errc() || end != text.data() + text.size() ||
           !std::isfinite(value))
    return false;
  nanoseconds = std::llround(std::clamp(value, -2e15, 2e15) * 1000);
  return true;
}

bool parseInteger(std::string_view text, int64_t &value) {
  text = trimmed(text);
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

static simdjson::error_code readScalar(ondemand::value value,
                                       ChromeScalar &into) {
  ondemand::json_type type;
  if (auto code = value.type().get(type))
    return code;
  into.present = true;
  into.isString = false;
  switch (type) {
  case ondemand::json_type::string:
    into.isString = true;
    return value.get_string().get(into.text);
  case ondemand::json_type::number:
  case ondemand::json_type::boolean:
  case ondemand::json_type::null:
    into.text = trimmed(value.raw_json_token());
    into.present = type != ondemand::json_type::null;
    return simdjson::SUCCESS;
  default:
    into.present = false;
    return simdjson::SUCCESS;
  }
}

static simdjson::error_code readText(ondemand::value value,
                                     std::string_view &into) {
  ChromeScalar scalar;
  if (auto code = readScalar(value, scalar))
    return code;
  into = scalar.text.substr(0, longestName);
  return simdjson::SUCCESS;
}

/// Calls `take` with the name and the value of each member.
template <typename Take>
static simdjson::error_code eachField(ondemand::object &object, Take take) {
  for (auto item : object) {
    ondemand::field field;
    if (auto code = std::move(item).get(field))
      return code;
    std::string_view key;
    if (auto code = field.unescaped_key().get(key))
      return code;
    if (auto code = take(key, field.value()))
      return code;
  }
  return simdjson::SUCCESS;
}

/// The same for what may be no object: then there are no members.
template <typename Take>
static simdjson::error_code eachField(ondemand::value value, Take take) {
  ondemand::json_type type;
  if (auto code = value.type().get(type))
    return code;
  if (type != ondemand::json_type::object)
    return simdjson::SUCCESS;
  ondemand::object object;
  if (auto code = value.get_object().get(object))
    return code;
  return eachField(object, take);
}

/// Calls `take` with each simple value of a list; one value is a list of one.
template <typename Take>
static simdjson::error_code eachElement(ondemand::value value, Take take) {
  auto takeOne = [&](ondemand::value element) {
    ChromeScalar scalar;
    auto code = readScalar(element, scalar);
    if (!code && scalar.present)
      take(scalar);
    return code;
  };
  ondemand::json_type type;
  if (auto code = value.type().get(type))
    return code;
  if (type != ondemand::json_type::array)
    return takeOne(value);
  ondemand::array list;
  if (auto code = value.get_array().get(list))
    return code;
  for (auto item : list) {
    ondemand::value element;
    if (auto code = item.get(element))
      return code;
    if (auto code = takeOne(element))
      return code;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code ChromeEvent::read(ondemand::object &object) {
  return eachField(object, [&](std::string_view key, ondemand::value value) {
    simdjson::error_code code = simdjson::SUCCESS;
    if (key == "name") {
      code = readText(value, name);
    } else if (key == "ph") {
      std::string_view text;
      code = readText(value, text);
      phase = text.size() == 1 ? text[0] : 0;
    } else if (key == "ts") {
      code = readScalar(value, time);
    } else if (key == "dur") {
      code = readScalar(value, duration);
    } else if (key == "pid") {
      code = readScalar(value, process);
    } else if (key == "tid") {
      code = readScalar(value, thread);
    } else if (key == "args") {
      code = readArguments(value);
    } else if (key == "cat") {
      code = readText(value, category);
    } else if (key == "id") {
      code = readScalar(value, id);
    } else if (key == "bp") {
      code = readText(value, bind);
    } else if (key == "bind_id") {
      code = readScalar(value, bindId);
    } else if (key == "flow_in" || key == "flow_out") {
      ChromeScalar flag;
      code = readScalar(value, flag);
      (key == "flow_in" ? flowIn : flowOut) = flag.text == "true";
    } else if (key == "id2") {
      code = eachField(value, [&](std::string_view, ondemand::value id2) {
        return readScalar(id2, id);
      });
    }
    return code;
  });
}

simdjson::error_code ChromeEvent::readArguments(ondemand::value arguments) {
  return eachField(arguments, [&](std::string_view key, ondemand::value value) {
    simdjson::error_code code = simdjson::SUCCESS;
    auto integers = [&](std::vector<int64_t> &into) {
      return eachElement(value, [&](const ChromeScalar &scalar) {
        int64_t number;
        if (parseInteger(scalar.text, number))
          into.push_back(number);
      });
    };
    if (key == "keys" || key == "key") {
      code = eachElement(value, [&](const ChromeScalar &scalar) {
        if (scalar.isString)
          keys.push_back(scalar.text.substr(0, longestName));
      });
    } else if (key == "grid") {
      code = integers(grid);
    } else if (key == "after") {
      code = integers(after);
    } else {
      ChromeScalar scalar;
      code = readScalar(value, scalar);
      if (!code && scalar.present) {
        int64_t number;
        bool whole = !scalar.isString && parseInteger(scalar.text, number);
        if (key == "id" && whole)
          ownId = number;
        else if (key == "track" && whole)
          ownTrack = number;
        else if (key == "parent" && whole)
          ownParent = number;
        else if (key == "name")
          argName = scalar.text.substr(0, longestName);
        else if (key == "sort_index")
          sortIndex = scalar;
        // What of these a counter means is known only with its phase.
        if (numbers.size() < 64)
          numbers.push_back({key, scalar.text});
      }
    }
    return code;
  });
}

} // namespace tilewright::profiler
