#include "store/tab_separated.h"

#include <algorithm>

#include "base/text.h"

namespace auscult::store {
namespace {

// The character that `\c` stands for.
char unescaped(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case '0':
      return '\0';
    default:
      return c;  // \\ and \' stand for themselves
  }
}

// Takes the next line off `text`.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// Inside an array, a map or a tuple the backslashes belong to its quoted texts.
bool is_composite(std::string_view type) {
  return type.starts_with("Array(") || type.starts_with("Map(") || type.starts_with("Tuple(");
}

std::vector<std::string> cells(std::string_view line, const std::vector<std::string>& types) {
  std::vector<std::string> values;
  for (const std::string_view cell : split(line, '\t')) {
    const bool is_plain = values.size() >= types.size() || !is_composite(types[values.size()]);
    values.push_back(is_plain && cell != "\\N" ? unescape(cell) : std::string(cell));
  }
  return values;
}

}  // namespace

std::string unescape(std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  std::string value;
  value.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    value += text[i] == '\\' && i + 1 < text.size() ? unescaped(text[++i]) : text[i];
  }
  return value;
}

Result<Table> parse_table(std::string_view text) {
  Table table;
  if (text.empty()) return table;  // a statement without a result
  table.names = cells(take_line(text), {});
  table.types = cells(take_line(text), {});
  while (!text.empty()) {
    table.rows.push_back(cells(take_line(text), table.types));
    if (table.rows.back().size() != table.names.size()) {
      return Error{ErrorCode::corrupt, "row " + std::to_string(table.rows.size()) + " has " +
                                           std::to_string(table.rows.back().size()) +
                                           " cells, the header " +
                                           std::to_string(table.names.size())};
    }
  }
  return table;
}

std::string escape_parameter(std::string_view value) {
  std::string text;
  text.reserve(value.size());
  for (const char c : value) {
    switch (c) {
      case '\\':
        text += "\\\\";
        break;
      case '\t':
        text += "\\t";
        break;
      case '\n':
        text += "\\n";
        break;
      case '\r':
        text += "\\r";
        break;
      case '\0':
        text += "\\0";
        break;
      default:
        text += c;
    }
  }
  return text;
}

std::string to_array_text(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const std::string& value : values) {
    if (text.size() > 1) text += ',';
    text += '\'';
    for (const char c : value) {
      if (c == '\\' || c == '\'') text += '\\';
      text += c;
    }
    text += '\'';
  }
  return text + "]";
}

std::optional<std::vector<std::string>> parse_string_array(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
  std::vector<std::string> values;
  size_t i = 1;
  while (text[i] != ']') {
    if (!values.empty() && text[i++] != ',') return {};
    if (i >= text.size() || text[i++] != '\'') return {};
    std::string value;
    for (; i < text.size() && text[i] != '\''; ++i) {
      value += text[i] == '\\' && i + 1 < text.size() ? unescaped(text[++i]) : text[i];
    }
    if (++i >= text.size()) return {};
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<double> parse_numbers(std::string_view text) {
  constexpr std::string_view separators = "[]() ,";
  std::vector<double> numbers;
  while (true) {
    const auto begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return numbers;
    text.remove_prefix(begin);
    const auto end = std::min(text.find_first_of(separators), text.size());
    if (const auto number = to_double(text.substr(0, end))) numbers.push_back(*number);
    text.remove_prefix(end);
  }
}

model::Labels parse_labels(std::string_view keys, std::string_view values) {
  const auto names = parse_string_array(keys);
  const auto texts = parse_string_array(values);
  model::Labels labels;
  if (!names || !texts || names->size() != texts->size()) return labels;
  for (size_t i = 0; i < names->size(); ++i) labels.emplace_back((*names)[i], (*texts)[i]);
  model::normalise(labels);
  return labels;
}

model::Tags tags_from(const std::vector<std::string>& row, size_t first) {
  model::Tags tags;
  for (size_t i = 0; i < model::tag_fields.size(); ++i) {
    tags.*(model::tag_fields[i].field) = row[first + i];
  }
  return tags;
}

}  // namespace auscult::store
