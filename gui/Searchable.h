//===- Searchable.h - what the find bar looks through ---------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QString>

namespace tilewright::gui {

enum class FindStep {
  Stay, ///< the text has changed: the match at or behind the place of before
  Next,
  Previous
};

struct FindResult {
  int current = 0; ///< 1 is the first; 0: nothing was found
  int total = 0;
  bool more = false; ///< not all were counted
};

/// A view with text to be found: literally, upper and lower case alike.
class Searchable {
public:
  virtual ~Searchable() = default;
  /// Shows the match and marks the others. An empty text finds nothing.
  virtual FindResult find(const QString &text, FindStep step) = 0;
  /// What is selected and worth looking for; may be empty.
  virtual QString findHint() const { return {}; }
  /// Takes the marks away.
  virtual void endFind() = 0;
};

} // namespace tilewright::gui
