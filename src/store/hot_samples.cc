#include "store/hot_samples.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "store/gorilla.h"

namespace auscult::store {
namespace {

constexpr size_t head_step_bytes = 32;

// What glibc's malloc takes for n bytes: a word more, in steps of 16, at least 32.
size_t allocated(size_t n) { return std::max<size_t>(32, (n + 8 + 15) / 16 * 16); }

size_t bytes_of(size_t n_bits) { return (n_bits + 7) / 8; }

}  // namespace

// Both are one allocation with the stream behind them.
struct HotSamples::Chunk {
  Chunk* next;  // newer, or null
  int64_t first_ms;
  uint16_t count;
  uint16_t n_bytes;

  uint8_t* stream() { return reinterpret_cast<uint8_t*>(this) + header_bytes; }
  static constexpr size_t header_bytes = 20;
};

struct HotSamples::Head {
  GorillaState state;
  Chunk* newest = nullptr;  // of the closed ones, or null
  int64_t first_ms = 0;
  uint32_t n_bits = 0;
  uint16_t count = 0;
  uint16_t capacity = 0;

  uint8_t* stream() { return reinterpret_cast<uint8_t*>(this + 1); }
};

struct HotSamples::Samples {
  std::vector<int64_t> times_ms;
  std::vector<double> values;

