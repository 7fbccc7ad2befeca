//===- XmlFault.h - what is wrong with a picture ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "viz/Theme.h"
#include <string>

/// Checks that a text is well-formed XML: balanced tags, quoted attributes, no
/// stray signs, valid UTF-8 without forbidden characters. Empty if it is.
std::string xmlFault(const std::string &xml);

/// WCAG's contrast ratio, 1 to 21.
double contrast(tilewright::viz::Colour a, tilewright::viz::Colour b);
