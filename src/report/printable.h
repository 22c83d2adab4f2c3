// Printable: text from data in a form that neither breaks a line nor commands a terminal.
#pragma once

#include <string>
#include <string_view>

namespace auscult::report {

// Valid UTF-8 with a blank for every control character.
std::string printable(std::string_view text);

}  // namespace auscult::report
