// Hashes that are stored: XXH3, stable across versions and machines.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace auscult {

uint64_t hash64(std::string_view bytes);

// Of the pieces one behind the other.
uint64_t hash64(std::span<const std::string_view> pieces);

// 32 hexadecimal digits.
std::string hash128_hex(std::string_view bytes);

// 128 bits, too many for two names to meet by chance. Under a seed of its own a process need not
// fear names that were made to meet.
struct Hash128 {
  uint64_t high = 0;
  uint64_t low = 0;
  bool operator==(const Hash128&) const = default;
};
Hash128 hash128(std::string_view bytes, uint64_t seed);

// For unordered containers: a hash needs no further hashing.
struct Hash128Hasher {
  size_t operator()(const Hash128& hash) const { return hash.low; }
};

}  // namespace auscult
