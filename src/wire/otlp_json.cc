#include "wire/otlp_json.h"

#include <simdjson.h>

#include <cmath>
#include <limits>
#include <optional>
#include <protozero/pbf_writer.hpp>

#include "base/text.h"
#include "wire/otlp_fields.h"
#include "wire/otlp_schema.h"

namespace auscult::wire {
namespace {

using simdjson::dom::element;

[[noreturn]] void wrong(const Field& field, std::string_view wanted) {
  throw Malformed("'" + std::string(field.name) + "' must be " + std::string(wanted));
}

std::string_view text_of(const Field& field, element value) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) wrong(field, "a string");
  return text;
}

// Integers come as numbers, as strings, and from some encoders as 1e3.
template <typename T>
T integer_of(const Field& field, element value) {
  std::string_view text;
  std::optional<int64_t> negative;
  std::optional<uint64_t> positive;
  int64_t i = 0;
  uint64_t u = 0;
  double d = 0;
  constexpr double exact = 9007199254740992.0;  // 2^53: above, a double is not one integer
  if (value.get(text) == simdjson::SUCCESS) {
    positive = to_uint(text);
    if (!positive) negative = to_int(text);
  } else if (value.get(u) == simdjson::SUCCESS) {
    positive = u;
  } else if (value.get(i) == simdjson::SUCCESS) {
    negative = i;
  } else if (value.get(d) == simdjson::SUCCESS && std::trunc(d) == d && std::abs(d) <= exact) {
    negative = static_cast<int64_t>(d);
  }
  if (negative && *negative >= 0) positive = static_cast<uint64_t>(*negative);
  if (positive && *positive <= static_cast<uint64_t>(std::numeric_limits<T>::max())) {
    return static_cast<T>(*positive);
  }
  if (std::is_signed_v<T> && !positive && negative &&
      *negative >= static_cast<int64_t>(std::numeric_limits<T>::min())) {
    return static_cast<T>(*negative);
  }
  wrong(field, std::is_signed_v<T>
                   ? "a signed integer of " + std::to_string(sizeof(T) * 8) + " bits"
                   : "an unsigned integer of " + std::to_string(sizeof(T) * 8) + " bits");
}

double double_of(const Field& field, element value) {
  double number = 0;
  if (value.is_number() && value.get(number) == simdjson::SUCCESS) return number;
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) wrong(field, "a number");
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  const auto parsed = to_double(text);
  if (!parsed || !std::isfinite(*parsed)) wrong(field, "a number");
  return *parsed;
}

