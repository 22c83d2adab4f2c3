// TestFolder: a fresh folder for one test, removed with it.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace auscult::store {

class TestFolder {
 public:
  // Under `parent` (testing::TempDir()), with the process in its name: tests run side by side.
  TestFolder(const std::string& parent, const std::string& name)
      : path_(std::filesystem::path(parent) / (name + "." + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace auscult::store
