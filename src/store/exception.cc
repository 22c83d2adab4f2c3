#include "store/exception.h"

#include "base/text.h"

namespace auscult::store {

std::string exception_text(const ExceptionKind& kind, std::string_view message) {
  return "Code: " + std::to_string(kind.code) + ". DB::Exception: " + std::string(message) + ". (" +
         std::string(kind.name) + ")";
}

int exception_code(std::string_view text) {
  constexpr std::string_view prefix = "Code: ";
  if (!text.starts_with(prefix)) return 0;
  text.remove_prefix(prefix.size());
  const auto number = to_uint(text.substr(0, text.find('.')));
  return number && *number < 100'000 ? static_cast<int>(*number) : 0;
}

}  // namespace auscult::store
