#include "store/output_format.h"

namespace auscult::store {
namespace {

struct Family {
  std::string_view name;
  std::string_view content_type;
  bool exact;  // otherwise a prefix: TSV stands for TSVWithNames as well
};

// The first that fits. The types are those of getContentType() in ClickHouse's
// src/Processors/Formats/Impl/.
constexpr std::string_view text = "text/plain; charset=UTF-8";
constexpr std::string_view json = "application/json; charset=UTF-8";
constexpr std::string_view json_lines = "application/x-ndjson; charset=UTF-8";
constexpr std::string_view tsv = "text/tab-separated-values; charset=UTF-8";
constexpr std::string_view binary = "application/octet-stream";
constexpr Family families[] = {
    {"JSONEachRow", json_lines, false},
    {"JSONCompactEachRow", json_lines, false},
    {"JSONStringsEachRow", json_lines, false},
    {"JSONCompactStringsEachRow", json_lines, false},
    {"JSONLines", json_lines, true},
    {"JSONL", json_lines, true},
    {"NDJSON", json_lines, true},
    {"JSON", json, false},
    {"TSVRaw", tsv, false},
    {"TSV", tsv, false},
    {"TabSeparated", tsv, false},
    {"TSKV", tsv, true},
    {"CSVWithNames", "text/csv; charset=UTF-8; header=present", false},
    {"CSV", "text/csv; charset=UTF-8; header=absent", true},
    {"CustomSeparated", text, false},
    {"RowBinary", binary, false},
    {"Native", binary, true},
    {"Parquet", binary, true},
    {"Arrow", binary, true},
    {"ArrowStream", binary, true},
    {"ORC", binary, true},
    {"Avro", binary, true},
    {"BSONEachRow", binary, true},
    {"MsgPack", binary, true},
    {"Npy", binary, true},
    {"XML", "application/xml; charset=UTF-8", true},
    {"Markdown", "text/markdown; charset=UTF-8", true},
    {"MD", "text/markdown; charset=UTF-8", true},
    {"Prometheus", "text/plain; version=0.0.4", true},
    {"Pretty", text, false},
    {"Vertical", text, true},
    {"Values", text, true},
    {"SQLInsert", text, true},
    {"LineAsString", text, false},
    {"Raw", text, false},
    {"Null", text, true},
};

}  // namespace

std::optional<std::string_view> content_type(std::string_view format) {
  for (const Family& family : families) {
    if (family.exact ? format == family.name : format.starts_with(family.name)) {
      return family.content_type;
    }
  }
  return {};
}

}  // namespace auscult::store
