// What the demo needs of the host: a folder that nobody else can tamper with, and a kernel and
// resources with which it neither lies nor does harm.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace auscult::cli {

// Makes `folder` with mode 0700, or accepts what is there: a real folder (no symbolic link) of the
// effective user, which nobody else may write. Its default lies where everybody may make folders,
// and root runs the demo: another's folder could hold links to any file. invalid_input otherwise.
Result<Ok> claim_folder(const std::filesystem::path& folder);

// `fault` is disk, cpu, memory or none; `folder` exists. `root` is / but in tests. unavailable or
// invalid_input say what is missing and what to do instead.
Result<Ok> check_demo_host(const std::string& fault, const std::filesystem::path& folder,
                           const std::filesystem::path& root);

}  // namespace auscult::cli
