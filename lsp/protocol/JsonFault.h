//===- JsonFault.h - exceptions of the JSON library in our words -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <exception>
#include <string>

namespace tilewright::lsp {

/// What went wrong when JSON of another program of ours was read, without the
/// JSON library's words. Of other exceptions what they say, as UTF-8.
std::string describe(const std::exception &error);

} // namespace tilewright::lsp
