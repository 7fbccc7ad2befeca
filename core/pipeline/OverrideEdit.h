//===- OverrideEdit.h - overrides made and judged ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Override.h"
#include "core/pipeline/Session.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// What an edited stage comes to.
struct OverrideEdit {
  std::vector<model::Override> written; ///< new, or with another text
  std::vector<std::string> removed;     ///< names: back to what the pass leaves
};

/// Compares `text`, an edited print of `stage` or some functions or kernels of
/// it, with what `compilation` has there, and makes an override of each that
/// differs. Those that stand as they are shown stay as they are, and so do
/// those `text` does not have. An override in force is edited, not stacked.
/// Nothing is compiled. None and `problem` if the text cannot be read (its
/// uri: `textUri`), names something that is not there (TW0241), the stage
/// cannot be overridden (TW0246), or nothing differs (TW0251).
std::optional<OverrideEdit> editStage(const Compilation &compilation,
                                      const std::string &stage,
                                      const std::string &text,
                                      const std::string &textUri,
                                      model::Diagnostic &problem);

/// What became of the overrides `compilation` was made with, by name. `whole`:
/// the name of one that is given with its texts.
std::vector<model::OverrideState> overrideStates(const Compilation &compilation,
                                                 const std::string &whole = "");

/// `override`, with which `compilation` was made and which is not in force,
/// onto what its pass leaves now: under the name its part probably has now, its
/// lines merged with those that changed under it. None and `problem` if both
/// sides change the same lines (TW0240, with both), or if there is no such part
/// (TW0241). `asIs`: its text as it stands, whatever changed.
std::optional<model::Override> reapply(const Compilation &compilation,
                                       const model::Override &override,
                                       bool asIs, model::Diagnostic &problem);

} // namespace tilewright
