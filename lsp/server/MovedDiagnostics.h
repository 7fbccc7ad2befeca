//===- MovedDiagnostics.h - findings about a text being edited --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "lsp/protocol/TextDocument.h"
#include <vector>

namespace tilewright::lsp {

/// Moves what was found out about the text of `uri` along with an edit of it.
/// What the edit touches goes: nobody knows whether it still holds. Findings
/// about other files stay.
void moveDiagnostics(std::vector<model::Diagnostic> &found,
                     const std::string &uri, const ByteEdit &edit);

/// Those of `found` that are not among `others`: same code, place and message.
std::vector<model::Diagnostic>
withoutThose(std::vector<model::Diagnostic> found,
             const std::vector<model::Diagnostic> &others);

} // namespace tilewright::lsp
