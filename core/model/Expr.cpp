//===- Expr.cpp - integer expressions over named symbols ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normal form: a sum of terms `coefficient * atom` sorted by the atom's text,
// the constant last; an atom is a symbol, a function or a sorted product of
// these. It is kept as a balanced tree of binary nodes, so that a sum of many
// terms is not deep.
//
//===----------------------------------------------------------------------===//
#include "core/model/Expr.h"
#include "core/model/Json.h"
#include <algorithm>
#include <cassert>
#include <cctype>
#include <limits>

using namespace tilewright::model;

namespace {
constexpr int maxDepth = 256;
constexpr int64_t int64Min = std::numeric_limits<int64_t>::min();
constexpr int64_t int64Max = std::numeric_limits<int64_t>::max();
using Wide = __int128;
} // namespace

struct Expr::Node {
  Kind kind;
  int64_t value = 0;
  std::string name;
  std::shared_ptr<const Node> lhs, rhs;
  int depth = 1;
  /// Divides by a constant zero somewhere, or was left alone because its
  /// coefficients overflow: never rewritten.
  bool opaque = false;
};

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static bool fitsInt64(Wide value) {
  return value >= int64Min && value <= int64Max;
}

/// Intermediate results stay below 2^126, so that adding two and negating one
/// cannot overflow.
static std::optional<Wide> bounded(Wide value) {
  constexpr Wide bound = static_cast<Wide>(1) << 126;
  if (value >= bound || value <= -bound)
    return std::nullopt;
  return value;
}

static int bitLength(Wide value) {
  int bits = 0;
  for (Wide rest = value < 0 ? -value : value; rest != 0; rest >>= 1)
    ++bits;
  return bits;
}

static std::optional<Wide> multiply(Wide a, Wide b) {
  if (!(fitsInt64(a) && fitsInt64(b)) && bitLength(a) + bitLength(b) > 126)
    return std::nullopt;
  return bounded(a * b);
}

static Wide floorDivide(Wide a, Wide b) {
  Wide quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}

