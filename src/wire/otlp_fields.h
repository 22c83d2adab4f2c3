// Fields: the fields of one protobuf message, each read only as the type it has on the wire.
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace auscult::wire {

// A request that breaks the format. Thrown inside this folder, an Error at its border.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Fields {
 public:
  explicit Fields(std::string_view message) : reader_(message.data(), message.size()) {}

  // Goes to the next field; false at the end. A field that was not read is skipped.
  bool next() {
    if (unread_) reader_.skip();
    unread_ = reader_.next();
    return unread_;
  }
  uint32_t number() const { return reader_.tag(); }

  // Text, bytes and sub-messages.
  std::string_view bytes() {
    need(protozero::pbf_wire_type::length_delimited);
    const auto view = reader_.get_view();
    return {view.data(), view.size()};
  }
  double float64() {
    need(protozero::pbf_wire_type::fixed64);
    return reader_.get_double();
  }
  uint64_t fixed64() {
    need(protozero::pbf_wire_type::fixed64);
    return reader_.get_fixed64();
  }
  int64_t sfixed64() { return static_cast<int64_t>(fixed64()); }
  uint64_t varint() {
    need(protozero::pbf_wire_type::varint);
    return reader_.get_uint64();
  }
  int32_t sint32() {
    need(protozero::pbf_wire_type::varint);
    return reader_.get_sint32();
  }

  // Repeated numbers, packed or one by one, as the encoder liked; at most `max_count` in total.
  void append_doubles(std::vector<double>& out, size_t max_count) {
    append(out, max_count, protozero::pbf_wire_type::fixed64, &protozero::pbf_reader::get_double,
           &protozero::pbf_reader::get_packed_double);
  }
  void append_fixed64(std::vector<uint64_t>& out, size_t max_count) {
    append(out, max_count, protozero::pbf_wire_type::fixed64, &protozero::pbf_reader::get_fixed64,
           &protozero::pbf_reader::get_packed_fixed64);
  }
  void append_varints(std::vector<uint64_t>& out, size_t max_count) {
    append(out, max_count, protozero::pbf_wire_type::varint, &protozero::pbf_reader::get_uint64,
           &protozero::pbf_reader::get_packed_uint64);
  }

 private:
  void need(protozero::pbf_wire_type type) {
    if (reader_.wire_type() != type) {
      throw Malformed("field " + std::to_string(reader_.tag()) + " has the wrong wire type");
    }
    unread_ = false;
  }

  template <typename T, typename One, typename Packed>
  void append(std::vector<T>& out, size_t max_count, protozero::pbf_wire_type type, One one,
              Packed packed) {
    if (reader_.wire_type() == protozero::pbf_wire_type::length_delimited) {
      unread_ = false;
      for (const T value : (reader_.*packed)()) {
        // One above the maximum is kept, so that the caller sees that there were too many.
        if (out.size() > max_count) break;
        out.push_back(value);
      }
    } else {
      need(type);
      const T value = (reader_.*one)();
      if (out.size() <= max_count) out.push_back(value);
    }
  }

  protozero::pbf_reader reader_;
  bool unread_ = false;
};

}  // namespace auscult::wire
