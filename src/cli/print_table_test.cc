#include "cli/print_table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace auscult::cli {
namespace {

std::string text(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows) {
  std::ostringstream out;
  print_table(out, header, rows);
  return out.str();
}

TEST(PrintTable, columns_are_as_wide_as_their_widest_cell_and_the_last_is_not_padded) {
  EXPECT_EQ(text({"a", "long name", "c"}, {{"wide cell", "x", "y"}, {"", "", "z"}}),
            "a          long name  c\n"
            "wide cell  x          y\n"
            "                      z\n");
}

TEST(PrintTable, a_table_without_rows_is_its_header) { EXPECT_EQ(text({"a", "b"}, {}), "a  b\n"); }

TEST(PrintTable, rows_may_have_more_or_fewer_cells_than_the_header) {
  EXPECT_EQ(text({"a"}, {{"1", "2"}, {}}), "a\n1  2\n\n");
}

TEST(PrintTable, text_from_data_cannot_break_a_line_or_command_the_terminal) {
  EXPECT_EQ(text({"a"}, {{"x\ny\x1b[2J"}}), "a\nx y [2J\n");
}

}  // namespace
}  // namespace auscult::cli
