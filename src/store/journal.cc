#include "store/journal.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "store/row_binary.h"

namespace auscult::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "auscult journal 2\n";
constexpr std::string_view magic_before = "auscult journal 1\n";  // all blocks are RowBinary

// A group has at most some millions of rows of some hundred bytes.
constexpr size_t max_file_bytes = size_t{8} << 30U;

// Takes values off the front of a text.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  std::optional<uint64_t> number() {
    if (bytes_.size() < sizeof(uint64_t)) return {};
    uint64_t value = 0;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }

  std::optional<std::string> text() {
    const auto size = number();
    if (!size || *size > bytes_.size()) return {};
    std::string value(bytes_.substr(0, *size));
    bytes_.remove_prefix(*size);
    return value;
  }

  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

void put_sized(std::string& data, std::string_view text) {
  put_number(data, uint64_t{text.size()});
  data += text;
}

Error damaged(std::string_view what) {
  return {ErrorCode::corrupt, "damaged journal: " + std::string(what)};
}

}  // namespace

Result<Group> decode_group(std::string_view bytes) {
  const bool has_formats = bytes.starts_with(magic);
  if (!has_formats && !bytes.starts_with(magic_before)) {
    return damaged("not a journal of this version");
  }
  Cursor cursor(bytes.substr(magic.size()));
  const auto checksum = cursor.number();
  if (!checksum || *checksum != hash64(cursor.rest())) return damaged("its checksum differs");
  Group group;
  const auto stamp = cursor.number();
  const auto rows = cursor.number();
  const auto n_ids = cursor.number();
  if (!stamp || !rows || !n_ids) return damaged("too short");
  group.stamp_ms = *stamp;
  group.rows = *rows;
  for (uint64_t i = 0; i < *n_ids; ++i) {
    auto id = cursor.text();
    if (!id) return damaged("too short");
    group.batch_ids.push_back(std::move(*id));
  }
  const auto n_blocks = cursor.number();
  if (!n_blocks) return damaged("too short");
  for (uint64_t i = 0; i < *n_blocks; ++i) {
    auto table = cursor.text();
    auto columns = cursor.text();
    auto format = has_formats ? cursor.text() : std::string("RowBinary");
    const auto n_rows = cursor.number();
    auto data = cursor.text();
    if (!table || !columns || !format || !n_rows || !data) return damaged("too short");
    group.blocks.push_back({.table = std::move(*table),
                            .columns = std::move(*columns),
                            .data = std::move(*data),
                            .rows = *n_rows,
                            .format = std::move(*format)});
  }
  return group;
}

fs::path Journal::path_of(const Group& group) const {
  return folder_ / (std::to_string(group.stamp_ms) + ".bin");
}

Result<std::vector<Group>> Journal::load() {
  TRY(make_folder(folder_));
  std::vector<Group> groups;
  std::error_code error;
  for (const std::string& name : list_folder(folder_)) {
    const fs::path path = folder_ / name;
    if (fs::is_directory(path, error)) continue;
    auto group = [&]() -> Result<Group> {
      if (!name.ends_with(".bin")) return damaged("written in part");
      return decode_group(TRY(read_file(path, max_file_bytes)));
    }();
    if (group) {
      groups.push_back(*std::move(group));
      continue;
    }
    if (group.error().code != ErrorCode::corrupt) return std::move(group).error();
    log_warning("dropped " + path.string() +
                ", which was never acknowledged: " + group.error().message);
    fs::remove(path, error);
  }
  std::sort(groups.begin(), groups.end(),
            [](const Group& a, const Group& b) { return a.stamp_ms < b.stamp_ms; });
  return groups;
}

// What lies between the data of the blocks is short, the data are megabytes: they go to the file
// from where they are.
Result<Ok> Journal::write(const Group& group) {
  std::string heads;
  std::vector<size_t> ends;  // of the head before each block's data
  put_number(heads, group.stamp_ms);
  put_number(heads, group.rows);
  put_number(heads, uint64_t{group.batch_ids.size()});
  for (const std::string& id : group.batch_ids) put_sized(heads, id);
  put_number(heads, uint64_t{group.blocks.size()});
  for (const Block& block : group.blocks) {
    put_sized(heads, block.table);
    put_sized(heads, block.columns);
    put_sized(heads, block.format);
    put_number(heads, block.rows);
    put_number(heads, uint64_t{block.data.size()});
    ends.push_back(heads.size());
  }
  std::vector<std::string_view> pieces = {{}};
  size_t begin = 0;
  for (size_t i = 0; i < group.blocks.size(); ++i) {
    pieces.push_back(std::string_view(heads).substr(begin, ends[i] - begin));
    pieces.push_back(group.blocks[i].data);
    begin = ends[i];
  }
  pieces.push_back(std::string_view(heads).substr(begin));
  std::string first(magic);
  put_number(first, hash64(std::span(pieces).subspan(1)));
  pieces.front() = first;
  return write_file(path_of(group), pieces);
}

Result<Ok> Journal::remove(const Group& group) {
  std::error_code error;
  fs::remove(path_of(group), error);
  if (!error) return Ok{};
  return Error{ErrorCode::internal, "removing " + path_of(group).string() + ": " + error.message()};
}

Result<fs::path> Journal::reject(const Group& group) {
  TRY(make_folder(folder_ / "rejected"));
  const fs::path path = folder_ / "rejected" / path_of(group).filename();
  std::error_code error;
  fs::rename(path_of(group), path, error);
  if (error)
    return Error{ErrorCode::internal, "moving to " + path.string() + ": " + error.message()};
  return path;
}

}  // namespace auscult::store
