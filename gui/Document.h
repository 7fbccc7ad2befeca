//===- Document.h - positions in a text as the protocol counts them -------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include <QByteArray>
#include <QMetaType>
#include <string>
#include <vector>

namespace tilewright::gui {

/// What a column counts; agreed with the server at initialize.
enum class Encoding { Utf8, Utf16 };

/// Line and column from 0; the column counts units of the agreed encoding.
struct DocumentPosition {
  int line = 0;
  int character = 0;
  friend bool operator==(const DocumentPosition &,
                         const DocumentPosition &) = default;
};

struct DocumentRange {
  DocumentPosition begin;
  DocumentPosition end;
  friend bool operator==(const DocumentRange &,
                         const DocumentRange &) = default;
};

/// One edit, in the text as it was just before it; both encodings, because
/// they can only be computed then.
struct TextChange {
  DocumentRange utf8;
  DocumentRange utf16;
  QByteArray text; ///< UTF-8; empty for a deletion
};

/// A diagnostic as a front receives it.
struct SourceDiagnostic {
  DocumentRange range;
  model::Severity severity = model::Severity::Error;
  QString code;
  QString message;
  QString hint;
};

/// Where in the source an operation with a key stands.
struct SourceKey {
  std::string key;
  DocumentRange range;     ///< the whole operation
  DocumentRange selection; ///< its name
};

} // namespace tilewright::gui
