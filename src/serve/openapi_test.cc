#include "serve/openapi.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"

namespace auscult::serve {
namespace {

TEST(OpenApi, the_document_describes_every_endpoint_there_is) {
  const char* source = std::getenv("AUSCULT_SOURCE_DIR");
  if (source == nullptr) GTEST_SKIP() << "AUSCULT_SOURCE_DIR is not set: run through ctest";
  const auto path = std::filesystem::path(source) / "docs/openapi.json";
  const std::string now = openapi(Router().endpoints()).dump(2) + "\n";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(path, now));
  }

  const auto committed = read_file(path);

  ASSERT_TRUE(committed) << committed.error().message;
  EXPECT_EQ(*committed, now) << "UPDATE_GOLDEN=1 ctest -R serve rewrites it";
}

TEST(OpenApi, path_parameters_are_named) {
  const std::vector<Endpoint> endpoints = {{.method = "GET", .path = "/a/{id}/b", .summary = "s"}};
  const Json document = openapi(endpoints);
  EXPECT_EQ(document["paths"]["/a/{id}/b"]["get"]["parameters"].array()[0]["name"], Json("id"));
}

}  // namespace
}  // namespace auscult::serve
