//===- UiScale.h - how large everything is drawn --------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QString>
#include <vector>

namespace tilewright::gui {

/// The platform tells Qt the scale of a screen; where it does not, a person
/// chooses one. Qt takes it when the program starts.
namespace uiscale {
/// Percent to choose from; 0 is the platform's own.
const std::vector<int> &choices();
/// As kept in the settings; 0 if none, or if what is kept makes no sense.
int stored();
void store(int percent);
/// Before there is an application: `percent`, else what the environment says
/// (QT_SCALE_FACTOR), else, with `useStored`, what is kept.
void applyAtStart(int percent, bool useStored);
/// "150", "150%" or "1.5" as percent, 50 to 400; 0 if it is none.
int parse(const QString &text);
/// Starts this program again, with what was set in the meantime.
bool startAgain(const QString &file);
} // namespace uiscale

} // namespace tilewright::gui
