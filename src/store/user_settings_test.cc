#include "store/user_settings.h"

#include <gtest/gtest.h>

namespace auscult::store {
namespace {

constexpr UserLimits limits{.max_seconds = 60,
                            .max_memory_bytes = 1000,
                            .max_result_rows = 500,
                            .max_result_bytes = 700,
                            .max_threads = 4};

TEST(UserSettings, limits_are_lowered_and_never_raised) {
  EXPECT_EQ(set_statement({{"max_execution_time", "0.5"}, {"max_threads", "2"}}, limits),
            "SET max_execution_time = '0.5', max_threads = '2'");
  EXPECT_EQ(set_statement({{"max_execution_time", "65"},
                           {"max_memory_usage", "0"},
                           {"max_result_bytes", "1e30"},
                           {"max_result_rows", "-1"},
                           {"max_threads", "nan"}},
                          limits),
            "SET max_execution_time = '60', max_memory_usage = '1000', max_result_bytes = '700', "
            "max_result_rows = '500', max_threads = '4'");
}

TEST(UserSettings, a_value_stays_a_value) {
  EXPECT_EQ(set_statement({{"session_timezone", "x', readonly = '0\\"}}, limits),
            R"(SET session_timezone = 'x\', readonly = \'0\\')");
  EXPECT_EQ(set_statement({}, limits), "");
}

TEST(UserSettings, what_reaches_outside_or_lifts_the_check_is_not_the_users) {
  EXPECT_TRUE(is_user_setting("output_format_json_quote_64bit_integers"));
  EXPECT_TRUE(is_user_setting("extremes"));
  for (const auto* name :
       {"readonly", "dialect", "implicit_select", "output_format_schema", "format_schema",
        "format_avro_schema_registry_url", "profile", "output_format_x = 1, readonly", "",
        "allow_introspection_functions", "max_execution_time_leaf"}) {
    EXPECT_FALSE(is_user_setting(name)) << name;
  }
}

}  // namespace
}  // namespace auscult::store
