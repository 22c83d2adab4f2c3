#include "report/report.h"

#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "report/testing.h"

namespace auscult::report {

void expect_golden(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path("testdata") / name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(make_folder("testdata"));
    ASSERT_TRUE(write_file(path, text));
  }
  const auto golden = read_file(path);
  ASSERT_TRUE(golden) << golden.error().message;
  EXPECT_EQ(text, *golden);
}

namespace {

TEST(Report, tells_the_whole_story_of_a_diagnosis) {
  expect_golden("report.md", to_markdown(make_report(example())));
}

TEST(Report, chapters_come_in_the_order_of_their_positions_and_empty_ones_are_left_out) {
  diagnose::Diagnosis healthy{.verdict = "healthy", .incident_id = "i", .trigger = "asked"};

  const auto report = make_report(healthy);

  std::vector<std::string> titles;
  for (const auto& chapter : report.chapters) titles.push_back(chapter.title);
  EXPECT_EQ(titles, (std::vector<std::string>{"Summary", "Experiments"}));
}

TEST(Report, every_evidence_entry_has_figure_test_weight_source_and_rerun) {
  const auto diagnosis = example();

  const auto text = to_markdown(make_report(diagnosis));

  for (const auto& hypothesis : diagnosis.hypotheses) {
    for (const auto& evidence : hypothesis.evidence) {
      const auto at = text.find("\n" + evidence.id + " ");
      ASSERT_NE(at, std::string::npos) << evidence.id;
      const auto end = text.find("\n```\n", text.find("```\n", at) + 4);
      const auto entry = text.substr(at, end - at);
      EXPECT_NE(entry.find(evidence.finding.statement), std::string::npos) << entry;
      for (const char* line : {"\n- figure: ", "\n- test: ", "\n- weight: ", "\n- source: "}) {
        EXPECT_NE(entry.find(line), std::string::npos) << entry;
      }
      EXPECT_NE(entry.find("```\n" + evidence.rerun), std::string::npos) << entry;
    }
  }
}

TEST(Report, no_number_is_a_dash_and_never_nan) {
  auto diagnosis = example();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  diagnosis.unknown_probability = nan;
  for (auto& hypothesis : diagnosis.hypotheses) {
    hypothesis.probability = nan;
    for (auto& evidence : hypothesis.evidence) {
      evidence.log_odds = nan;
      evidence.finding.value = infinity;
      evidence.finding.baseline = nan;
      evidence.finding.statistic = diagnose::Statistic{.name = "ks", .value = nan, .p = nan};
    }
    for (auto& action : hypothesis.actions) action.seconds = nan;
  }

  const auto text = to_markdown(make_report(diagnosis));

  for (const char* word : {" nan", " inf", " -nan", "+nan", "+inf"}) {
    EXPECT_EQ(text.find(word), std::string::npos) << text;
  }
}

// Characters of a line that a Markdown reader would act on: not escaped by a backslash.
size_t live(std::string_view line, std::string_view characters) {
  size_t n = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (characters.find(line[i]) != std::string_view::npos) {
      ++n;
    }
  }
  return n;
}

TEST(Report, hostile_text_cannot_become_markup) {
  const std::string text =
      "x | y ``` <script>alert(1)</script> [a](javascript:alert(1)) ![i](http://e/) *b* _c_ ~~d~~ "
      "&lt;p&gt; \\ \r\n# title\n\n- item\n```\n| a | b |\n<div>";

  const auto markdown = to_markdown(make_report(hostile(text)));

  std::string fence;
  for (const auto line : split(markdown, '\n')) {
    const auto ticks = std::min(line.find_first_not_of('`'), line.size());
    if (!fence.empty()) {
      if (line == fence) fence.clear();
      continue;
    }
    if (ticks >= 3) {
      fence = std::string(ticks, '`');
      EXPECT_EQ(line, fence);
      continue;
    }
    EXPECT_EQ(live(line, "`<>[]*~&"), 0U) << line;
    EXPECT_EQ(line.find(" _c_"), std::string_view::npos) << line;
    EXPECT_FALSE(line.starts_with("# title") || line.starts_with("<")) << line;
    if (line.starts_with("|")) {
      EXPECT_TRUE(line.ends_with(" |")) << line;
    } else {
      EXPECT_EQ(live(line, "|"), 0U) << line;
    }
  }
  EXPECT_TRUE(fence.empty()) << "a fence was never closed";
}

TEST(Report, every_row_of_a_table_has_as_many_cells_as_its_header) {
  const auto markdown = to_markdown(make_report(hostile("a|b\\|c\\")));

  size_t columns = 0;
  for (const auto line : split(markdown, '\n')) {
    if (!line.starts_with("|")) {
      columns = 0;
      continue;
    }
    if (columns == 0) columns = live(line, "|");
    EXPECT_EQ(live(line, "|"), columns) << line;
  }
}

TEST(Report, a_line_that_looks_like_a_block_stays_text) {
  const Report report{
      .title = "# t",
      .chapters = {{"c",
                    {paragraph("- a"), paragraph("1. b"), paragraph("    c"), paragraph("12) d"),
                     paragraph("2025 e"), list({"# f", "+ g"}), heading("= h")}}}};

  EXPECT_EQ(to_markdown(report),
            "# \\# t\n\n## c\n\n\\- a\n\n1\\. b\n\nc\n\n12\\) d\n\n2025 e\n\n- \\# f\n- \\+ g\n\n"
            "### \\= h\n");
}

TEST(Report, names_with_underscores_stay_readable) {
  const Report report{.title = "io_pressure _x_", .chapters = {}};
  EXPECT_EQ(to_markdown(report), "# io_pressure \\_x\\_\n");
}

TEST(Report, a_fence_is_longer_than_any_run_of_backticks_inside) {
  const Report report{.title = "t", .chapters = {{"c", {code("a ```` b\nc\x1b[2J")}}}};
  EXPECT_EQ(to_markdown(report), "# t\n\n## c\n\n`````\na ```` b\nc [2J\n`````\n");
}

TEST(ShowValue, says_the_unit_as_people_do) {
  EXPECT_EQ(show_value(0.982, "1"), "98.2%");
  EXPECT_EQ(show_value(93011, "1/s"), "93011 1/s");
  EXPECT_EQ(show_value(1536.0 * 1024 * 1024, "By"), "1.5 GiB");
  EXPECT_EQ(show_value(2, ""), "2");
  EXPECT_EQ(show_value(std::numeric_limits<double>::quiet_NaN(), "1"), "-");
}

TEST(ShowLocation, is_as_exact_as_what_is_known) {
  EXPECT_EQ(show_location({.node_id = "node7"}), "node7");
  EXPECT_EQ(show_location({.node_id = "node7", .device = "nvme0n1"}), "node7, nvme0n1");
  EXPECT_EQ(show_location({.node_id = "node7", .pid = 4711, .command = "fio --name=x"}),
            "node7, PID 4711 (fio --name=x)");
}

}  // namespace
}  // namespace auscult::report
