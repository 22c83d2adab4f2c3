#include "diagnose/action_record.h"

#include <gtest/gtest.h>

#include "diagnose/testing.h"

namespace auscult::diagnose {
namespace {

TEST(ActionRecord, gives_the_result_of_an_action_that_was_done) {
  store::MemoryStore store;
  testing::add_action_result(store, "i", "i.a1", "done", Json(Json::Object{{"x", 1}}));
  testing::add_action_result(store, "i", "i.a2", "refused", Json());

  EXPECT_EQ((*read_action(store, "i", "i.a1")->result)["x"], Json(1));
  EXPECT_FALSE(read_action(store, "i", "i.a2")->result);
  EXPECT_NE(read_action(store, "i", "i.a2")->why.find("refused"), std::string::npos);
  EXPECT_NE(read_action(store, "i", "i.a3")->why.find("not carried out"), std::string::npos);
}

}  // namespace
}  // namespace auscult::diagnose
