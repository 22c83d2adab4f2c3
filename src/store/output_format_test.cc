#include "store/output_format.h"

#include <gtest/gtest.h>

namespace auscult::store {
namespace {

TEST(OutputFormat, a_family_shares_its_content_type) {
  EXPECT_EQ(content_type("JSONCompact"), "application/json; charset=UTF-8");
  EXPECT_EQ(content_type("JSONEachRow"), "application/x-ndjson; charset=UTF-8");
  EXPECT_EQ(content_type("TSVWithNamesAndTypes"), "text/tab-separated-values; charset=UTF-8");
  EXPECT_EQ(content_type("Native"), "application/octet-stream");
}

TEST(OutputFormat, what_reads_a_schema_or_asks_a_server_is_refused) {
  for (const auto* name : {"Template", "Protobuf", "ProtobufList", "AvroConfluent", "CapnProto",
                           "MySQLWire", "", "json", "NativeX"}) {
    EXPECT_FALSE(content_type(name)) << name;
  }
}

}  // namespace
}  // namespace auscult::store
