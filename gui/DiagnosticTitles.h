//===- DiagnosticTitles.h - what a code means, in the user's language -----===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QString>
#include <utility>
#include <vector>

namespace tilewright::gui {

/// The compiler speaks English. Where Studio speaks another language, what a
/// code means in that language comes first, then the compiler's message with
/// its figures. Codes without a translation keep the message alone.
QString localizedMessage(const QString &code, const QString &message);

/// Code and English title of each translated code.
std::vector<std::pair<QString, QString>> diagnosticTitles();

} // namespace tilewright::gui
