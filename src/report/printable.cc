#include "report/printable.h"

#include "base/text.h"

namespace auscult::report {

std::string printable(std::string_view text) {
  std::string out = valid_utf8(text);
  for (size_t i = 0; i < out.size(); ++i) {
    const auto byte = static_cast<unsigned char>(out[i]);
    if (byte < 0x20 || byte == 0x7F) out[i] = ' ';
    // U+0080 to U+009F: some terminals obey them as they obey ESC.
    if (byte == 0xC2 && static_cast<unsigned char>(out[i + 1]) < 0xA0) out.replace(i, 2, " ");
  }
  return out;
}

}  // namespace auscult::report
