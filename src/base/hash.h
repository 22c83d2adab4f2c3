// Hashes that are stored: XXH3, stable across versions and machines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace auscult {

uint64_t hash64(std::string_view bytes);

// 32 hexadecimal digits.
std::string hash128_hex(std::string_view bytes);

}  // namespace auscult
