//===- AttentionMask.h - what the mask of an attention hides ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A score of -inf has the weight 0, whatever the others of its row are. Where a
// mask puts -inf is known before the program runs if it comes from constants: a
// constant mask, or a comparison of two constant vectors of positions, one a
// query and one a key. Tiles of keys that no query of a tile sees can then be
// left out.
//
// They are not read: a NaN or an infinity among their keys and values does not
// reach the result, as 0 times it would. Masks of large finite numbers hide
// nothing for certain.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/KeyBand.h"
#include "core/pass/tile/AttentionScope.h"

namespace tilewright::pass {

/// Dictionary on the function of a scope that is one attention whose mask hides
/// keys for certain: the fields of a KeyBand that bound, "from", "to",
/// "row_from", "row_to".
inline constexpr llvm::StringLiteral visibleKeysAttrName = "tile.visible_keys";

/// What the mask leaves to see; none if it hides no key for certain. The
/// attention stands among the constants that its mask is made of. Takes time
/// linear in their elements.
std::optional<decision::KeyBand> visibleKeys(Attention &attention);

mlir::DictionaryAttr toAttribute(const decision::KeyBand &band,
                                 mlir::MLIRContext *context);
/// What `scope` has in its attribute.
std::optional<decision::KeyBand> visibleKeysOf(mlir::func::FuncOp scope);

} // namespace tilewright::pass
