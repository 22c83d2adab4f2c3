// A diagnosis on a terminal: ranked hypotheses, and the evidence under each.
#pragma once

#include <iosfwd>

#include "diagnose/diagnosis.h"

namespace auscult::cli {

void print_diagnosis(const diagnose::Diagnosis& diagnosis, std::ostream& out);

}  // namespace auscult::cli
