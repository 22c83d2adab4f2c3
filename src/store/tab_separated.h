// ClickHouse's text of results and parameters <-> plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/tags.h"
#include "store/engine.h"

namespace auscult::store {

// The result in format TabSeparatedWithNamesAndTypes. NULL stays the two characters \N. corrupt
// when a row has another number of cells than the header.
Result<Table> parse_table(std::string_view text);

// The value with its backslash escapes resolved.
std::string unescape(std::string_view text);

// A parameter's value as the engine reads it: backslash, tab and line ends escaped.
std::string escape_parameter(std::string_view value);

// Array(String) as text, ['a','b'], and back; nothing when it is no such text.
std::string to_array_text(const std::vector<std::string>& values);
std::optional<std::vector<std::string>> parse_string_array(std::string_view text);

// Every number of a text of arrays and tuples, in order: "[(1,2.5),(3,nan)]" has four.
std::vector<double> parse_numbers(std::string_view text);

// Labels from the texts of mapKeys() and mapValues(), sorted by name.
model::Labels parse_labels(std::string_view keys, std::string_view values);

// The six tags from six neighbouring cells, in the order of tag_fields.
model::Tags tags_from(const std::vector<std::string>& row, size_t first);

}  // namespace auscult::store
