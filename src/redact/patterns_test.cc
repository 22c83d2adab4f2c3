#include "redact/patterns.h"

#include <gtest/gtest.h>

#include "redact/redactor.h"

namespace auscult::redact {
namespace {

// The example and the look-alikes of every pattern, by that pattern alone and by all together.
TEST(Patterns, each_changes_its_example_and_leaves_its_look_alikes_alone) {
  const auto together = Redactor::create(patterns());
  ASSERT_TRUE(together) << together.error().message;
  for (const Pattern& pattern : patterns()) {
    const auto alone = Redactor::create({&pattern, 1});
    ASSERT_TRUE(alone) << alone.error().message;
    ASSERT_FALSE(pattern.leaves.empty()) << pattern.kind << " has no look-alike";
    for (auto* redactor : {alone->get(), together->get()}) {
      std::string text = pattern.example;
      EXPECT_TRUE(redactor->redact(text)) << pattern.find;
      EXPECT_EQ(text, pattern.redacted) << pattern.find;
      EXPECT_FALSE(redactor->redact(text)) << "twice: " << text;
      for (std::string leave : pattern.leaves) {
        EXPECT_FALSE(redactor->redact(leave)) << pattern.find << " became " << leave;
      }
    }
  }
}

TEST(Patterns, a_mistake_in_the_file_is_told_with_its_line) {
  const auto unknown = read_patterns("patterns:\n  - {knd: a}\n", "r.yaml");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("r.yaml:2"), std::string::npos);
  EXPECT_FALSE(read_patterns("patterns: []", "r.yaml"));
}

}  // namespace
}  // namespace auscult::redact
