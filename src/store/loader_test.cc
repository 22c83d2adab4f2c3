#include "store/loader.h"

#include <gtest/gtest.h>

#include <bit>

#include "store/store.h"
#include "store/test_folder.h"
#include "store/test_library.h"

namespace auscult::store {
namespace {

TEST(Loader, what_was_hot_is_hot_after_a_restart_with_its_bits_and_its_id) {
  const char* named = std::getenv("AUSCULT_LIBCHDB");
  const char* library = named == nullptr ? "" : named;
  if (const auto why = why_no_library(named); !why.empty()) GTEST_SKIP() << why;
  const TestFolder folder("/var/tmp", "loader");
  const StoreOptions options{.engine = {.data = folder.path() / "data", .library = library}};
  constexpr uint64_t stale = 0x7ff0000000000002;
  const int64_t now_ns = system_clock().now_ns();
  uint64_t id = 0;
  {
    const auto store = Store::open(options, system_clock());
    ASSERT_TRUE(store) << store.error().message;
    Batch batch;
    batch.samples = {
        {.metric = "m", .timestamp_ns = now_ns - 10 * ns_per_s, .value = 1.5},
        {.metric = "m", .timestamp_ns = now_ns, .value = std::bit_cast<double>(stale)},
        {.metric = "m", .timestamp_ns = now_ns + 3600 * ns_per_s, .value = 9}};  // too far ahead
    ASSERT_TRUE((*store)->write_and_wait(std::move(batch)));
    id = (*store)->hot().series({})->at(0)->id;
  }

  const auto store = Store::open(options, system_clock());

  ASSERT_TRUE(store) << store.error().message;
  const auto found = (*store)->hot().select({}, 0, INT64_MAX, 100);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().series->id, id);
  ASSERT_EQ(found->front().values.size(), 2U);
  EXPECT_EQ(found->front().values[0], 1.5);
  EXPECT_EQ(std::bit_cast<uint64_t>(found->front().values[1]), stale);
}

}  // namespace
}  // namespace auscult::store
