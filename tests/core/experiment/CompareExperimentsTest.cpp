//===- CompareExperimentsTest.cpp -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/experiment/CompareExperiments.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilewright;

TEST_CASE("what differs between two experiments") {
  model::Experiment before, after;
  before.sourceFingerprint = after.sourceFingerprint = "s";
  after.pinsFingerprint = "p";
  before.overridesFingerprint = "o";
  after.overridesFingerprint = "q";
  before.overridesText = R"({"gone": "1", "kept": "1", "other": "1"})";
  after.overridesText = R"({"kept": "1", "new": "1", "other": "2"})";
  auto decision = [](std::string key, nlohmann::json value,
                     model::DecisionOrigin origin) {
    model::Decision decision;
    decision.key = std::move(key);
    decision.kind = "tile";
    decision.value = std::move(value);
    decision.origin = origin;
    return decision;
  };
  using model::DecisionOrigin;
  before.decisions = {decision("f/same", 1, DecisionOrigin::Default),
                      decision("f/changed", 1, DecisionOrigin::Default),
                      decision("f/gone", 1, DecisionOrigin::Default),
                      decision("f/pinned", 1, DecisionOrigin::Default)};
  after.decisions = {decision("f/changed", 2, DecisionOrigin::Pinned),
                     decision("f/pinned", 1, DecisionOrigin::Pinned),
                     decision("f/same", 1, DecisionOrigin::Default),
                     decision("f/new", 3, DecisionOrigin::Default)};
  before.metrics = {{"best time", 2, "ms", model::Origin::Measured},
                    {"only before", 1, "", model::Origin::Estimated}};
  after.metrics = {{"only after", 1, "", model::Origin::Estimated},
                   {"best time", 1, "ms", model::Origin::Measured}};
  model::ExperimentComparison result = experiment::compare(before, after);
  CHECK(result.sameSource);
  CHECK_FALSE(result.samePins);
  CHECK_FALSE(result.sameOverrides);
  CHECK(result.overrides == std::vector<std::string>{"gone", "new", "other"});
  CHECK(result.before.overridesText.empty());
  CHECK(result.before.decisions.empty());
  REQUIRE(result.decisions.size() == 4);
  CHECK(result.decisions[0].key == "f/changed");
  CHECK(result.decisions[0].before == 1);
  CHECK(result.decisions[0].after == 2);
  CHECK(result.decisions[0].afterOrigin == "pinned");
  CHECK(result.decisions[1].key == "f/gone");
  CHECK(result.decisions[1].after.is_null());
  CHECK(result.decisions[2].key == "f/new");
  CHECK(result.decisions[2].before.is_null());
  CHECK(result.decisions[3].key == "f/pinned");
  CHECK(result.decisions[3].beforeOrigin == "default");
  REQUIRE(result.metrics.size() == 3);
  CHECK(result.metrics[0].name == "best time");
  CHECK(result.metrics[0].before == 2);
  CHECK(result.metrics[0].after == 1);
  CHECK(std::isnan(result.metrics[1].after));
  CHECK(std::isnan(result.metrics[2].before));
}
