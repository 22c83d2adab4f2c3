#include "report/report.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/text.h"
#include "report/printable.h"
#include "report/section.h"

namespace auscult::report {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Text from the data in a form that no reader of CommonMark takes for markup inside a line.
std::string escape(std::string_view raw) {
  const std::string text = printable(raw);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // Between letters an underscore is no emphasis, and names of metrics stay readable.
    const bool plain_underscore =
        c == '_' && i > 0 && i + 1 < text.size() && is_word(text[i - 1]) && is_word(text[i + 1]);
    if (std::string_view("\\`*_[]<>|~&").find(c) != std::string_view::npos && !plain_underscore) {
      out += '\\';
    }
    out += c;
  }
  return out;
}

// The same where a line begins: "# ", "- ", "1. " or four blanks would begin a block of their own.
std::string escape_line(std::string_view raw) {
  std::string text = escape(trim(raw));
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits > 0 && digits < text.size() && (text[digits] == '.' || text[digits] == ')')) {
    text.insert(digits, 1, '\\');
  } else if (!text.empty() && std::string_view("#+-=").find(text[0]) != std::string_view::npos) {
    text.insert(0, 1, '\\');
  }
  return text;
}

// A fence longer than any run of backticks inside.
std::string fenced(const std::string& raw) {
  std::string text;
  for (const auto line : split(raw, '\n')) text += (text.empty() ? "" : "\n") + printable(line);
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
    case Block::Kind::heading:
      return "### " + escape_line(block.text) + "\n";
    case Block::Kind::paragraph:
      return escape_line(block.text) + "\n";
    case Block::Kind::code:
      return fenced(block.text);
    case Block::Kind::list: {
      std::string text;
      for (const auto& item : block.items) text += "- " + escape_line(item) + "\n";
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
  return {
      .kind = Block::Kind::heading, .text = std::move(text), .items = {}, .header = {}, .rows = {}};
}
Block paragraph(std::string text) {
  return {.kind = Block::Kind::paragraph,
          .text = std::move(text),
          .items = {},
          .header = {},
          .rows = {}};
}
Block list(std::vector<std::string> items) {
  return {
      .kind = Block::Kind::list, .text = {}, .items = std::move(items), .header = {}, .rows = {}};
}
Block table(std::vector<std::string> header, std::vector<std::vector<std::string>> rows) {
  return {.kind = Block::Kind::table,
          .text = {},
          .items = {},
          .header = std::move(header),
          .rows = std::move(rows)};
}
Block code(std::string text) {
  return {
      .kind = Block::Kind::code, .text = std::move(text), .items = {}, .header = {}, .rows = {}};
}

std::string show_number(double value, int digits) {
  return std::isfinite(value) ? format_number(value, digits) : "-";
}

std::string show_ratio(double value) {
  return std::isfinite(value) ? format_number(value * 100, 3) + "%" : "-";
}

std::string show_value(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "-";
  if (unit == "1") return show_ratio(value);
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
  std::sort(sections.begin(), sections.end(),
            [](const auto& a, const auto& b) { return a.value.position < b.value.position; });
  Report report{.title = "Diagnosis of " + diagnosis.incident_id, .chapters = {}};
  for (const auto& [name, section] : sections) {
    auto blocks = section.render(diagnosis);
    if (!blocks.empty()) report.chapters.push_back({std::string(section.title), std::move(blocks)});
  }
  return report;
}

std::string to_markdown(const Report& report) {
  std::string text = "# " + escape_line(report.title) + "\n";
  for (const auto& chapter : report.chapters) {
    text += "\n## " + escape_line(chapter.title) + "\n";
    for (const auto& block : chapter.blocks) text += "\n" + block_text(block);
  }
  return text;
}

}  // namespace auscult::report
