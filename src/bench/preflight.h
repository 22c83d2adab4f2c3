// Preflight: is the host in a state in which a figure means something?
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/named.h"

namespace auscult::bench {

struct PreflightContext {
  std::filesystem::path root = "/";
  std::filesystem::path scratch;              // empty: nothing is written, and no disk is judged
  int64_t scratch_bytes = int64_t{1} << 30U;  // what will be written there
};
struct PreflightFinding {
  enum class Verdict : uint8_t { clear, warning, failed, no_data };
  Verdict verdict = Verdict::clear;
  std::string message;  // what was found, and what to do
};
struct Preflight {
  std::string_view summary;
  PreflightFinding (*check)(const PreflightContext& context) = nullptr;
};
std::vector<Named<Preflight>> all_preflight();

}  // namespace auscult::bench
