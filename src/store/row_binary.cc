#include "store/row_binary.h"

namespace auscult::store {

void put_length(std::string& data, uint64_t length) {
  while (length >= 0x80) {
    data += static_cast<char>(length | 0x80);
    length >>= 7U;
  }
  data += static_cast<char>(length);
}

void put_text(std::string& data, std::string_view text) {
  put_length(data, text.size());
  data += text;
}

void put_labels(std::string& data, const model::Labels& labels) {
  put_length(data, labels.size());
  for (const auto& [name, value] : labels) {
    put_text(data, name);
    put_text(data, value);
  }
}

void put_tags(std::string& data, const model::Tags& tags) {
  for (const auto& [name, field] : model::tag_fields) put_text(data, tags.*field);
}

void put_texts(std::string& data, const std::vector<std::string>& values) {
  put_length(data, values.size());
  for (const std::string& value : values) put_text(data, value);
}

void put_numbers(std::string& data, const std::vector<double>& values) {
  put_length(data, values.size());
  for (const double value : values) put_number(data, value);
}

}  // namespace auscult::store
