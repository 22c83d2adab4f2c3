// Report: a diagnosis as a chain of evidence for people, in a form that any format can print.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnose/diagnosis.h"

namespace auscult::report {

// One element of the page. Text is plain: each format escapes it as it must.
struct Block {
  enum class Kind : uint8_t { heading, paragraph, list, table, code };
  Kind kind = Kind::paragraph;
  std::string text;                            // heading, paragraph, code
  std::vector<std::string> items;              // list
  std::vector<std::string> header;             // table
  std::vector<std::vector<std::string>> rows;  // rows[row][column]
};

Block heading(std::string text);  // of the third level; sections have the second
Block paragraph(std::string text);
Block list(std::vector<std::string> items);
Block table(std::vector<std::string> header, std::vector<std::vector<std::string>> rows);
Block code(std::string text);

struct Chapter {
  std::string title;
  std::vector<Block> blocks;
};

struct Report {
  std::string title;
  std::vector<Chapter> chapters;
};

// Every section that has something to say, in their order.
Report make_report(const diagnose::Diagnosis& diagnosis);

// CommonMark with tables; what came from data cannot become markup.
std::string to_markdown(const Report& report);

}  // namespace auscult::report
