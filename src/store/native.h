// Native: one block of columns of numbers in ClickHouse's format of that name.
// Source: ClickHouse's documentation, "Formats for input and output data", Native; version 0 of the
// block has no header beside the numbers of columns and rows.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace auscult::store {

static_assert(std::endian::native == std::endian::little, "numbers are little-endian");

// Writes columns of eight-byte numbers: UInt64, Float64, DateTime64 as its Int64 of ticks.
class NativeBlock {
 public:
  // Behind what `data` holds.
  NativeBlock(std::string& data, size_t n_columns, size_t n_rows);

  // In the order of the block; each with as many numbers as there are rows.
  void begin_column(std::string_view name, std::string_view type);

  template <typename T>
  void append(const T* numbers, size_t count) {
    static_assert(sizeof(T) == 8);
    if (n_kept_ + count > kept_.size()) finish();
    if (count > kept_.size()) {
      data_.append(reinterpret_cast<const char*>(numbers), count * sizeof(T));
      return;
    }
    std::memcpy(&kept_[n_kept_], numbers, count * sizeof(T));
    n_kept_ += count;
  }

  template <typename T>
  void repeat(T number, size_t count) {
    for (size_t i = 0; i < count; ++i) append(&number, 1);
  }

  // Call when the last column is complete.
  void finish();

 private:
  std::string& data_;
  // Numbers come a few at a time, and an append to the text for each would cost more than they do.
  std::vector<uint64_t> kept_;
  size_t n_kept_ = 0;
};

// Reads what NativeBlock wrote.
class NativeReader {
 public:
  explicit NativeReader(std::string_view block) : block_(block) {}

  // The numbers of a column; none where there is no such column or the block is damaged.
  template <typename T>
  std::vector<T> column(std::string_view name) const {
    static_assert(sizeof(T) == 8);
    const std::string_view bytes = bytes_of(name);
    std::vector<T> numbers(bytes.size() / sizeof(T));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
    return numbers;
  }

 private:
  std::string_view bytes_of(std::string_view name) const;

  std::string_view block_;
};

}  // namespace auscult::store
