// HotSamples: the recent samples of one series in memory, compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace auscult::store {

// Chunks of gorilla.h, oldest first, each in memory that fits it exactly, and a head that is
// written to. There are millions of these: two pointers while empty. One thread at a time.
class HotSamples {
 public:
  struct Last {
    int64_t timestamp_ms;
    double value;
  };

  // A chunk is closed when it has both. Smaller ones cost more in headers, larger ones outlive the
  // window for longer and take longer to read for one sample.
  static constexpr size_t min_chunk_samples = 120;
  static constexpr size_t min_chunk_bytes = 128;
  // Or when it has that many: a constant takes a bit a sample.
  static constexpr size_t max_chunk_samples = 360;

  HotSamples() = default;
  HotSamples(HotSamples&& other) noexcept;
  HotSamples& operator=(HotSamples&& other) noexcept;
  ~HotSamples();

  // Of a time that is there already the value that came last stays. A sample that is not the newest
  // rewrites its chunk: O(max_chunk_samples).
  void append(int64_t timestamp_ms, double value);

  // Adds the samples in [begin_ms, end_ms), ascending, behind what the two hold.
  void read(int64_t begin_ms, int64_t end_ms, std::vector<int64_t>& times_ms,
            std::vector<double>& values) const;

  // Frees the chunks that end before the time. Samples before it that share a chunk with later ones
  // stay.
  void drop_before(int64_t timestamp_ms);

  // The newest; nothing when empty.
  std::optional<Last> last() const;
  bool empty() const { return head_ == nullptr; }
  size_t size() const;
  // Memory in all, with what the allocator adds.
  size_t bytes() const;

 private:
  struct Chunk;
  struct Head;
  struct Samples;

  static Samples decoded(const uint8_t* stream, size_t n_bytes, int64_t first_ms, size_t count);
  static Chunk* new_chunk(const Samples& samples, size_t begin, size_t end);
  void start_head();
  void put(int64_t timestamp_ms, double value);
  void grow_head(size_t at_least);
  void seal();
  void link(Chunk* chunk);
  void insert(int64_t timestamp_ms, double value);
  void insert_into_head(int64_t timestamp_ms, double value);
  void insert_into_chunk(Chunk** at, int64_t timestamp_ms, double value);
  void free_oldest();
  void clear();

  Chunk* oldest_ = nullptr;
  Head* head_ = nullptr;  // null when empty; else it has the newest sample
};

}  // namespace auscult::store
