#include "store/answers.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace auscult::store {
namespace {

TEST(Answers, come_from_another_thread) {
  std::promise<std::thread::id> thread;
  Answers answers;
  answers.give([&](const Result<Ok>&) { thread.set_value(std::this_thread::get_id()); }, Ok{});
  EXPECT_NE(thread.get_future().get(), std::this_thread::get_id());
}

TEST(Answers, all_are_given_before_the_end_and_in_order) {
  std::string order;
  {
    Answers answers;
    for (const char c : {'a', 'b', 'c', 'd'}) {
      answers.give([&order, c](const Result<Ok>&) { order += c; }, Ok{});
    }
  }
  EXPECT_EQ(order, "abcd");
}

}  // namespace
}  // namespace auscult::store
