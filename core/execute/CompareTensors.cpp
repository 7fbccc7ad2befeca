//===- CompareTensors.cpp - whether two results agree ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/CompareTensors.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

namespace tilewright::execute {

/// Elements that one thread compares at least.
static constexpr int64_t rowsElements = 1 << 15;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Significant bits and smallest normal exponent of a float type.
struct Precision {
  int bits;
  int minExponent;
};
static Precision precisionOf(Element element) {
  switch (element) {
  case Element::BF16:
    return {8, -126};
  case Element::F16:
    return {11, -14};
  case Element::F32:
    return {24, -126};
  default:
    return {53, -1022};
  }
}

double unitInLastPlace(Element element, double value) {
  Precision precision = precisionOf(element);
  int exponent = value == 0 || !std::isfinite(value)
                     ? precision.minExponent
                     : std::max(std::ilogb(value), precision.minExponent);
  return std::ldexp(1.0, exponent - precision.bits + 1);
}

static double rowTolerance(Element element) {
  switch (element) {
  case Element::BF16:
    return std::ldexp(1.0, -7);
  case Element::F16:
    return std::ldexp(1.0, -10);
  default:
    return 1e-5;
  }
}

/// |got - want|, 0 where both are NaN or the same infinity.
static double difference(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want)))
    return 0;
  double difference = std::fabs(got - want);
  return std::isnan(difference) ? infinity : difference;
}

static std::vector<int64_t> indexOf(const HostTensor &tensor,
                                    int64_t position) {
  std::vector<int64_t> index(tensor.shape().size());
  for (size_t d = index.size(); d-- > 0;) {
    index[d] = position % tensor.shape()[d];
    position /= tensor.shape()[d];
  }
  return index;
}

static std::string indexText(const std::vector<int64_t> &index) {
  std::string text = "[";
  for (size_t d = 0; d < index.size(); ++d)
    text += (d ? ", " : "") + std::to_string(index[d]);
  return text + "]";
}

static std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

namespace {

struct Worst {
  double error = -1;
  int64_t position = 0;
  double got = 0, want = 0;
  bool counts = false;
  model::ErrorHistogram histogram; ///< if it counts

  void see(double e, int64_t p, double g, double w) {
    if (e > error) {
      error = e;
      position = p;
      got = g;
      want = w;
    }
    if (!counts)
      return;
    if (e == 0)
      ++histogram.equal;
    else if (!std::isfinite(e))
      ++histogram.notFinite;
    else
      ++histogram.decades[int(std::floor(std::log10(e)))];
  }

  /// The worse of two, of two alike the first; with the elements of both.
  static Worst larger(Worst a, const Worst &b) {
    bool second =
        b.error > a.error || (b.error == a.error && b.position < a.position);
    if (second) {
      a.error = b.error;
      a.position = b.position;
      a.got = b.got;
      a.want = b.want;
    }
    a.histogram.equal += b.histogram.equal;
    a.histogram.notFinite += b.histogram.notFinite;
    for (auto [exponent, elements] : b.histogram.decades)
      a.histogram.decades[exponent] += elements;
    return a;
  }
};

} // namespace

static void compareRow(std::span<const double> got,
                       std::span<const double> want, int64_t begin,
                       Element element, Worst &worst) {
  double largest = std::ldexp(1.0, precisionOf(element).minExponent);
  for (double value : want)
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
  for (size_t i = 0; i < got.size(); ++i) {
    double off = difference(got[i], want[i]);
    worst.see(off == 0 ? 0 : off / largest, begin + int64_t(i), got[i],
              want[i]);
  }
}

/// What a bound allows for the elements from `begin` on.
static void readAllowed(const MatmulBound &bound, std::span<const double> want,
                        int64_t begin, Element element,
                        std::span<double> allowed) {
  if (!bound.magnitudes)
    return bound.allowed->read(begin, allowed);
  bound.magnitudes->read(begin, allowed);
  double factor = 4 * std::ldexp(1.0, -24) * std::sqrt(double(bound.depth));
  bool narrow = element == Element::F16 || element == Element::BF16;
  for (size_t i = 0; i < allowed.size(); ++i) {
    allowed[i] = factor * allowed[i] + bound.underflow;
    if (narrow)
      allowed[i] += unitInLastPlace(element, want[i]);
  }
}