static Wide greatestDivisor(Wide a, Wide b) {
  while (b != 0) {
    Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/// Empty on overflow and on division by zero.
static std::optional<Wide> apply(Expr::Kind kind, Wide a, Wide b) {
  using Kind = Expr::Kind;
  switch (kind) {
  case Kind::Add:
    return bounded(a + b);
  case Kind::Mul:
    return multiply(a, b);
  case Kind::FloorDiv:
    return b == 0 ? std::nullopt : bounded(floorDivide(a, b));
  case Kind::CeilDiv:
    return b == 0 ? std::nullopt
                  : bounded(floorDivide(a, b) + (a % b != 0 ? 1 : 0));
  case Kind::Mod:
    return b == 0 ? std::nullopt : bounded(a - floorDivide(a, b) * b);
  case Kind::Min:
    return std::min(a, b);
  case Kind::Max:
    return std::max(a, b);
  case Kind::Constant:
  case Kind::Symbol:
    break;
  }
  return std::nullopt;
}

static std::optional<int64_t> applyInt64(Expr::Kind kind, int64_t a,
                                         int64_t b) {
  std::optional<Wide> result = apply(kind, a, b);
  if (!result || !fitsInt64(*result))
    return std::nullopt;
  return static_cast<int64_t>(*result);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Expr::Expr(int64_t value) {
  auto made = std::make_shared<Node>();
  made->kind = Kind::Constant;
  made->value = value;
  node = std::move(made);
}

Expr Expr::symbol(std::string name) {
  auto made = std::make_shared<Node>();
  made->kind = Kind::Symbol;
  made->name = std::move(name);
  return Expr(std::shared_ptr<const Node>(std::move(made)));
}

Expr::Kind Expr::kind() const { return node->kind; }

std::optional<int64_t> Expr::constant() const {
  if (node->kind != Kind::Constant)
    return std::nullopt;
  return node->value;
}

const std::string &Expr::symbolName() const {
  assert(node->kind == Kind::Symbol);
  return node->name;
}

Expr Expr::lhs() const {
  assert(node->lhs && "only binary expressions have operands");
  return Expr(node->lhs);
}

Expr Expr::rhs() const {
  assert(node->rhs && "only binary expressions have operands");
  return Expr(node->rhs);
}

/// Rewrites into the normal form. A member type so that it sees the nodes.
struct Expr::Builder {
  struct Term {
    std::string text; ///< of the atom, the order of terms
    Expr atom;
    int64_t coefficient;
  };
  /// A sum taken apart; `constant` is its last term.
  struct Sum {
    std::vector<Term> terms;
    int64_t constant = 0;
  };

  static Expr plain(Kind kind, const Expr &lhs, const Expr &rhs, bool opaque) {
    auto made = std::make_shared<Node>();
    made->kind = kind;
    made->lhs = lhs.node;
    made->rhs = rhs.node;
    made->depth = 1 + std::max(lhs.node->depth, rhs.node->depth);
    made->opaque = opaque;
    // Nothing binds this name, so what is too deep evaluates to nothing.
    if (made->depth > maxDepth)
      return Expr::symbol("too deep");
    return Expr(std::shared_ptr<const Node>(std::move(made)));
  }

  /// Adds `scale * expr` to `sum`. False if a coefficient overflows.
  static bool takeApart(const Expr &expr, int64_t scale, Sum &sum) {
    if (expr.node->opaque) {
      sum.terms.push_back({expr.str(), expr, scale});
      return true;
    }
    switch (expr.kind()) {
    case Kind::Constant: {
      std::optional<int64_t> scaled =
          applyInt64(Kind::Mul, scale, expr.node->value);
      if (!scaled)
        return false;
      scaled = applyInt64(Kind::Add, sum.constant, *scaled);
      if (!scaled)
        return false;
      sum.constant = *scaled;
      return true;
    }
    case Kind::Add:
      return takeApart(expr.lhs(), scale, sum) &&
             takeApart(expr.rhs(), scale, sum);
    case Kind::Mul:
      if (std::optional<int64_t> factor = expr.lhs().constant()) {
        std::optional<int64_t> scaled = applyInt64(Kind::Mul, scale, *factor);
        return scaled && takeApart(expr.rhs(), *scaled, sum);
      }
      break;
    default:
      break;
    }
    sum.terms.push_back({expr.str(), expr, scale});
    return true;
  }

  /// Sorts, joins equal atoms, drops zeroes. False if a coefficient overflows.
  static bool normalize(Sum &sum) {
    std::sort(sum.terms.begin(), sum.terms.end(),
              [](const Term &a, const Term &b) { return a.text < b.text; });
    std::vector<Term> joined;
    for (Term &term : sum.terms) {
      if (!joined.empty() && joined.back().text == term.text) {
        std::optional<int64_t> both =
            applyInt64(Kind::Add, joined.back().coefficient, term.coefficient);
        if (!both)
          return false;
        joined.back().coefficient = *both;
      } else {
        joined.push_back(std::move(term));
      }
    }
    std::erase_if(joined, [](const Term &term) { return !term.coefficient; });
    sum.terms = std::move(joined);
    return true;
  }

  static Expr build(const Sum &sum) {
    std::vector<Expr> parts;
    parts.reserve(sum.terms.size() + 1);
    for (const Term &term : sum.terms)
      parts.push_back(
          term.coefficient == 1
              ? term.atom
              : plain(Kind::Mul, Expr(term.coefficient), term.atom, false));
    if (sum.constant != 0 || parts.empty())
      parts.push_back(Expr(sum.constant));
    return balance(Kind::Add, parts, 0, parts.size());
  }

  static Expr balance(Kind kind, const std::vector<Expr> &parts, size_t begin,
                      size_t end) {
    if (end - begin == 1)
      return parts[begin];
    size_t middle = begin + (end - begin + 1) / 2;
    return plain(kind, balance(kind, parts, begin, middle),
                 balance(kind, parts, middle, end), false);
  }

  static std::optional<Expr> add(const Expr &lhs, const Expr &rhs) {
    Sum sum;
    if (!takeApart(lhs, 1, sum) || !takeApart(rhs, 1, sum) || !normalize(sum))
      return std::nullopt;
    return build(sum);
  }

  static void collectFactors(const Expr &expr, std::vector<Expr> &factors) {
    if (expr.kind() == Kind::Mul && !expr.node->opaque) {
      collectFactors(expr.lhs(), factors);
      collectFactors(expr.rhs(), factors);
    } else {
      factors.push_back(expr);
    }
  }

  /// Makes the sum `atom` primitive: 6*a - 4*b becomes 3*a - 2*b and the 2 goes
  /// to `coefficient`. A product of sums has one form only so.
  static bool pullOutContent(std::string &text, Expr &atom,
                             int64_t &coefficient) {
    if (atom.kind() != Kind::Add || atom.node->opaque)
      return true;
    Sum sum;
    if (!takeApart(atom, 1, sum) || !normalize(sum) || sum.terms.empty())
      return false;
    Wide content = greatestDivisor(sum.constant, 0);
    for (const Term &term : sum.terms)
      content = greatestDivisor(content, term.coefficient);
    if (sum.terms[0].coefficient < 0)
      content = -content;
    if (content == 1)
      return true;
    std::optional<Wide> product = apply(Kind::Mul, coefficient, content);
    if (!product || !fitsInt64(*product) || !fitsInt64(content))
      return false;
    coefficient = static_cast<int64_t>(*product);
    for (Term &term : sum.terms) {
      std::optional<int64_t> divided = applyInt64(
          Kind::FloorDiv, term.coefficient, static_cast<int64_t>(content));
      if (!divided)
        return false;
      term.coefficient = *divided;
    }
    std::optional<int64_t> divided =
        applyInt64(Kind::FloorDiv, sum.constant, static_cast<int64_t>(content));
    if (!divided)
      return false;
    sum.constant = *divided;
    atom = build(sum);
    text = atom.str();
    return true;
  }

  static std::optional<Expr> multiply(const Expr &lhs, const Expr &rhs) {
    std::vector<Expr> factors;
    collectFactors(lhs, factors);
    collectFactors(rhs, factors);
    int64_t coefficient = 1;
    std::vector<std::pair<std::string, Expr>> atoms;
    for (const Expr &factor : factors) {
      if (std::optional<int64_t> value = factor.constant()) {
        std::optional<int64_t> product =
            applyInt64(Kind::Mul, coefficient, *value);
        if (!product)
          return std::nullopt;
        coefficient = *product;
      } else {
        atoms.emplace_back(factor.str(), factor);
      }
    }
    if (coefficient == 0 || atoms.empty())
      return Expr(coefficient);
    if (atoms.size() > 1)
      for (auto &[text, atom] : atoms)
        if (!pullOutContent(text, atom, coefficient))
          return std::nullopt;
    std::sort(atoms.begin(), atoms.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<Expr> sorted;
    for (auto &[text, atom] : atoms)
      sorted.push_back(atom);
    Expr product = balance(Kind::Mul, sorted, 0, sorted.size());
    Sum sum;
    if (!takeApart(product, coefficient, sum) || !normalize(sum))
      return std::nullopt;
    return build(sum);
  }

  /// Splits off the terms of `dividend` that `divisor` divides evenly.
  static Sum splitMultiples(Sum &dividend, int64_t divisor) {
    Sum multiples;
    std::erase_if(dividend.terms, [&](Term &term) {
      if (term.coefficient % divisor != 0)
        return false;
      multiples.terms.push_back(
          {term.text, term.atom, term.coefficient / divisor});
      return true;
    });
    // What is left of the constant lies in [0, divisor).
    int64_t whole =
        static_cast<int64_t>(floorDivide(dividend.constant, divisor));
    multiples.constant = whole;
    dividend.constant -= whole * divisor;
    return multiples;
  }

  static std::optional<Expr> divide(Kind kind, const Expr &lhs,
                                    const Expr &rhs) {
    std::optional<int64_t> divisor = rhs.constant();
    // Only positive constants; a negative divisor is rare and kept as it is.
    if (!divisor || *divisor < 1)
      return std::nullopt;
    if (*divisor == 1)
      return kind == Kind::Mod ? Expr(0) : lhs;
    Sum rest;
    if (!takeApart(lhs, 1, rest) || !normalize(rest))
      return std::nullopt;
    Sum multiples = splitMultiples(rest, *divisor);
    if (rest.terms.empty() && rest.constant == 0)
      return kind == Kind::Mod ? Expr(0) : build(multiples);
    if (rest.terms.empty()) {
      std::optional<int64_t> value = applyInt64(kind, rest.constant, *divisor);
      if (!value)
        return std::nullopt;
      if (kind == Kind::Mod)
        return Expr(*value);
      std::optional<int64_t> constant =
          applyInt64(Kind::Add, multiples.constant, *value);
      if (!constant)
        return std::nullopt;
      multiples.constant = *constant;
      return build(multiples);
    }
    Expr inner = build(rest);
    if (kind == Kind::Mod)
      return plain(kind, inner, rhs, false);
    // (x / a) / b is x / (a * b) for positive constants.
    int64_t outer = *divisor;
    if (inner.kind() == kind && !inner.node->opaque)
      if (std::optional<int64_t> first = inner.rhs().constant();
          first && *first > 0)
        if (std::optional<int64_t> both =
                applyInt64(Kind::Mul, *first, outer)) {
          inner = inner.lhs();
          outer = *both;
        }
    Expr quotient = plain(kind, inner, Expr(outer), false);
    if (multiples.terms.empty() && multiples.constant == 0)
      return quotient;
    return add(build(multiples), quotient);
  }

  static std::optional<Expr> select(Kind kind, Expr lhs, Expr rhs) {
    if (lhs == rhs)
      return lhs;
    // One order for both, constants last.
    if (lhs.isConstant() || (!rhs.isConstant() && rhs.str() < lhs.str()))
      std::swap(lhs, rhs);
    if (rhs.isConstant() && lhs.kind() == kind && !lhs.node->opaque)
      if (std::optional<int64_t> inner = lhs.rhs().constant())
        return plain(kind, lhs.lhs(),
                     Expr(*applyInt64(kind, *inner, *rhs.constant())), false);
    return plain(kind, lhs, rhs, false);
  }
};

Expr Expr::make(Kind kind, Expr lhs, Expr rhs) {
  bool divides =
      kind == Kind::FloorDiv || kind == Kind::CeilDiv || kind == Kind::Mod;
  bool opaque = lhs.node->opaque || rhs.node->opaque ||
                (divides && rhs.constant() == int64_t(0));
  if (opaque)
    return Builder::plain(kind, lhs, rhs, true);
  if (lhs.isConstant() && rhs.isConstant()) {
    if (std::optional<int64_t> value =
            applyInt64(kind, *lhs.constant(), *rhs.constant()))
      return Expr(*value);
    return Builder::plain(kind, lhs, rhs, true);
  }
  std::optional<Expr> simplified;
  switch (kind) {
  case Kind::Add:
    simplified = Builder::add(lhs, rhs);
    break;
  case Kind::Mul:
    simplified = Builder::multiply(lhs, rhs);
    break;
  case Kind::FloorDiv:
  case Kind::CeilDiv:
  case Kind::Mod:
    simplified = Builder::divide(kind, lhs, rhs);
    if (!simplified)
      return Builder::plain(kind, lhs, rhs, false);
    break;
  case Kind::Min:
  case Kind::Max:
    simplified = Builder::select(kind, lhs, rhs);
    break;
  case Kind::Constant:
  case Kind::Symbol:
    assert(false && "only binary kinds are made of two operands");
    return lhs;
  }
  return simplified ? *simplified : Builder::plain(kind, lhs, rhs, true);
}

//===----------------------------------------------------------------------===//
// Evaluating
//===----------------------------------------------------------------------===//

std::optional<int64_t>
Expr::evaluate(const std::map<std::string, int64_t> &bindings) const {
  struct Evaluator {
    const std::map<std::string, int64_t> &bindings;
    std::optional<Wide> operator()(const Node &node) const {
      if (node.kind == Kind::Constant)
        return node.value;
      if (node.kind == Kind::Symbol) {
        auto found = bindings.find(node.name);
        if (found == bindings.end())
          return std::nullopt;
        return found->second;
      }
      std::optional<Wide> lhs = (*this)(*node.lhs);
      std::optional<Wide> rhs = lhs ? (*this)(*node.rhs) : std::nullopt;
      return rhs ? apply(node.kind, *lhs, *rhs) : std::nullopt;
    }
  };
  std::optional<Wide> value = Evaluator{bindings}(*node);
  if (!value || !fitsInt64(*value))
    return std::nullopt;
  return static_cast<int64_t>(*value);
}

void Expr::collectSymbols(std::set<std::string> &into) const {
  if (node->kind == Kind::Symbol)
    into.insert(node->name);
  if (!node->lhs)
    return;
  lhs().collectSymbols(into);
  rhs().collectSymbols(into);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static bool isNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}

static bool isNamePart(char c) {
  return isNameStart(c) || std::isdigit(static_cast<unsigned char>(c)) ||
         c == '.' || c == '$';
}

static std::optional<Expr::Kind> functionNamed(std::string_view name) {
  static constexpr std::pair<std::string_view, Expr::Kind> functions[] = {
      {"ceildiv", Expr::Kind::CeilDiv},
      {"floordiv", Expr::Kind::FloorDiv},
      {"mod", Expr::Kind::Mod},
      {"min", Expr::Kind::Min},
      {"max", Expr::Kind::Max}};
  for (auto [functionName, kind] : functions)
    if (functionName == name)
      return kind;
  return std::nullopt;
}

static const char *nameOf(Expr::Kind kind) {
  switch (kind) {
  case Expr::Kind::CeilDiv:
    return "ceildiv";
  case Expr::Kind::FloorDiv:
    return "floordiv";
  case Expr::Kind::Mod:
    return "mod";
  case Expr::Kind::Min:
    return "min";
  default:
    return "max";
  }
}

static std::string symbolText(const std::string &name) {
  bool isPlain = !name.empty() && isNameStart(name[0]) &&
                 std::all_of(name.begin(), name.end(), isNamePart) &&
                 !functionNamed(name);
  if (isPlain)
    return name;
  std::string quoted = "`";
  for (char c : name)
    quoted.append(c == '`' ? 2 : 1, c);
  return quoted + "`";
}

/// "-3*x" as the second part of a difference: "3*x". Empty if it is none, or
/// if the number has no positive counterpart.
static std::string negated(const std::string &text) {
  if (text[0] != '-' || text.rfind(std::to_string(int64Min), 0) == 0)
    return {};
  return text.substr(1);
}

std::string Expr::str() const {
  auto factorText = [](const Expr &expr) {
    std::string text = expr.str();
    return expr.kind() == Kind::Add ? "(" + text + ")" : text;
  };
  switch (node->kind) {
  case Kind::Constant:
    return std::to_string(node->value);
  case Kind::Symbol:
    return symbolText(node->name);
  case Kind::Add: {
    std::string right = rhs().str();
    std::string positive = negated(right);
    return lhs().str() + (positive.empty() ? " + " + right : " - " + positive);
  }
  case Kind::Mul:
    return factorText(lhs()) + "*" + factorText(rhs());
  default:
    return std::string(nameOf(node->kind)) + "(" + lhs().str() + ", " +
           rhs().str() + ")";
  }
}

namespace {
/// Recursive descent over the grammar in Expr.h.
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  std::optional<Expr> run(std::string *error) {
    std::optional<Expr> result = sum();
    skipSpace();
    if (result && position != text.size())
      result = fail("unexpected '" + std::string(1, text[position]) + "'");
    if (!result && error)
      *error = message;
    return result;
  }

private:
  static constexpr size_t maxTerms = 1000;
  std::string_view text;
  size_t position = 0;
  size_t terms = 0;
  int depth = 0;
  std::string message;

  std::optional<Expr> fail(const std::string &what) {
    if (message.empty())
      message = what + " at byte " + std::to_string(position);
    return std::nullopt;
  }

  void skipSpace() {
    while (position < text.size() &&
           (text[position] == ' ' || text[position] == '\t' ||
            text[position] == '\n'))
      ++position;
  }

  bool take(char c) {
    skipSpace();
    if (position >= text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }

  std::optional<Expr> sum() {
    if (++depth > maxDepth)
      return fail("expression nested deeper than " + std::to_string(maxDepth));
    std::optional<Expr> result = product();
    while (result) {
      bool minus = false;
      if (!take('+')) {
        if (!take('-'))
          break;
        minus = true;
      }
      std::optional<Expr> next = product();
      if (!next)
        return std::nullopt;
      if (minus)
        next = Expr(-1) * *next;
      result = *result + *next;
    }
    --depth;
    return result;
  }

  std::optional<Expr> product() {
    std::optional<Expr> result = factor();
    while (result && take('*')) {
      std::optional<Expr> next = factor();
      if (!next)
        return std::nullopt;
      result = *result * *next;
    }
    return result;
  }

  std::optional<Expr> factor() {
    if (++terms > maxTerms)
      return fail("expression of more than " + std::to_string(maxTerms) +
                  " terms");
    skipSpace();
    bool minus = take('-');
    skipSpace();
    if (position >= text.size())
      return fail("expression ends where a number or symbol is expected");
    char c = text[position];
    if (std::isdigit(static_cast<unsigned char>(c)))
      return number(minus);
    std::optional<Expr> result;
    if (take('(')) {
      result = sum();
      if (result && !take(')'))
        return fail("expected ')'");
    } else if (c == '`') {
      result = quotedSymbol();
    } else if (isNameStart(c)) {
      result = symbolOrFunction();
    } else {
      return fail("expected a number, a symbol or '('");
    }
    if (result && minus)
      result = Expr(-1) * *result;
    return result;
  }

  std::optional<Expr> number(bool minus) {
    size_t begin = position;
    Wide value = 0;
    while (position < text.size() &&
           std::isdigit(static_cast<unsigned char>(text[position]))) {
      value = value * 10 + (text[position++] - '0');
      if (value > static_cast<Wide>(int64Max) + 1) {
        position = begin;
        return fail("number does not fit into 64 bits");
      }
    }
    if (minus)
      value = -value;
    if (!fitsInt64(value)) {
      position = begin;
      return fail("number does not fit into 64 bits");
    }
    return Expr(static_cast<int64_t>(value));
  }

  std::optional<Expr> quotedSymbol() {
    std::string name;
    for (++position; position < text.size(); ++position) {
      if (text[position] == '`') {
        if (position + 1 == text.size() || text[position + 1] != '`') {
          ++position;
          return Expr::symbol(std::move(name));
        }
        ++position;
      }
      name += text[position];
    }
    return fail("'`' is not closed");
  }

  std::optional<Expr> symbolOrFunction() {
    size_t begin = position;
    while (position < text.size() && isNamePart(text[position]))
      ++position;
    std::string_view name = text.substr(begin, position - begin);
    std::optional<Expr::Kind> function = functionNamed(name);
    if (!function)
      return Expr::symbol(std::string(name));
    if (!take('('))
      return fail("expected '(' after '" + std::string(name) + "'");
    std::optional<Expr> lhs = sum();
    if (!lhs)
      return std::nullopt;
    if (!take(','))
      return fail("expected ','");
    std::optional<Expr> rhs = sum();
    if (!rhs)
      return std::nullopt;
    if (!take(')'))
      return fail("expected ')'");
    return Expr::make(*function, *lhs, *rhs);
  }
};
} // namespace

std::optional<Expr> Expr::parse(std::string_view text, std::string *error) {
  return Parser(text).run(error);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

void tilewright::model::to_json(nlohmann::json &json, const Expr &expr) {
  if (std::optional<int64_t> value = expr.constant())
    json = *value;
  else
    json = expr.str();
}

void tilewright::model::from_json(const nlohmann::json &json, Expr &expr) {
  if (json.is_number_unsigned() &&
      json.get<uint64_t>() > static_cast<uint64_t>(int64Max))
    throw JsonError("number does not fit into 64 bits: " + json.dump());
  if (json.is_number_integer()) {
    expr = Expr(json.get<int64_t>());
    return;
  }
  if (!json.is_string())
    throw JsonError(std::string("an expression must be an integer or a string, "
                                "but is ") +
                    json.type_name());
  std::string error;
  std::optional<Expr> parsed =
      Expr::parse(json.get_ref<const std::string &>(), &error);
  if (!parsed)
    throw JsonError("expression " + writeJson(json) + ": " + error);
  expr = *parsed;
}
