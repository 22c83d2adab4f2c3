// HostTree: a made-up host for tests: files under proc/ and sys/ in a folder that is removed again.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/file.h"

namespace auscult::bench {

class HostTree {
 public:
  explicit HostTree(const std::filesystem::path& parent) {
    std::string name = (parent / "host_tree_XXXXXX").string();
    CHECK(::mkdtemp(name.data()) != nullptr, "tests can write to their temporary folder");
    root_ = name;
  }
  HostTree(const HostTree&) = delete;
  HostTree& operator=(const HostTree&) = delete;
  ~HostTree() {
    std::error_code error;
    std::filesystem::remove_all(root_, error);
  }

  const std::filesystem::path& root() const { return root_; }

  HostTree& write(const std::filesystem::path& file, std::string_view text) {
    const auto path = root_ / file;
    CHECK(make_folder(path.parent_path()), "tests can make folders");
    CHECK(write_file(path, text), "tests can write files");
    return *this;
  }

 private:
  std::filesystem::path root_;
};

}  // namespace auscult::bench
