// Gorilla: the samples of one series as a stream of bits, a byte a sample instead of sixteen.
//
// After Pelkonen et al., "Gorilla: A Fast, Scalable, In-Memory Time Series Database", VLDB 2015:
// only what differs from what was expected is written. The expectations are others:
// - A time that is a few ms off does not change the step that is expected next, so that the jitter
//   of a scrape is paid for once and not again when it goes away.
// - Values are whole numbers wherever that gives the double back bit for bit: of 4096ths of a page,
//   of hundredths of a second (as in M3's and VictoriaMetrics's formats). Other doubles are the
//   whole number that their bits spell.
// - What is written is the difference from the last number and its trend, not an XOR, as a Rice
// code
//   whose parameter follows the size of the differences (Weinberger et al., "LOCO-I", 2000).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace auscult::store {

// What is known after a sample, and what is expected of the next. Whoever writes and whoever reads
// a stream both go through the same states.
struct GorillaState {
  int64_t time_ms = 0;
  int64_t step_ms = 0;
  double value = 0;
  int64_t number = 0;         // the value in units of its scale
  int64_t trend = 0;          // expected difference of numbers, in 16ths
  uint16_t value_spread = 0;  // mean length of the surprises, in 16ths of a bit
  uint16_t time_spread = 0;
  uint8_t scale = 0;
  uint8_t quiet = 1;  // the last 8 samples, a bit each: on time and of the same value?
  uint8_t same = 1;   // of the same value?
  uint8_t seen = 0;   // differences since the scale was chosen, up to 2
};

// No sample takes more, what is written over behind it included.
constexpr size_t gorilla_max_sample_bytes = 32;

// Writes one sample behind the first `n_bits` of a stream and returns how many there are now.
// `stream` has room for gorilla_max_sample_bytes beyond them, whose content does not matter. The
// time of a first sample is not written: it is told to the reader.
size_t gorilla_encode_first(GorillaState& state, int64_t time_ms, double value, uint8_t* stream);
size_t gorilla_encode(GorillaState& state, int64_t time_ms, double value, uint8_t* stream,
                      size_t n_bits);

// Reads the first `count` samples, one or more, of a stream that was written as above.
void gorilla_decode(std::span<const uint8_t> stream, int64_t first_ms, size_t count,
                    int64_t* times_ms, double* values);

}  // namespace auscult::store
