// The check on trees as `EXPLAIN AST` prints them; embedded_engine_test.cc has the long list of
// statements on the engine itself.

#include "store/user_sql.h"

#include <gtest/gtest.h>

#include <string>

namespace auscult::store {
namespace {

std::string select_from(const std::string& table) {
  return "SelectWithUnionQuery (children 1)\n"
         " ExpressionList (children 1)\n"
         "  SelectQuery (children 2)\n"
         "   ExpressionList (children 1)\n"
         "    Asterisk\n"
         "   TablesInSelectQuery (children 1)\n"
         "    TablesInSelectQueryElement (children 1)\n"
         "     TableExpression (children 1)\n"
         "      " +
         table + "\n";
}

std::string select(const std::string& expression) {
  return "SelectWithUnionQuery (children 1)\n"
         " ExpressionList (children 1)\n"
         "  SelectQuery (children 1)\n"
         "   ExpressionList (children 1)\n"
         "    " +
         expression + "\n";
}

std::string refusal(const std::string& tree) {
  const auto checked = check_user_ast(tree);
  return checked ? "allowed" : checked.error().message;
}

TEST(UserSql, reads_own_tables_and_harmless_ones_of_the_system) {
  EXPECT_EQ(refusal(select_from("TableIdentifier traces (alias t)")), "allowed");
  EXPECT_EQ(refusal(select_from("TableIdentifier auscult.traces")), "allowed");
  EXPECT_EQ(refusal(select_from("TableIdentifier system.tables")), "allowed");
  EXPECT_EQ(refusal(select_from("Function numbers (alias n) (children 1)\n"
                                "       ExpressionList (children 1)\n"
                                "        Literal UInt64_10")),
            "allowed");
  EXPECT_EQ(refusal(select("Literal \\'a (children 7)\\'")), "allowed");
}

TEST(UserSql, refuses_what_reaches_outside) {
  EXPECT_EQ(refusal(select_from("Function url (alias n) (children 1)\n"
                                "       ExpressionList")),
            "refused: table function url reaches outside the store");
  EXPECT_EQ(refusal(select("Function FILE (children 1)\n     ExpressionList")),
            "refused: function FILE reaches outside the store");
  EXPECT_EQ(refusal(select("Function dictGetString (children 1)\n     ExpressionList")),
            "refused: function dictGetString reaches outside the store");
  EXPECT_NE(refusal(select_from("TableIdentifier default./etc/passwd")), "allowed");
  EXPECT_NE(refusal(select_from("TableIdentifier system.users")), "allowed");
  EXPECT_NE(refusal(select("Identifier System.users")), "allowed");
}

TEST(UserSql, refuses_kinds_it_does_not_know) {
  EXPECT_EQ(refusal("DropQuery  traces (children 1)\n Identifier traces\n"),
            "refused: DropQuery: only SELECT, EXPLAIN and DESCRIBE are allowed");
  EXPECT_EQ(refusal(select("ColumnsApplyTransformer")), "refused: ColumnsApplyTransformer");
  EXPECT_EQ(refusal(select("SomethingNew")), "refused: SomethingNew");
  EXPECT_EQ(refusal(select("Set")), "refused: SETTINGS: the limits are the server's to set");
}

TEST(UserSql, the_format_is_found_and_an_outfile_refused_whatever_the_statement) {
  const std::string select_tree = "SelectWithUnionQuery (children 2)\n ExpressionList\n";
  EXPECT_EQ(*check_user_ast(select_tree + " Identifier JSON\n"), "JSON");
  EXPECT_EQ(*check_user_ast(select("Identifier JSON")), "");
  EXPECT_EQ(refusal(select_tree + " Literal 'x'\n"), "refused: INTO OUTFILE writes a file");
  EXPECT_EQ(refusal("Explain EXPLAIN (children 2)\n SelectWithUnionQuery\n Literal 'x'\n"),
            "refused: INTO OUTFILE writes a file");
  EXPECT_EQ(refusal("DescribeQuery (children 2)\n TableExpression\n Literal 'x'\n"),
            "refused: INTO OUTFILE writes a file");
}

TEST(UserSql, show_is_taken_only_in_its_plain_forms) {
  EXPECT_EQ(show_as_select("SHOW DATABASES ;\n"),
            "SELECT name FROM system.databases ORDER BY name");
  EXPECT_EQ(show_as_select("show tables from `auscult` FORMAT JSON"),
            "SELECT name FROM system.tables WHERE database = 'auscult' ORDER BY name FORMAT JSON");
  EXPECT_EQ(show_as_select("SHOW TABLES"),
            "SELECT name FROM system.tables WHERE database = 'auscult' ORDER BY name");
  for (const auto* other :
       {"SHOW TABLES WHERE file('x') = ''", "SHOW TABLES FROM x'y", "SHOW TABLES INTO OUTFILE 'x'",
        "SHOW TABLES FROM auscult LIKE 'a'", "SHOW DATABASES FORMAT JSON;DROP", "SHOW GRANTS", "",
        ";", "SELECT 1", "SHOW"}) {
    EXPECT_FALSE(show_as_select(other)) << other;
  }
}

TEST(UserSql, a_function_hidden_by_a_forged_line_is_found) {
  // `x\n    Literal 1` as a name: a line that no node stands for.
  EXPECT_EQ(refusal(select("Identifier x\n    Literal 1")), "refused: a name with a line end");
  EXPECT_EQ(refusal(select("Identifier x\n         Literal 1")),
            "refused: a name with a line end, or more than one statement");
  EXPECT_EQ(refusal(select("Identifier x (children z)")),
            "refused: a name with an unusual character");
  EXPECT_EQ(refusal("SelectWithUnionQuery\nSelectWithUnionQuery\n"),
            "refused: a name with a line end, or more than one statement");
  EXPECT_EQ(refusal(""), "refused: an empty statement");
}

}  // namespace
}  // namespace auscult::store
