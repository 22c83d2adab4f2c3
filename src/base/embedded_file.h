// A text file of the source tree that CMake's embed() put into the program.
#pragma once

#include <string_view>
#include <vector>

namespace auscult {

struct EmbeddedFile {
  std::string_view path;  // relative to the source tree
  std::string_view text;
};

}  // namespace auscult
