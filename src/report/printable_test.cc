#include "report/printable.h"

#include <gtest/gtest.h>

namespace auscult::report {
namespace {

TEST(Printable, neither_breaks_a_line_nor_commands_a_terminal) {
  EXPECT_EQ(printable("a\nb\r\tc"), "a b  c");
  EXPECT_EQ(printable("\x1b[31mred\x7f"), " [31mred ");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J \xc2\xb5s"),
            " 2J \xc2\xb5s");
  EXPECT_EQ(printable("\xff"), "\xef\xbf\xbd");
  // The last that a terminal may obey, and the first that is text.
  EXPECT_EQ(printable("\xc2\x9f\xc2\xa0"), " \xc2\xa0");
}

}  // namespace
}  // namespace auscult::report
