// Named<T>: a row of a table that CMake generates from a folder: file stem and what it defines.
#pragma once

#include <string_view>
#include <vector>

namespace auscult {

template <typename T>
struct Named {
  std::string_view name;  // the file stem, a literal
  T value;
};

// The row called `name`, or null.
template <typename T>
const T* find_named(const std::vector<Named<T>>& table, std::string_view name) {
  for (const auto& row : table) {
    if (row.name == name) return &row.value;
  }
  return nullptr;
}

}  // namespace auscult
