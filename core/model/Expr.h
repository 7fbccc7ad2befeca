//===- Expr.h - integer expressions over named symbols ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace tilewright::model {

/// An immutable integer expression over symbols: a tensor dimension, a grid
/// size, an access offset. `x.0` names dimension 0 of argument `x`; grid
/// coordinates are `g0`, `g1`, … Simplified when built: equal constant
/// expressions compare equal by text. Cheap to copy.
///
/// Text form (also its JSON form when not a plain number):
///   sum     := product (('+'|'-') product)*
///   product := factor ('*' factor)*
///   factor  := ['-'] (integer | symbol | '(' sum ')' | fn '(' sum ',' sum ')')
///   fn      := ceildiv | floordiv | mod | min | max
///   symbol  := [A-Za-z_][A-Za-z0-9_.$]* | '`' any text, '``' for '`' '`'
/// Divisions round down (floordiv) or up (ceildiv), whatever the signs; mod
/// has the sign of the divisor.
class Expr {
public:
  enum class Kind {
    Constant,
    Symbol,
    Add,
    Mul,
    CeilDiv,
    FloorDiv,
    Mod,
    Min,
    Max
  };

  Expr() : Expr(int64_t(0)) {}
  Expr(int64_t value);
  Expr(int value) : Expr(int64_t(value)) {}
  static Expr symbol(std::string name);
  /// Builds and simplifies. Division or remainder by a constant zero stays
  /// unsimplified and evaluates to nothing; so does what is nested deeper than
  /// 256 (sums and products of any length are not deep). Simplifying may make
  /// an expression defined where it was not: `0 * x` is 0 with `x` unbound.
  static Expr make(Kind kind, Expr lhs, Expr rhs);
  /// Parses the text form. Empty on a syntax error; `error` then says what and
  /// at which byte.
  static std::optional<Expr> parse(std::string_view text,
                                   std::string *error = nullptr);

  Kind kind() const;
  bool isConstant() const { return kind() == Kind::Constant; }
  std::optional<int64_t> constant() const;
  const std::string &symbolName() const; ///< only for Kind::Symbol
  Expr lhs() const;                      ///< only for binary kinds
  Expr rhs() const;

  /// The value under `bindings`; empty if a symbol is unbound, the value does
  /// not fit into 64 bits (on the way there are 126), or something is divided
  /// by zero.
  std::optional<int64_t>
  evaluate(const std::map<std::string, int64_t> &bindings) const;
  void collectSymbols(std::set<std::string> &into) const;
  std::string str() const;

  friend bool operator==(const Expr &a, const Expr &b) {
    return a.node == b.node || a.str() == b.str();
  }
  friend Expr operator+(Expr a, Expr b) { return make(Kind::Add, a, b); }
  friend Expr operator*(Expr a, Expr b) { return make(Kind::Mul, a, b); }

private:
  struct Node;
  struct Builder;
  std::shared_ptr<const Node> node;
  explicit Expr(std::shared_ptr<const Node> node) : node(std::move(node)) {}
};

void to_json(nlohmann::json &json, const Expr &expr);
void from_json(const nlohmann::json &json, Expr &expr);

} // namespace tilewright::model
