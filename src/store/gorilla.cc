#include "store/gorilla.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace auscult::store {
namespace {

// Scales, each able to hold more than the ones before it: a series moves only towards the end.
struct Scale {
  double multiple;  // value = number * multiple / divisor
  double divisor;
};
constexpr std::array<Scale, 19> scales = {{
    {4096, 1},  // pages
    {1024, 1},  // the kernel's kB
    {512, 1},   // sectors
    {1, 1},    {1, 1e1}, {1, 1e2},  {1, 1e3},  {1, 1e4},  {1, 1e5},  {1, 1e6},  {1, 1e7},
    {1, 1e8},  {1, 1e9}, {1, 1e10}, {1, 1e11}, {1, 1e12}, {1, 1e13}, {1, 1e14}, {1, 1e15},
}};
constexpr uint8_t whole = 3;
constexpr uint8_t float_bits = 19;   // the upper 35 bits of the double: a float has no others
constexpr uint8_t double_bits = 20;  // all of them
constexpr unsigned scale_bits = 5;
constexpr unsigned float_shift = 29;
constexpr double exact_below = 9007199254740992;  // 2^53: beyond, doubles skip whole numbers

constexpr unsigned max_unary = 8;  // beyond, a number is written with its length
constexpr uint64_t escape = (uint64_t{1} << max_unary) - 1;
constexpr unsigned length_bits = 7;     // 0 to 64
constexpr int64_t max_jitter_ms = 128;  // beyond, the step has changed
constexpr unsigned trend_inertia = 2;   // the trend follows by a quarter of the difference
constexpr int64_t max_difference = int64_t{1} << 55U;  // beyond, there is no trend

// Differences wrap around: any time may follow any other.
int64_t minus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
uint64_t zigzag(int64_t n) {
  return (static_cast<uint64_t>(n) << 1U) ^ static_cast<uint64_t>(n >> 63);
}
int64_t unzigzag(uint64_t n) { return static_cast<int64_t>((n >> 1U) ^ (0 - (n & 1U))); }

// The n lowest bits.
constexpr uint64_t low_mask(unsigned n) { return n < 64 ? (uint64_t{1} << n) - 1 : ~uint64_t{0}; }

bool same_bits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

std::optional<int64_t> to_number(double value, uint8_t scale) {
  if (scale >= float_bits) {
    const auto bits = std::bit_cast<int64_t>(value);
    if (scale == double_bits) return bits;
    if ((bits & ((int64_t{1} << float_shift) - 1)) != 0) return std::nullopt;
    return bits >> float_shift;
  }
  const auto [multiple, divisor] = scales[scale];
  const double scaled = scale <= whole ? value / multiple : value * divisor;
  if (!(std::abs(scaled) < exact_below)) return std::nullopt;
  const int64_t number = std::llrint(scaled);
  const double back = static_cast<double>(number) * multiple;
  if (!same_bits(scale <= whole ? back : back / divisor, value)) return std::nullopt;
  return number;
}

double to_value(int64_t number, uint8_t scale) {
  if (scale == double_bits) return std::bit_cast<double>(number);
  if (scale == float_bits) {
    return std::bit_cast<double>(static_cast<uint64_t>(number) << float_shift);
  }
  if (scale <= whole) return static_cast<double>(number) * scales[scale].multiple;
  return static_cast<double>(number) / scales[scale].divisor;
}

// The first scale that holds the value.
uint8_t scale_of(double value) {
  for (uint8_t scale = value == 0 ? whole : 0; scale < double_bits; ++scale) {
    if (to_number(value, scale)) return scale;
  }
  return double_bits;
}

class Writer {
 public:
  Writer(uint8_t* stream, size_t n_bits) : stream_(stream), n_bits_(n_bits) {}

  // At most 56 bits at once.
  void put(uint64_t bits, unsigned n) {
    uint8_t* at = stream_ + n_bits_ / 8;
    const unsigned used = n_bits_ % 8;
    uint64_t word = *at & low_mask(used);
    word |= bits << used;
    std::memcpy(at, &word, sizeof word);
    n_bits_ += n;
  }
  void put_long(uint64_t bits, unsigned n) {
    if (n <= 32) return put(bits, n);
    put(bits & 0xffffffffU, 32);
    put(bits >> 32U, n - 32);
  }
  size_t n_bits() const { return n_bits_; }