  void put(int64_t timestamp_ms, double value) {
    const auto at = std::lower_bound(times_ms.begin(), times_ms.end(), timestamp_ms);
    const auto value_at = values.begin() + (at - times_ms.begin());
    if (at != times_ms.end() && *at == timestamp_ms) {
      *value_at = value;
    } else {
      times_ms.insert(at, timestamp_ms);
      values.insert(value_at, value);
    }
  }
};

HotSamples::HotSamples(HotSamples&& other) noexcept
    : oldest_(std::exchange(other.oldest_, nullptr)), head_(std::exchange(other.head_, nullptr)) {}

HotSamples& HotSamples::operator=(HotSamples&& other) noexcept {
  std::swap(oldest_, other.oldest_);
  std::swap(head_, other.head_);
  return *this;
}

HotSamples::~HotSamples() { clear(); }

void HotSamples::append(int64_t timestamp_ms, double value) {
  if (head_ == nullptr) {
    start_head();
  } else if (timestamp_ms <= head_->state.time_ms) {
    insert(timestamp_ms, value);
    return;
  } else if ((head_->count >= min_chunk_samples && head_->n_bits >= min_chunk_bytes * 8) ||
             head_->count >= max_chunk_samples) {
    seal();
  }
  put(timestamp_ms, value);
}

void HotSamples::start_head() {
  head_ = new (::operator new(sizeof(Head) + head_step_bytes)) Head;
  head_->capacity = head_step_bytes;
}

// Writes a sample that is newer than all.
void HotSamples::put(int64_t timestamp_ms, double value) {
  // Beside the head, which has room for what is written and not for what might be.
  std::array<uint8_t, gorilla_max_sample_bytes> written{};
  const size_t at = head_->n_bits / 8;
  const size_t begin_bit = head_->n_bits % 8;
  size_t end_bit = 0;
  if (head_->count == 0) {
    head_->first_ms = timestamp_ms;
    end_bit = gorilla_encode_first(head_->state, timestamp_ms, value, written.data());
  } else {
    if (begin_bit > 0) written[0] = head_->stream()[at];
    end_bit = gorilla_encode(head_->state, timestamp_ms, value, written.data(), begin_bit);
  }
  const size_t n_bytes = bytes_of(end_bit);
  if (at + n_bytes > head_->capacity) grow_head(at + n_bytes);
  std::memcpy(head_->stream() + at, written.data(), n_bytes);
  head_->n_bits = static_cast<uint32_t>(at * 8 + end_bit);
  ++head_->count;
}

void HotSamples::grow_head(size_t at_least) {
  static_assert(std::is_trivially_copyable_v<Head>);
  const size_t capacity = (at_least + head_step_bytes - 1) / head_step_bytes * head_step_bytes;
  void* larger = ::operator new(sizeof(Head) + capacity);
  std::memcpy(larger, head_, sizeof(Head) + bytes_of(head_->n_bits));
  ::operator delete(head_);
  head_ = static_cast<Head*>(larger);
  head_->capacity = static_cast<uint16_t>(capacity);
}

// Makes the head a chunk, and an empty head.
void HotSamples::seal() {
  const size_t n_bytes = bytes_of(head_->n_bits);
  auto* chunk = new (::operator new(std::max(sizeof(Chunk), Chunk::header_bytes + n_bytes)))
      Chunk{.next = nullptr,
            .first_ms = head_->first_ms,
            .count = head_->count,
            .n_bytes = static_cast<uint16_t>(n_bytes)};
  std::memcpy(chunk->stream(), head_->stream(), n_bytes);
  link(chunk);
  Head* full = head_;
  start_head();
  head_->newest = full->newest;
  ::operator delete(full);
}

void HotSamples::link(Chunk* chunk) {
  (head_->newest == nullptr ? oldest_ : head_->newest->next) = chunk;
  head_->newest = chunk;
}

HotSamples::Samples HotSamples::decoded(const uint8_t* stream, size_t n_bytes, int64_t first_ms,
                                        size_t count) {
  Samples samples{std::vector<int64_t>(count), std::vector<double>(count)};
  gorilla_decode({stream, n_bytes}, first_ms, count, samples.times_ms.data(),
                 samples.values.data());
  return samples;
}

HotSamples::Chunk* HotSamples::new_chunk(const Samples& samples, size_t begin, size_t end) {
  HotSamples written;
  written.start_head();
  for (size_t i = begin; i < end; ++i) written.put(samples.times_ms[i], samples.values[i]);
  written.seal();
  written.head_->newest = nullptr;
  return std::exchange(written.oldest_, nullptr);
}

void HotSamples::insert(int64_t timestamp_ms, double value) {
  if (oldest_ == nullptr || timestamp_ms >= head_->first_ms) {
    insert_into_head(timestamp_ms, value);
    return;
  }
  Chunk** at = &oldest_;
  while ((*at)->next != nullptr && (*at)->next->first_ms <= timestamp_ms) at = &(*at)->next;
  insert_into_chunk(at, timestamp_ms, value);
}

void HotSamples::insert_into_head(int64_t timestamp_ms, double value) {
  Samples samples =
      decoded(head_->stream(), bytes_of(head_->n_bits), head_->first_ms, head_->count);
  samples.put(timestamp_ms, value);
  const size_t n = samples.times_ms.size();
  // Without newer samples nothing else would close it.
  const size_t n_closed = n > 2 * max_chunk_samples ? n / 2 : 0;
  if (n_closed > 0) link(new_chunk(samples, 0, n_closed));
  head_->count = 0;
  head_->n_bits = 0;
  for (size_t i = n_closed; i < n; ++i) put(samples.times_ms[i], samples.values[i]);
}

void HotSamples::insert_into_chunk(Chunk** at, int64_t timestamp_ms, double value) {
  Chunk* old = *at;
  Samples samples = decoded(old->stream(), old->n_bytes, old->first_ms, old->count);
  samples.put(timestamp_ms, value);
  const size_t n = samples.times_ms.size();
  const size_t n_first = n > 2 * max_chunk_samples ? n / 2 : n;
  Chunk* first = new_chunk(samples, 0, n_first);
  Chunk* last = n_first < n ? new_chunk(samples, n_first, n) : first;
  first->next = last == first ? nullptr : last;
  last->next = old->next;
  *at = first;
  if (head_->newest == old) head_->newest = last;
  ::operator delete(old);
}

void HotSamples::read(int64_t begin_ms, int64_t end_ms, std::vector<int64_t>& times_ms,
                      std::vector<double>& values) const {
  if (head_ == nullptr) return;
  const size_t before = times_ms.size();
  const auto add = [&](const uint8_t* stream, size_t n_bytes, int64_t first_ms, size_t count) {
    const size_t n = times_ms.size();
    times_ms.resize(n + count);
    values.resize(n + count);
    gorilla_decode({stream, n_bytes}, first_ms, count, &times_ms[n], &values[n]);
  };
  for (Chunk* chunk = oldest_; chunk != nullptr && chunk->first_ms < end_ms; chunk = chunk->next) {
    const int64_t next_ms = chunk->next == nullptr ? head_->first_ms : chunk->next->first_ms;
    if (next_ms <= begin_ms) continue;
    add(chunk->stream(), chunk->n_bytes, chunk->first_ms, chunk->count);
  }
  if (head_->first_ms < end_ms && head_->state.time_ms >= begin_ms) {
    add(head_->stream(), bytes_of(head_->n_bits), head_->first_ms, head_->count);
  }
  // The first and the last chunk may reach beyond the range.
  const auto first = times_ms.begin() + static_cast<ptrdiff_t>(before);
  const auto end = std::lower_bound(first, times_ms.end(), end_ms);
  const auto begin = std::lower_bound(first, end, begin_ms);
  const auto in_values = [&](auto at) { return values.begin() + (at - times_ms.begin()); };
  values.erase(in_values(end), values.end());
  values.erase(in_values(first), in_values(begin));
  times_ms.erase(end, times_ms.end());
  times_ms.erase(first, begin);
}

void HotSamples::drop_before(int64_t timestamp_ms) {
  if (head_ == nullptr) return;
  if (head_->state.time_ms < timestamp_ms) return clear();
  while (oldest_ != nullptr) {
    const int64_t next_ms = oldest_->next == nullptr ? head_->first_ms : oldest_->next->first_ms;
    // Times are whole: the last of the oldest chunk is below the first of the next.
    if (next_ms > timestamp_ms) return;
    free_oldest();
  }
}

void HotSamples::free_oldest() {
  Chunk* next = oldest_->next;
  if (head_->newest == oldest_) head_->newest = nullptr;
  ::operator delete(oldest_);
  oldest_ = next;
}

void HotSamples::clear() {
  while (oldest_ != nullptr) free_oldest();
  ::operator delete(head_);
  head_ = nullptr;
}

std::optional<HotSamples::Last> HotSamples::last() const {
  if (head_ == nullptr) return std::nullopt;
  return Last{.timestamp_ms = head_->state.time_ms, .value = head_->state.value};
}

size_t HotSamples::size() const {
  size_t n = head_ == nullptr ? 0 : head_->count;
  for (const Chunk* chunk = oldest_; chunk != nullptr; chunk = chunk->next) n += chunk->count;
  return n;
}

size_t HotSamples::bytes() const {
  size_t n = sizeof *this;
  if (head_ != nullptr) n += allocated(sizeof(Head) + head_->capacity);
  for (const Chunk* chunk = oldest_; chunk != nullptr; chunk = chunk->next) {
    n += allocated(Chunk::header_bytes + chunk->n_bytes);
  }
  return n;
}

}  // namespace auscult::store
