// Fuzzing: the text of a scrape. The first byte chooses the format and who wins between labels.
#include "wire/exposition.h"

#include <string_view>

#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  using auscult::wire::ExpositionFormat;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto format =
      (data[0] & 1U) != 0 ? ExpositionFormat::openmetrics : ExpositionFormat::prometheus_text;
  const auscult::wire::ScrapeTarget target = {.labels = {{"instance", "n7:9100"}, {"job", "node"}},
                                              .honor_labels = (data[0] & 2U) != 0};
  auscult::model::PlainSeriesIndex index;
  const auto first = auscult::wire::decode_exposition(text, format, target, {}, index);
  const auto second = auscult::wire::decode_exposition(text, format, target, {}, index);
  CHECK(static_cast<bool>(first) == static_cast<bool>(second),
        "known lines are judged as new ones");
  if (first)
    CHECK(first->points.series == second->points.series, "known lines are the same series");
  return 0;
}
