#include "store/native_blocks.h"

#include <cstring>
#include <optional>
#include <vector>

#include "base/text.h"

namespace auscult::store {
namespace {

constexpr uint64_t version_with_serialisation = 54454;
// Field 1: no overflow row; field 2: bucket -1; end of fields.
constexpr std::string_view block_info("\x01\x00\x02\xff\xff\xff\xff\x00", 8);
constexpr int max_type_depth = 32;

Error bad(std::string_view what) {
  return {ErrorCode::invalid_input, "Native: " + std::string(what)};
}

// Walks over bytes that it does not change.
class Walker {
 public:
  explicit Walker(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }
  size_t position() const { return at_; }

  Result<Ok> skip(uint64_t n, uint64_t size = 1) {
    if (size != 0 && n > (bytes_.size() - at_) / size) return bad("a block ends early");
    at_ += n * size;
    return Ok{};
  }

  Result<uint64_t> varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_end()) return bad("a block ends early");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    return bad("a number is too long");
  }

  Result<uint64_t> number() {
    uint64_t value = 0;
    if (bytes_.size() - at_ < sizeof value) return bad("a block ends early");
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  Result<std::string_view> text() {
    const uint64_t size = TRY(varint());
    const size_t start = at_;
    TRY(skip(size));
    return bytes_.substr(start, size);
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

struct Type {
  std::string_view name;                    // "Array" of "Array(String)"
  std::string_view inside;                  // "String"
  std::vector<std::string_view> arguments;  // of what is inside, by commas of the first level
};

std::vector<std::string_view> split_arguments(std::string_view inside) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  bool quoted = false;
  size_t start = 0;
  for (size_t i = 0; i < inside.size(); ++i) {
    const char c = inside[i];
    if (c == '\\') {
      ++i;
    } else if (c == '\'' || c == '`') {
      quoted = !quoted;
    } else if (!quoted && (c == '(' || c == ')')) {
      depth += c == '(' ? 1 : -1;
    } else if (!quoted && c == ',' && depth == 0) {
      pieces.push_back(trim(inside.substr(start, i - start)));
      start = i + 1;
    }
  }
  if (!trim(inside).empty()) pieces.push_back(trim(inside.substr(start)));
  return pieces;
}

Type parse_type(std::string_view text) {
  const auto open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return {text, {}, {}};
  const auto inside = text.substr(open + 1, text.size() - open - 2);
  return {text.substr(0, open), inside, split_arguments(inside)};
}

// "name Type" of an element of a tuple, or "Type".
std::string_view element_type(std::string_view element) {
  const bool quoted = element.starts_with('`');
  const auto space = quoted ? element.find("` ") : element.find(' ');
  const auto open = element.find('(');
  if (space == std::string_view::npos || (!quoted && open < space)) return element;
  return trim(element.substr(space + (quoted ? 2 : 1)));
}

struct Width {
  std::string_view name;
  uint64_t bytes;
};
constexpr Width widths[] = {
    {"Bool", 1},        {"Date", 2},        {"Date32", 4},  {"DateTime", 4},  {"DateTime64", 8},
    {"Enum8", 1},       {"Enum16", 2},      {"Float32", 4}, {"Float64", 8},   {"BFloat16", 2},
    {"IPv4", 4},        {"IPv6", 16},       {"Int8", 1},    {"Int16", 2},     {"Int32", 4},
    {"Int64", 8},       {"Int128", 16},     {"Int256", 32}, {"Nothing", 1},   {"Time", 4},
    {"Time64", 8},      {"UInt8", 1},       {"UInt16", 2},  {"UInt32", 4},    {"UInt64", 8},
    {"UInt128", 16},    {"UInt256", 32},    {"UUID", 16},   {"Decimal32", 4}, {"Decimal64", 8},
    {"Decimal128", 16}, {"Decimal256", 32}, {"Point", 16},
};

std::optional<uint64_t> width_of(const Type& type) {
  for (const Width& width : widths) {
    if (width.name == type.name) return width.bytes;
  }
  if (type.name.starts_with("Interval")) return 8;
  if (type.name == "FixedString") return to_uint(type.inside);
  if (type.name != "Decimal" || type.arguments.empty()) return {};
  const uint64_t digits = to_uint(type.arguments[0]).value_or(0);
  return digits <= 9 ? 4 : digits <= 18 ? 8 : digits <= 38 ? 16 : 32;
}

// What stands before a column's values: the version of each dictionary in it.
Result<Ok> skip_prefix(Walker& walker, std::string_view text, int depth) {
  if (depth > max_type_depth) return bad("a type is nested too deeply");
  const Type type = parse_type(text);
  if (type.name == "LowCardinality") return walker.skip(8);
  if (type.name == "Tuple" || type.name == "Map" || type.name == "Array" ||
      type.name == "Nullable") {
    for (const auto argument : type.arguments) {
      TRY(skip_prefix(walker, element_type(argument), depth + 1));
    }
  }
  return Ok{};
}

Result<Ok> skip_values(Walker& walker, std::string_view text, uint64_t rows, int depth);

Result<Ok> skip_dictionary(Walker& walker, std::string_view text, int depth) {
  constexpr uint64_t global_dictionary = 0x100;
  constexpr uint64_t own_keys = 0x200;
  const Type inner = parse_type(text);
  const std::string_view key = inner.name == "Nullable" ? inner.inside : text;
  const uint64_t flags = TRY(walker.number());
  if ((flags & 0xffU) > 3) return bad("a dictionary of an unknown kind");
  for (const uint64_t has : {global_dictionary, own_keys}) {
    if ((flags & has) == 0) continue;
    const uint64_t n_keys = TRY(walker.number());
    TRY(skip_values(walker, key, n_keys, depth + 1));
  }
  const uint64_t n_indexes = TRY(walker.number());
  return walker.skip(n_indexes, uint64_t{1} << (flags & 0xffU));
}

Result<Ok> skip_values(Walker& walker, std::string_view text, uint64_t rows, int depth) {
  if (depth > max_type_depth) return bad("a type is nested too deeply");
  const Type type = parse_type(text);
  if (rows == 0) return Ok{};
  if (const auto width = width_of(type)) return walker.skip(rows, *width);
  if (type.name == "String") {
    for (uint64_t row = 0; row < rows; ++row) TRY(walker.text());
    return Ok{};
  }
  if (type.name == "Nullable") {
    TRY(walker.skip(rows));
    return skip_values(walker, type.inside, rows, depth + 1);
  }
  if (type.name == "LowCardinality") return skip_dictionary(walker, type.inside, depth);
  if (type.name == "Tuple" && !type.arguments.empty()) {
    for (const auto element : type.arguments) {
      TRY(skip_values(walker, element_type(element), rows, depth + 1));
    }
    return Ok{};
  }
  if (type.name != "Array" && type.name != "Map") {
    return bad("columns of type " + std::string(text) + " are not supported here");
  }
  TRY(walker.skip(rows - 1, 8));
  const uint64_t n_elements = TRY(walker.number());  // the last offset
  for (const auto element : type.arguments) {
    TRY(skip_values(walker, element, n_elements, depth + 1));
  }
  return Ok{};
}

}  // namespace

Result<std::string> with_frames(std::string_view blocks, uint64_t protocol_version) {
  std::string framed;
  framed.reserve(blocks.size() + blocks.size() / 64 + 64);
  Walker walker(blocks);
  while (!walker.at_end()) {
    framed += block_info;
    size_t copied = walker.position();
    const auto copy = [&] {
      framed += blocks.substr(copied, walker.position() - copied);
      copied = walker.position();
    };
    const uint64_t n_columns = TRY(walker.varint());
    const uint64_t n_rows = TRY(walker.varint());
    for (uint64_t column = 0; column < n_columns; ++column) {
      TRY(walker.text());
      const auto type = TRY(walker.text());
      copy();
      if (protocol_version >= version_with_serialisation) framed += '\0';
      if (n_rows == 0) continue;
      TRY(skip_prefix(walker, type, 0));
      TRY(skip_values(walker, type, n_rows, 0));
    }
    copy();
  }
  return framed;
}

}  // namespace auscult::store
