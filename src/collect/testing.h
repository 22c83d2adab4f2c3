// For tests of collectors: hosts made of a few files, and series looked up by their text.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "collect/collector.h"

namespace auscult::collect {

// A recorded machine of testdata/.
inline Host machine(std::string_view name) {
  return {.root = std::filesystem::path("testdata") / name};
}

// A host made of the files that a test writes; gone with the object.
class MadeHost {
 public:
  MadeHost() {
    std::string pattern = testing::TempDir() + "/host-XXXXXX";
    host_.root = ::mkdtemp(pattern.data());
  }
  MadeHost(const MadeHost&) = delete;
  MadeHost& operator=(const MadeHost&) = delete;
  ~MadeHost() {
    std::error_code error;
    std::filesystem::remove_all(host_.root, error);
  }

  const Host& host() const { return host_; }
  void write(const std::string& relative, std::string_view content) const {
    const auto path = host_.root / relative;
    std::filesystem::create_directories(path.parent_path());
    const auto written = write_file(path, content);
    ASSERT_TRUE(written) << written.error().message;
  }

 private:
  Host host_;
};

// Every series as Prometheus writes it ("node_load1", "node_cpu_seconds_total{cpu=\"0\",...}") with
// its value.
inline std::map<std::string, double> by_series(const model::Samples& samples) {
  std::map<std::string, double> series;
  for (auto sample : samples) {
    const double value = sample.value;
    sample.value = 0;
    std::string text = model::to_prometheus_text({sample}, false);
    text = text.substr(text.find('\n') + 1);
    series[text.substr(0, text.rfind(' '))] = value;
  }
  return series;
}

}  // namespace auscult::collect
