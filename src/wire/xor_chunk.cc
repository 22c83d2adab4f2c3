#include "wire/xor_chunk.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "wire/otlp_fields.h"
#include "wire/prometheus_series.h"

namespace auscult::wire {
namespace {

constexpr size_t header_bytes = 2;
constexpr unsigned bits_per_value = 64;

// The most significant bit of a byte comes first.
class Bits {
 public:
  explicit Bits(std::string_view bytes) : bytes_(bytes) {}

  uint64_t read(unsigned n_bits) {
    if (n_bits > bytes_.size() * 8 - position_) throw Malformed("chunk that ends too early");
    uint64_t value = 0;
    while (n_bits > 0) {
      const auto byte = static_cast<unsigned char>(bytes_[position_ / 8]);
      const auto left = static_cast<unsigned>(8 - position_ % 8);
      const unsigned take = std::min(left, n_bits);
      const unsigned piece = (byte >> (left - take)) & ((1U << take) - 1U);
      value = value << take | piece;
      position_ += take;
      n_bits -= take;
    }
    return value;
  }

  bool bit() { return read(1) != 0; }

  // Of encoding/binary in Go: seven bits a byte, the least significant first.
  uint64_t uvarint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < bits_per_value; shift += 7) {
      const uint64_t byte = read(8);
      value |= (byte & 0x7fU) << shift;
      if (byte < 0x80U) return value;
    }
    throw Malformed("chunk with a number of more than 64 bits");
  }

  // With the sign in the lowest bit.
  uint64_t varint() {
    const uint64_t value = uvarint();
    return (value & 1U) != 0 ? ~(value >> 1U) : value >> 1U;
  }

 private:
  std::string_view bytes_;
  size_t position_ = 0;  // in bits
};

// Times and values one after the other. Times are computed without a sign, where overflow wraps, as
// a hostile chunk may ask for any.
class XorReader {
 public:
  explicit XorReader(std::string_view bytes) : bits_(bytes) {}

  void next() {
    if (n_read_ == 0) {
      time_ = bits_.varint();
      value_ = bits_.read(bits_per_value);
    } else {
      delta_ = n_read_ == 1 ? bits_.uvarint() : delta_ + delta_of_delta();
      time_ += delta_;
      read_value();
    }
    ++n_read_;
  }

  int64_t timestamp_ms() const { return static_cast<int64_t>(time_); }
  double value() const { return std::bit_cast<double>(value_); }

 private:
  // Ones up to a zero, at most four, say how many bits follow.
  uint64_t delta_of_delta() {
    constexpr unsigned widths[] = {0, 14, 17, 20, bits_per_value};
    unsigned ones = 0;
    while (ones < 4 && bits_.bit()) ++ones;
    const unsigned width = widths[ones];
    const uint64_t value = bits_.read(width);
    if (width == 0 || width == bits_per_value) return value;
    // Ranges are (-2^(n-1), 2^(n-1)]: only what is above the middle is negative.
    return value > uint64_t{1} << (width - 1) ? value - (uint64_t{1} << width) : value;
  }

  // The difference to the value before, without the zeros at both ends.
  void read_value() {
    if (!bits_.bit()) return;
    if (bits_.bit()) {
      leading_ = static_cast<unsigned>(bits_.read(5));
      significant_ = static_cast<unsigned>(bits_.read(6));
      if (significant_ == 0) significant_ = bits_per_value;  // 64 does not fit into 6 bits
      if (leading_ + significant_ > bits_per_value) throw Malformed("chunk with an odd value");
    }
    const unsigned trailing = bits_per_value - leading_ - significant_;
    value_ ^= bits_.read(significant_) << trailing;
  }

  Bits bits_;
  uint64_t n_read_ = 0;
  uint64_t time_ = 0;
  uint64_t delta_ = 0;
  uint64_t value_ = 0;
  unsigned leading_ = 0;
  unsigned significant_ = bits_per_value;
};

}  // namespace

uint64_t samples_of_chunk(std::string_view chunk) {
  if (chunk.size() < header_bytes) throw Malformed("chunk that ends too early");
  return Bits(chunk).read(header_bytes * 8);
}

uint64_t append_xor_chunk(std::string_view chunk, const model::Series* of, const TimeRangeMs& range,
                          model::Points& out) {
  const uint64_t n_samples = samples_of_chunk(chunk);
  XorReader reader(chunk.substr(header_bytes));
  uint64_t n_unstorable = 0;
  for (uint64_t i = 0; i < n_samples; ++i) {
    reader.next();
    const int64_t timestamp_ms = reader.timestamp_ms();
    if (timestamp_ms < range.start_ms || timestamp_ms > range.end_ms) continue;
    if (is_storable(timestamp_ms)) {
      out.push_back(of, timestamp_ms, reader.value());
    } else {
      ++n_unstorable;
    }
  }
  return n_unstorable;
}

}  // namespace auscult::wire
