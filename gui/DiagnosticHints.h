//===- DiagnosticHints.h - what to do, in the user's language -------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QString>
#include <QStringList>

namespace tilewright::gui {

/// The compiler's hint in Studio's language, with the figures and names that
/// stand in it. A hint that is no sentence known here keeps its English words
/// behind a heading in Studio's language; in English the hint is as it is.
QString localizedHint(const QString &hint);

/// The sentences that are known, in English; %1 … stand for figures and names.
QStringList hintSentences();

} // namespace tilewright::gui