 private:
  uint8_t* stream_;
  size_t n_bits_;
};

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> stream) : stream_(stream) {}

  uint64_t get(unsigned n) {
    const uint64_t bits = peek() & low_mask(n);
    n_bits_ += n;
    return bits;
  }
  uint64_t get_long(unsigned n) {
    if (n <= 32) return get(n);
    const uint64_t low = get(32);
    return low | get(n - 32) << 32U;
  }
  // The next 57 bits or more.
  uint64_t peek() const {
    const size_t at = n_bits_ / 8;
    uint64_t word = 0;
    if (at + sizeof word <= stream_.size()) {
      std::memcpy(&word, stream_.data() + at, sizeof word);
    } else if (at < stream_.size()) {
      std::memcpy(&word, stream_.data() + at, stream_.size() - at);
    }
    return word >> (n_bits_ % 8);
  }
  void skip(unsigned n) { n_bits_ += n; }

 private:
  std::span<const uint8_t> stream_;
  size_t n_bits_ = 0;
};

// Surprises are a few and small, then one is large: a mean of their lengths minds that less than a
// mean of their sizes.
unsigned rice_bits(uint16_t spread) {
  constexpr unsigned below_mean = 4;  // in 16ths
  return spread < below_mean ? 0 : (spread - below_mean) / 16U;
}

// Up by half of the difference, down by a quarter: too few low bits cost more than too many.
void follow(uint16_t& spread, uint64_t n) {
  const auto length = static_cast<uint16_t>(std::bit_width(n) * 16);
  const int change = length - spread;
  spread =
      static_cast<uint16_t>(spread == 0 ? length : spread + (change > 0 ? change / 2 : change / 4));
}

void put_rice(Writer& out, uint16_t& spread, uint64_t n) {
  const unsigned low = rice_bits(spread);
  const uint64_t high = n >> low;
  if (high < max_unary) {
    const auto ones = static_cast<unsigned>(high);
    out.put((uint64_t{1} << ones) - 1, ones + 1);
    out.put_long(n & low_mask(low), low);
  } else {
    const auto length = static_cast<unsigned>(std::bit_width(n));
    out.put(escape | uint64_t{length} << max_unary, max_unary + length_bits);
    out.put_long(n, length);
  }
  follow(spread, n);
}

// Nothing where a new scale follows.
std::optional<uint64_t> get_rice(Reader& in, uint16_t& spread) {
  const unsigned low = rice_bits(spread);
  const auto ones = static_cast<unsigned>(std::countr_one(in.peek()));
  uint64_t n = 0;
  if (ones < max_unary) {
    in.skip(ones + 1);
    n = in.get_long(low) | uint64_t{ones} << low;
  } else {
    in.skip(max_unary);
    const auto length = static_cast<unsigned>(in.get(length_bits));
    if (length == 0) return std::nullopt;
    n = in.get_long(length);
  }
  follow(spread, n);
  return n;
}

void put_scale(Writer& out, GorillaState& state, double value) {
  const uint64_t n = zigzag(state.number = *to_number(value, state.scale));
  const auto length = static_cast<unsigned>(std::bit_width(n));
  out.put(state.scale | uint64_t{length} << scale_bits, scale_bits + length_bits);
  out.put_long(n, length);
  state.trend = 0;
  state.value_spread = 0;
  state.seen = 0;
}

void get_scale(Reader& in, GorillaState& state) {
  state.scale = static_cast<uint8_t>(in.get(scale_bits));
  state.number = unzigzag(in.get_long(static_cast<unsigned>(in.get(length_bits))));
  state.trend = 0;
  state.value_spread = 0;
  state.seen = 0;
}

void learn_step(GorillaState& state, int64_t late_ms) {
  state.time_ms = plus(plus(state.time_ms, state.step_ms), late_ms);
  if (late_ms > max_jitter_ms || late_ms < -max_jitter_ms) {
    state.step_ms = plus(state.step_ms, late_ms);
  }
}

