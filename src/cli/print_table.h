// A table for a terminal: columns as wide as they need to be.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace auscult::cli {

// rows[row][column]; the last column is not padded.
void print_table(std::ostream& out, const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows);

}  // namespace auscult::cli
