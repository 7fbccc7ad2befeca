//===- Translations.h - the language of the window ------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QString>

namespace tilewright::gui {

/// Installs the translation for `language` ("zh_CN", "en"), or for the locale
/// if it is empty, along with Qt's own where it is installed. False if there is
/// none for a language that was asked for.
bool installTranslation(const QString &language);

} // namespace tilewright::gui
