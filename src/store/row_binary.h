// RowBinary: appends values to a block in ClickHouse's binary row format, column by column.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "model/tags.h"

namespace auscult::store {

static_assert(std::endian::native == std::endian::little, "RowBinary is little-endian");

// A value of fixed width: integers, Float64, DateTime64 as its Int64 of ticks.
template <typename T>
void put_number(std::string& data, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  data.append(bytes, sizeof value);
}

// An unsigned LEB128 length.
void put_length(std::string& data, uint64_t length);

// String and LowCardinality(String).
void put_text(std::string& data, std::string_view text);

// Map(LowCardinality(String), String).
void put_labels(std::string& data, const model::Labels& labels);

// The six tags, in the order of model::tag_fields.
void put_tags(std::string& data, const model::Tags& tags);

// Array(String), Array(Float64).
void put_texts(std::string& data, const std::vector<std::string>& values);
void put_numbers(std::string& data, const std::vector<double>& values);

}  // namespace auscult::store
