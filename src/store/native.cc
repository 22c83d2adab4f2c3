#include "store/native.h"

#include <optional>

#include "store/row_binary.h"

namespace auscult::store {
namespace {

constexpr size_t kept_numbers = 512;

std::optional<uint64_t> take_length(std::string_view& bytes) {
  uint64_t length = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    length |= static_cast<uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return length;
  }
  return {};
}

std::optional<std::string_view> take(std::string_view& bytes, std::optional<uint64_t> length) {
  if (!length || *length > bytes.size()) return {};
  const std::string_view taken = bytes.substr(0, *length);
  bytes.remove_prefix(*length);
  return taken;
}

}  // namespace

NativeBlock::NativeBlock(std::string& data, size_t n_columns, size_t n_rows)
    : data_(data), kept_(kept_numbers) {
  constexpr size_t heads = 64;  // of a column, at most
  data_.reserve(data_.size() + n_columns * (n_rows * sizeof(uint64_t) + heads));
  put_length(data_, n_columns);
  put_length(data_, n_rows);
}

void NativeBlock::begin_column(std::string_view name, std::string_view type) {
  finish();
  put_text(data_, name);
  put_text(data_, type);
}

void NativeBlock::finish() {
  data_.append(reinterpret_cast<const char*>(kept_.data()), n_kept_ * sizeof(uint64_t));
  n_kept_ = 0;
}

std::string_view NativeReader::bytes_of(std::string_view name) const {
  std::string_view rest = block_;
  const auto n_columns = take_length(rest);
  const auto n_rows = take_length(rest);
  if (!n_columns || !n_rows || *n_rows > block_.size()) return {};
  for (uint64_t i = 0; i < *n_columns; ++i) {
    const auto own_name = take(rest, take_length(rest));
    const auto type = take(rest, take_length(rest));
    const auto numbers = take(rest, *n_rows * sizeof(uint64_t));
    if (!own_name || !type || !numbers) return {};
    if (*own_name == name) return *numbers;
  }
  return {};
}

}  // namespace auscult::store