int digit_of(std::string_view alphabet, char c) {
  const auto at = alphabet.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

std::string bytes_from_hex(const Field& field, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string bytes;
  const auto value = [&](char c) {
    return digit_of(digits, c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
  };
  if (text.size() % 2 != 0) wrong(field, "an even number of hexadecimal digits");
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = value(text[i]);
    const int low = value(text[i + 1]);
    if (high < 0 || low < 0) wrong(field, "hexadecimal");
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

// Both alphabets, with or without padding, as protobuf's JSON mapping allows.
std::string bytes_from_base64(const Field& field, std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  uint32_t bits = 0;
  unsigned n_bits = 0;
  for (const char c : text) {
    const int value = digit_of(digits, c == '-' ? '+' : c == '_' ? '/' : c);
    if (value < 0) wrong(field, "base64");
    bits = (bits << 6U | static_cast<uint32_t>(value)) & 0xffffU;
    n_bits += 6;
    if (n_bits >= 8) {
      n_bits -= 8;
      bytes += static_cast<char>(bits >> n_bits & 0xffU);
    }
  }
  if (text.size() % 4 == 1) wrong(field, "base64");
  return bytes;
}

// The bytes written so far, and the writer of the message that is open.
struct Output {
  std::string& bytes;
  protozero::pbf_writer& writer;
};

void write_message(const Output& output, Shape shape, simdjson::dom::object object);

void write_value(const Output& output, const Field& field, element value) {
  auto& out = output.writer;
  const auto number = field.number;
  switch (field.type) {
    case Type::text:
      return out.add_string(number, text_of(field, value).data(), text_of(field, value).size());
    case Type::hex:
      return out.add_bytes(number, bytes_from_hex(field, text_of(field, value)));
    case Type::base64:
      return out.add_bytes(number, bytes_from_base64(field, text_of(field, value)));
    case Type::boolean: {
      bool boolean = false;
      if (value.get(boolean) != simdjson::SUCCESS) wrong(field, "true or false");
      return out.add_bool(number, boolean);
    }
    case Type::enumeration:
      return out.add_enum(number, integer_of<int32_t>(field, value));
    case Type::uint32:
      return out.add_uint32(number, integer_of<uint32_t>(field, value));
    case Type::sint32:
      return out.add_sint32(number, integer_of<int32_t>(field, value));
    case Type::int64:
      return out.add_int64(number, integer_of<int64_t>(field, value));
    case Type::uint64:
      return out.add_uint64(number, integer_of<uint64_t>(field, value));
    case Type::fixed32:
      return out.add_fixed32(number, integer_of<uint32_t>(field, value));
    case Type::fixed64:
      return out.add_fixed64(number, integer_of<uint64_t>(field, value));
    case Type::sfixed64:
      return out.add_sfixed64(number, integer_of<int64_t>(field, value));
    case Type::float64:
      return out.add_double(number, double_of(field, value));
    case Type::message: {
      simdjson::dom::object object;
      if (value.get(object) != simdjson::SUCCESS) wrong(field, "an object");
      const size_t before = output.bytes.size();
      {
        protozero::pbf_writer inner(out, number);
        write_message({output.bytes, inner}, field.shape, object);
      }
      // protozero leaves an empty message out, but an empty log record is still one.
      if (output.bytes.size() == before) out.add_message(number, "", 0);
      return;
    }
  }
}

// As deep as the JSON text, which the parser has bounded.
void write_message(const Output& output, Shape shape, simdjson::dom::object object) {
  for (const auto member : object) {
    for (const Field& field : fields_of(shape)) {
      if (field.name != member.key) continue;
      if (member.value.is_null()) break;
      if (!field.repeated) {
        write_value(output, field, member.value);
        break;
      }
      simdjson::dom::array array;
      if (member.value.get(array) != simdjson::SUCCESS) wrong(field, "an array");
      for (const element value : array) write_value(output, field, value);
      break;
    }
  }
}

Shape request_of(Signal signal) {
  switch (signal) {
    case Signal::metrics:
      return Shape::metrics_request;
    case Signal::logs:
      return Shape::logs_request;
    case Signal::traces:
      return Shape::traces_request;
  }
  return Shape::none;
}

}  // namespace

Result<std::string> protobuf_from_json(std::string_view json, Signal signal, size_t max_depth) {
  simdjson::dom::parser parser;
  if (parser.allocate(json.size(), max_depth) != simdjson::SUCCESS) {
    return Error{ErrorCode::unavailable, "JSON: out of memory"};
  }
  element root;
  auto code = parser.parse(json.data(), json.size()).get(root);
  if (code == simdjson::UTF8_ERROR) {
    const std::string valid = valid_utf8(json);
    if (parser.allocate(valid.size(), max_depth) != simdjson::SUCCESS) {
      return Error{ErrorCode::unavailable, "JSON: out of memory"};
    }
    code = parser.parse(valid).get(root);
  }
  if (code == simdjson::DEPTH_ERROR) {
    return Error{ErrorCode::invalid_input,
                 "JSON nested deeper than " + std::to_string(max_depth) + " levels"};
  }
  if (code != simdjson::SUCCESS) {
    return Error{ErrorCode::invalid_input,
                 std::string("invalid JSON: ") + simdjson::error_message(code)};
  }
  simdjson::dom::object object;
  if (root.get(object) != simdjson::SUCCESS) {
    return Error{ErrorCode::invalid_input, "the request must be a JSON object"};
  }
  std::string out;
  try {
    protozero::pbf_writer writer(out);
    write_message({out, writer}, request_of(signal), object);
  } catch (const Malformed& malformed) {
    return Error{ErrorCode::invalid_input, malformed.what()};
  }
  return out;
}

}  // namespace auscult::wire
