#include "base/yaml.h"

#include <gtest/gtest.h>

#include <fstream>

namespace auscult {
namespace {

Yaml parsed(std::string_view text) {
  auto yaml = parse_yaml(text, "x.yaml");
  EXPECT_TRUE(yaml) << (yaml ? "" : yaml.error().message);
  return yaml ? *std::move(yaml) : Yaml();
}

std::string problem(std::string_view text) {
  const auto yaml = parse_yaml(text, "x.yaml");
  if (yaml) return "(parsed)";
  EXPECT_EQ(yaml.error().code, ErrorCode::invalid_input);
  return yaml.error().message;
}

std::string message(const Result<Ok>& result) { return result ? "" : result.error().message; }

TEST(Yaml, scalars_lists_and_maps_know_their_lines) {
  const Yaml yaml = parsed(
      "# a comment\n"
      "name: disk\n"
      "list:\n"
      "  - one\n"
      "  - {a: 1}\n"
      "nothing:\n"
      "text: |\n"
      "  two\n"
      "  lines\n"
      "quoted: 'null'\n");

  ASSERT_EQ(yaml.kind, Yaml::Kind::map);
  EXPECT_EQ(yaml.find("name")->scalar, "disk");
  EXPECT_EQ(yaml.find("name")->line, 2);
  // Where its key stands, not where its first item does.
  EXPECT_EQ(yaml.find("list")->line, 3);
  EXPECT_EQ(yaml.find("list")->list.at(0).line, 4);
  EXPECT_EQ(yaml.find("list")->list.at(1).find("a")->scalar, "1");
  EXPECT_EQ(yaml.find("nothing")->kind, Yaml::Kind::null);
  EXPECT_EQ(yaml.find("nothing")->line, 6);
  EXPECT_EQ(yaml.find("text")->scalar, "two\nlines\n");
  EXPECT_EQ(yaml.find("quoted")->scalar, "null");
  EXPECT_EQ(yaml.find("absent"), nullptr);
}

TEST(Yaml, an_empty_file_reads_as_an_empty_map) {
  const Yaml yaml = parsed("# nothing here\n");
  YamlReader reader(yaml);

  EXPECT_EQ(reader.text("a", "fallback"), "fallback");
  EXPECT_EQ(message(reader.finish()), "");
  EXPECT_EQ(yaml.error("empty").message, "x.yaml:1: empty");
}

TEST(Yaml, an_error_says_file_and_line) {
  EXPECT_EQ(problem("a: 1\nb: [1, 2\nc: 3\n").rfind("x.yaml:3: ", 0), 0U)
      << problem("a: 1\nb: [1, 2\nc: 3\n");
  EXPECT_EQ(problem("a: 1\n\tb: 2\n").rfind("x.yaml:2: ", 0), 0U);
  EXPECT_EQ(problem("a: 1\nb: 2\na: 3\n"), "x.yaml:3: key 'a' stands twice");
  EXPECT_EQ(problem("a: 1\n[x, y]: 2\n"), "x.yaml:2: a key must be a plain word");
  EXPECT_EQ(problem("a: 1\n~: 2\n"), "x.yaml:2: a key must be a plain word");
  EXPECT_EQ(problem("a: 1\n---\nb: 2\n"), "x.yaml:2: only one document a file");
}

TEST(Yaml, an_alias_bomb_is_refused_at_its_first_alias) {
  EXPECT_EQ(problem("a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\n"),
            "x.yaml:2: aliases (*name) are not allowed: write the value out");
}

TEST(Yaml, depth_and_number_of_values_are_limited) {
  EXPECT_EQ(problem(std::string(64, '[') + std::string(64, ']')), "(parsed)");
  EXPECT_EQ(problem(std::string(65, '[') + std::string(65, ']')),
            "x.yaml:1: nested deeper than 64 levels");
  EXPECT_NE(problem(std::string(100'000, '[')), "(parsed)");

  std::string many = "[";
  for (int i = 0; i < 1'000'000; ++i) many += "1,";
  EXPECT_EQ(problem(many + "]"), "x.yaml:1: more than 1,000,000 values");
}

TEST(Yaml, a_file_that_is_not_there_is_not_found) {
  const auto yaml = read_yaml(testing::TempDir() + "/no_such_file.yaml");
  ASSERT_FALSE(yaml);
  EXPECT_EQ(yaml.error().code, ErrorCode::not_found);
}

TEST(Yaml, a_file_gives_its_path_in_messages) {
  const std::string path = testing::TempDir() + "/auscult_yaml_test.yaml";
  std::ofstream(path) << "a: 1\na: 2\n";
  const auto yaml = read_yaml(path);
  std::filesystem::remove(path);
  ASSERT_FALSE(yaml);
  EXPECT_EQ(yaml.error().message, path + ":2: key 'a' stands twice");
}

TEST(YamlReader, reads_each_kind_and_falls_back_where_a_key_is_absent) {
  const Yaml yaml = parsed("t: hello\nn: 2.5\ni: -3\nb: true\none: x\nmany: [x, y]\nmap: {k: v}\n");
  YamlReader reader(yaml);

  EXPECT_EQ(reader.text("t"), "hello");
  EXPECT_EQ(reader.number("n", 0), 2.5);
  EXPECT_EQ(reader.integer("i", 0), -3);
  EXPECT_TRUE(reader.boolean("b", false));
  EXPECT_EQ(reader.texts("one"), std::vector<std::string>{"x"});
  EXPECT_EQ(reader.texts("many"), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(reader.node("map")->find("k")->scalar, "v");
  EXPECT_EQ(reader.required("t"), "hello");
  EXPECT_EQ(reader.number("absent", 7), 7);
  EXPECT_EQ(reader.boolean("absent too", true), true);
  EXPECT_EQ(message(reader.finish()), "");
}

TEST(YamlReader, a_typing_error_gets_the_nearest_key) {
  const Yaml yaml = parsed("name: x\nintervall: 5\n");
  YamlReader reader(yaml);
  reader.text("name");
  reader.text("interval");
  EXPECT_EQ(message(reader.finish()),
            "x.yaml:2: unknown key 'intervall': did you mean 'interval'?");
}

TEST(YamlReader, an_unknown_key_that_resembles_nothing_gets_no_suggestion) {
  const Yaml yaml = parsed("name: x\ncolour:\n  - red\n");
  YamlReader reader(yaml);
  reader.text("name");
  EXPECT_EQ(message(reader.finish()), "x.yaml:2: unknown key 'colour'");
}

TEST(YamlReader, the_first_wrong_type_is_reported_with_its_line) {
  const auto read = [](std::string_view text, auto take) {
    const Yaml yaml = parsed(text);
    YamlReader reader(yaml);
    take(reader);
    return message(reader.finish());
  };

  EXPECT_EQ(
      read("a: 1\nn: fast\n", [](YamlReader& r) { r.text("a"), r.number("n", 0), r.text("n"); }),
      "x.yaml:2: 'n' must be a number, not 'fast'");
  EXPECT_EQ(read("i: 2.5\n", [](YamlReader& r) { r.integer("i", 0); }),
            "x.yaml:1: 'i' must be a whole number, not '2.5'");
  EXPECT_EQ(read("b: yes\n", [](YamlReader& r) { r.boolean("b", false); }),
            "x.yaml:1: 'b' must be true or false, not 'yes'");
  EXPECT_EQ(read("t:\n  - 1\n", [](YamlReader& r) { r.text("t"); }),
            "x.yaml:1: 't' must be one value");
  EXPECT_EQ(read("l:\n  - 1\n  - {a: b}\n", [](YamlReader& r) { r.texts("l"); }),
            "x.yaml:3: 'l' must be a list of plain values");
  EXPECT_EQ(read("l: {a: b}\n", [](YamlReader& r) { r.texts("l"); }),
            "x.yaml:1: 'l' must be a list");
  EXPECT_EQ(read("- 1\n- 2\n", [](YamlReader& r) { r.text("a"); }),
            "x.yaml:1: expected keys and values");
  EXPECT_EQ(read("b: 1\n", [](YamlReader& r) { r.required("a"), r.text("b"); }),
            "x.yaml:1: 'a' is missing");
}

}  // namespace
}  // namespace auscult
