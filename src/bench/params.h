// Parameters of a benchmark: filled in from its defaults, unknown names refused, values checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/tags.h"

namespace auscult::bench {

// `given` over `defaults`, sorted. invalid_input names a parameter that `defaults` lacks, and the
// nearest one that it has.
Result<model::Labels> complete(const model::Labels& defaults, const model::Labels& given);

// A number within [least, most]; invalid_input otherwise.
struct Range {
  double least;
  double most;
};
Result<double> number_param(const model::Labels& params, std::string_view name, Range range);
Result<int64_t> count_param(const model::Labels& params, std::string_view name, Range range);

// Bytes: "4096", "4k", "256M", "1G", powers of 1024 as fio has them.
Result<int64_t> size_param(const model::Labels& params, std::string_view name, Range range);
Result<int64_t> parse_size(std::string_view text);

// A comma list whose words are all among `known`, each at most once, at least one.
Result<std::vector<std::string>> list_param(const model::Labels& params, std::string_view name,
                                            const std::vector<std::string_view>& known);

void set_param(model::Labels& params, std::string_view name, std::string value);

}  // namespace auscult::bench
