// Golden files of this folder: read once, a member as doubles.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"

namespace auscult::stats {

// The cases of testdata/<name>; a failed test and no cases when it cannot be read.
inline Json::Array golden_cases(const std::string& name) {
  const auto text = read_file("testdata/" + name);
  if (!text) {
    ADD_FAILURE() << text.error().message;
    return {};
  }
  const auto json = Json::parse(*text);
  if (!json) {
    ADD_FAILURE() << json.error().message;
    return {};
  }
  EXPECT_FALSE(json->array().empty()) << name;
  return json->array();
}

inline double number(const Json& json) {
  return json.number_or(std::numeric_limits<double>::quiet_NaN());
}

inline std::vector<double> numbers(const Json& json) {
  std::vector<double> values;
  for (const Json& value : json.array()) values.push_back(number(value));
  return values;
}

// Equal to 1e-9, or both NaN.
inline bool agrees(double ours, double theirs) {
  return std::isnan(theirs) ? std::isnan(ours) : std::abs(ours - theirs) <= 1e-9;
}

}  // namespace auscult::stats
