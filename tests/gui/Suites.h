//===- Suites.h - the test classes by name --------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QObject>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace tilewright::gui {

using SuiteMap =
    std::map<std::string, std::function<std::unique_ptr<QObject>()>>;
SuiteMap &suites();

template <typename T> struct RegisterSuite {
  explicit RegisterSuite(const char *name) {
    suites()[name] = [] { return std::make_unique<T>(); };
  }
};

} // namespace tilewright::gui