void learn_number(GorillaState& state, int64_t number) {
  const int64_t difference = minus(number, state.number);
  state.number = number;
  if (difference > max_difference || difference < -max_difference) {
    state.trend = 0;
    return;
  }
  state.trend += (difference * 16 - state.trend) >> state.seen;
  if (state.seen < trend_inertia) ++state.seen;
}

int64_t expected(const GorillaState& state) { return plus(state.number, state.trend >> 4); }

void remember(uint8_t& history, bool bit) {
  history = static_cast<uint8_t>(history << 1U | static_cast<unsigned>(bit));
}

void put_value(Writer& out, GorillaState& state, double value) {
  std::optional<int64_t> number;
  // What is not finite takes all bits; the values after it need not.
  if (state.scale != double_bits || std::isfinite(state.value) || !std::isfinite(value)) {
    number = to_number(value, state.scale);
  }
  if (number) {
    put_rice(out, state.value_spread, zigzag(minus(*number, expected(state))));
    learn_number(state, *number);
  } else {
    out.put(escape, max_unary + length_bits);  // a length of 0
    const uint8_t scale = scale_of(value);
    state.scale = scale > state.scale || state.scale == double_bits ? scale : double_bits;
    put_scale(out, state, value);
  }
  state.value = value;
}

void get_value(Reader& in, GorillaState& state) {
  if (const auto surprise = get_rice(in, state.value_spread)) {
    learn_number(state, plus(expected(state), unzigzag(*surprise)));
  } else {
    get_scale(in, state);
  }
  state.value = to_value(state.number, state.scale);
}

void get_sample(Reader& in, GorillaState& state) {
  const bool flagged = state.quiet != 0;
  if (flagged && in.get(1) == 0) {
    state.time_ms = plus(state.time_ms, state.step_ms);
    remember(state.quiet, true);
    remember(state.same, true);
    return;
  }
  const int64_t late_ms = unzigzag(*get_rice(in, state.time_spread));
  learn_step(state, late_ms);
  const bool differs = flagged && late_ms == 0;  // else it were quiet
  bool same = false;
  if (!differs && state.same != 0) same = in.get(1) == 0;
  if (!same) {
    const double last = state.value;
    get_value(in, state);
    same = same_bits(last, state.value);
  }
  remember(state.quiet, same && late_ms == 0);
  remember(state.same, same);
}

}  // namespace

size_t gorilla_encode_first(GorillaState& state, int64_t time_ms, double value, uint8_t* stream) {
  state = {.time_ms = time_ms, .value = value, .scale = scale_of(value)};
  Writer out(stream, 0);
  put_scale(out, state, value);
  return out.n_bits();
}

size_t gorilla_encode(GorillaState& state, int64_t time_ms, double value, uint8_t* stream,
                      size_t n_bits) {
  Writer out(stream, n_bits);
  const int64_t late_ms = minus(minus(time_ms, state.time_ms), state.step_ms);
  const bool same = same_bits(value, state.value);
  const bool quiet = same && late_ms == 0;
  const bool flagged = state.quiet != 0;
  if (flagged) out.put(quiet ? 0 : 1, 1);
  if (flagged && quiet) {
    state.time_ms = time_ms;
  } else {
    put_rice(out, state.time_spread, zigzag(late_ms));
    learn_step(state, late_ms);
    const bool differs = flagged && late_ms == 0;
    const bool asked = !differs && state.same != 0;
    if (asked) out.put(same ? 0 : 1, 1);
    if (!asked || !same) put_value(out, state, value);
  }
  remember(state.quiet, quiet);
  remember(state.same, same);
  return out.n_bits();
}

void gorilla_decode(std::span<const uint8_t> stream, int64_t first_ms, size_t count,
                    int64_t* times_ms, double* values) {
  Reader in(stream);
  GorillaState state = {.time_ms = first_ms};
  get_scale(in, state);
  state.value = to_value(state.number, state.scale);
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) get_sample(in, state);
    times_ms[i] = state.time_ms;
    values[i] = state.value;
  }
}

}  // namespace auscult::store
