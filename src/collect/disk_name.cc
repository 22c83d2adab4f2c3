#include "collect/disk_name.h"

#include <algorithm>

namespace auscult::collect {
namespace {

constexpr std::string_view digits = "0123456789";

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_digits(std::string_view& text) {
  const auto end = std::min(text.find_first_not_of(digits), text.size());
  text.remove_prefix(end);
  return end > 0;
}

bool only_digits(std::string_view text) { return take_digits(text) && text.empty(); }

}  // namespace

bool is_minor_disk(std::string_view device) {
  for (const std::string_view prefix : {"zram", "ram", "loop", "fd"}) {
    auto rest = device;
    if (take(rest, prefix) && only_digits(rest)) return true;
  }
  for (const std::string_view prefix : {"hd", "sd", "vd", "xvd"}) {
    auto rest = device;
    if (!take(rest, prefix) || rest.empty() || rest[0] < 'a' || rest[0] > 'z') continue;
    rest.remove_prefix(1);
    if (only_digits(rest)) return true;
  }
  auto rest = device;
  return take(rest, "nvme") && take_digits(rest) && take(rest, "n") && take_digits(rest) &&
         take(rest, "p") && only_digits(rest);
}

}  // namespace auscult::collect
