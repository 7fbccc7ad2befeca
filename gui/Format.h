//===- Format.h - numbers as a person reads them --------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Graph.h"
#include "core/model/Origin.h"
#include <QString>

namespace tilewright::gui {

/// "0.042", "1.34", "128": three significant digits, no unit.
QString formatMilliseconds(double milliseconds);
/// "250 ns", "12.4 us", "3.21 ms", "1.5 s".
QString formatNanoseconds(double nanoseconds);
/// "1,408".
QString formatCount(qint64 count);
/// "128×4096 f32", with the level if it has one.
QString formatType(const model::TensorType &type);
/// "estimated", "simulated", "measured", in the user's language.
QString formatOrigin(model::Origin origin);
/// "flops 1.48 Gflop, estimated".
QString formatMetric(const model::Metric &metric);

} // namespace tilewright::gui
