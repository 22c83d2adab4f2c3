// Section: one chapter of the report, made from the diagnosis.
#pragma once

#include <string_view>
#include <vector>

#include "base/named.h"
#include "report/report.h"

namespace auscult::report {

struct Section {
  int position = 0;  // sections are printed in ascending order
  std::string_view title;
  std::vector<Block> (*render)(const diagnose::Diagnosis& diagnosis) = nullptr;  // empty: left out
};

std::vector<Named<Section>> all_sections();

// "0.0214", "-" for no number.
std::string show_number(double value, int digits = 3);

// "98.2%" of 0.982, "-" for no number.
std::string show_ratio(double value);

// "93011 1/s", "98.2%", "-" for no value.
std::string show_value(double value, std::string_view unit);

// "node7, nvme0n1, PID 4711 (fio --name=x)", as far as it is known.
std::string show_location(const diagnose::Location& location);

}  // namespace auscult::report