static void compareBound(std::span<const double> got,
                         std::span<const double> want,
                         std::span<const double> allowed, int64_t begin,
                         Worst &worst) {
  for (size_t i = 0; i < got.size(); ++i) {
    double off = difference(got[i], want[i]);
    worst.see(off == 0 ? 0 : off / allowed[i], begin + int64_t(i), got[i],
              want[i]);
  }
}

model::VerifyCheck compareInDetail(const HostTensor &got,
                                   const HostTensor &want,
                                   const MatmulBound &bound, bool count) {
  model::VerifyCheck result;
  Element element = got.element();
  const HostTensor *limit =
      bound.magnitudes ? bound.magnitudes.get() : bound.allowed.get();
  bool bounded = limit && isFloat(element) && limit->shape() == got.shape();
  if (!isFloat(element)) {
    result.rule = "exact";
    result.tolerance = 0;
  } else if (bounded) {
    result.rule = bound.magnitudes ? "matmul-bound" : "carried-errors";
    result.tolerance = 1;
  } else {
    result.rule = "row-relative";
    result.tolerance = rowTolerance(element);
  }
  if (got.shape() != want.shape()) {
    result.error = infinity;
    result.problem = "shape " + shapeText(got.shape()) + " instead of " +
                     shapeText(want.shape());
    return result;
  }
  if (got.elements() > 0 && got.element() == want.element() &&
      std::memcmp(got.data(), want.data(), size_t(got.byteSize())) == 0) {
    result.passed = true;
    result.index = indexOf(got, 0);
    result.got = got.at(0);
    result.want = want.at(0);
    result.histogram.equal = got.elements();
    return result;
  }
  int64_t row = got.rank() ? std::max<int64_t>(got.shape().back(), 1) : 1;
  auto compareRows = [&](const tbb::blocked_range<int64_t> &rows, Worst worst) {
    std::vector<double> a(row), b(row), m(bounded ? row : 0);
    for (int64_t r = rows.begin(); r < rows.end(); ++r) {
      int64_t begin = r * row;
      got.read(begin, a);
      want.read(begin, b);
      if (bounded) {
        readAllowed(bound, b, begin, element, m);
        compareBound(a, b, m, begin, worst);
      } else if (isFloat(element)) {
        compareRow(a, b, begin, element, worst);
      } else {
        for (int64_t i = 0; i < row; ++i)
          worst.see(difference(a[i], b[i]), begin + i, a[i], b[i]);
      }
    }
    return worst;
  };
  Worst worst;
  worst.counts = count;
  worst = tbb::parallel_reduce(
      tbb::blocked_range<int64_t>(0, got.elements() / row,
                                  std::max<int64_t>(1, rowsElements / row)),
      worst, compareRows, Worst::larger);
  result.histogram = std::move(worst.histogram);
  result.error = std::max(worst.error, 0.0);
  result.passed = result.error <= result.tolerance;
  if (worst.error >= 0) {
    result.index = indexOf(got, worst.position);
    result.got = worst.got;
    result.want = worst.want;
  } else {
    result.problem = "it has no elements";
  }
  return result;
}

model::CheckResult compareTensors(const HostTensor &got, const HostTensor &want,
                                  const MatmulBound &bound) {
  model::VerifyCheck detail =
      compareInDetail(got, want, bound, /*count=*/false);
  model::CheckResult result;
  result.passed = detail.passed;
  result.error = detail.error;
  result.tolerance = detail.tolerance;
  result.rule = detail.rule;
  if (detail.problem.empty())
    result.worst = indexText(detail.index) + ": " + number(detail.got) +
                   ", wanted " + number(detail.want);
  else if (!detail.passed)
    result.worst = detail.problem;
  return result;
}

} // namespace tilewright::execute
