#include "report/report.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/text.h"
#include "report/section.h"

namespace auscult::report {
namespace {

// Characters that would turn text from the data into markup.
std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>#|").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

// A fence longer than any run of backticks inside.
std::string fenced(const std::string& text) {
  size_t longest = 0;
  size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<size_t>(3, longest + 1), '`');
  return fence + "\n" + text + "\n" + fence + "\n";
}

std::string row_text(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const auto& cell : cells) line += " " + escape(cell) + " |";
  return line + "\n";
}

std::string block_text(const Block& block) {
  switch (block.kind) {
    case Block::Kind::heading: return "### " + escape(block.text) + "\n";
    case Block::Kind::paragraph: return escape(block.text) + "\n";
    case Block::Kind::code: return fenced(block.text);
    case Block::Kind::list: {
      std::string text;
      for (const auto& item : block.items) text += "- " + escape(item) + "\n";
      return text;
    }
    case Block::Kind::table: {
      std::string text = row_text(block.header) + "|";
      for (size_t i = 0; i < block.header.size(); ++i) text += " --- |";
      text += "\n";
      for (const auto& row : block.rows) text += row_text(row);
      return text;
    }
  }
  return {};
}

}  // namespace

Block heading(std::string text) {
  return {.kind = Block::Kind::heading, .text = std::move(text), .items = {}, .header = {}, .rows = {}};
}
Block paragraph(std::string text) {
  return {.kind = Block::Kind::paragraph, .text = std::move(text), .items = {}, .header = {}, .rows = {}};
}
Block list(std::vector<std::string> items) {
  return {.kind = Block::Kind::list, .text = {}, .items = std::move(items), .header = {}, .rows = {}};
}
Block table(std::vector<std::string> header, std::vector<std::vector<std::string>> rows) {
  return {.kind = Block::Kind::table,
          .text = {},
          .items = {},
          .header = std::move(header),
          .rows = std::move(rows)};
}
Block code(std::string text) {
  return {.kind = Block::Kind::code, .text = std::move(text), .items = {}, .header = {}, .rows = {}};
}

std::string show_value(double value, std::string_view unit) {
  if (std::isnan(value)) return "-";
  if (unit == "1") return format_number(value * 100, 3) + "%";
  if (unit == "By") return format_bytes(value);
  return format_number(value) + (unit.empty() ? "" : " " + std::string(unit));
}

std::string show_location(const diagnose::Location& location) {
  std::string text = location.node_id;
  if (!location.device.empty()) text += ", " + location.device;
  if (location.pid != 0) {
    text += ", PID " + std::to_string(location.pid) + " (" + location.command + ")";
  }
  return text;
}

Report make_report(const diagnose::Diagnosis& diagnosis) {
  auto sections = all_sections();
  std::sort(sections.begin(), sections.end(), [](const auto& a, const auto& b) {
    return a.value.position < b.value.position;
  });
  Report report{.title = "Diagnosis of " + diagnosis.incident_id, .chapters = {}};
  for (const auto& [name, section] : sections) {
    auto blocks = section.render(diagnosis);
    if (!blocks.empty()) report.chapters.push_back({std::string(section.title), std::move(blocks)});
  }
  return report;
}

std::string to_markdown(const Report& report) {
  std::string text = "# " + escape(report.title) + "\n";
  for (const auto& chapter : report.chapters) {
    text += "\n## " + escape(chapter.title) + "\n";
    for (const auto& block : chapter.blocks) text += "\n" + block_text(block);
  }
  return text;
}

}  // namespace auscult::report
