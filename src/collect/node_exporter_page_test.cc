// Our collectors on node_exporter's own fixture host, against the page that node_exporter prints.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <set>

#include "base/text.h"
#include "collect/testing.h"

namespace auscult::collect {
namespace {

namespace fs = std::filesystem;

// A text archive: blocks "Path:/Lines: n/<n lines>/Mode:", "Directory:", "Path:/SymlinkTo:",
// between rules. In the lines "EOF" marks a file without a last newline, "NULLBYTE" a NUL.
void unpack(const fs::path& archive, const fs::path& root, std::string_view under) {
  std::ifstream in(archive);
  std::string line;
  fs::path path;
  while (std::getline(in, line)) {
    const std::string_view text = line;
    const auto after = [&](std::string_view key) {
      return root / under / std::string(text.substr(key.size()));
    };
    if (text.starts_with("Directory: ")) {
      fs::create_directories(after("Directory: "));
    } else if (text.starts_with("Path: ")) {
      path = after("Path: ");
      fs::create_directories(path.parent_path());
    } else if (text.starts_with("SymlinkTo: ")) {
      fs::create_symlink(line.substr(11), path);
    } else if (text.starts_with("Lines: ")) {
      std::ofstream out(path);
      for (int64_t left = to_int(text.substr(7)).value_or(0); left > 0; --left) {
        std::getline(in, line);
        if (const auto end = line.find("EOF"); end != std::string::npos && left == 1) {
          out << line.substr(0, end);
        } else {
          out << line << '\n';
        }
      }
    }
  }
}

// Families whose series must be equal, all of them.
constexpr std::array<std::string_view, 7> covered = {
    "node_memory_", "node_vmstat_",  "node_load",       "node_pressure_",
    "node_disk_",   "node_network_", "node_infiniband_"};
constexpr std::array<std::string_view, 8> covered_metrics = {"node_cpu_seconds_total",
                                                             "node_cpu_guest_seconds_total",
                                                             "node_context_switches_total",
                                                             "node_forks_total",
                                                             "node_intr_total",
                                                             "node_boot_time_seconds",
                                                             "node_procs_running",
                                                             "node_procs_blocked"};
// node_memory_numa_* is another collector of node_exporter, and what it prints for receive and
// transmit here is its own loopback's: the fixture has no /proc/net/dev.
constexpr std::array<std::string_view, 3> not_covered = {
    "node_memory_numa_", "node_network_receive_", "node_network_transmit_"};

bool is_covered(std::string_view series) {
  const auto metric = series.substr(0, series.find_first_of("{ "));
  if (metric == "node_network_transmit_queue_length") return true;
  for (const auto prefix : not_covered) {
    if (metric.starts_with(prefix)) return false;
  }
  for (const auto prefix : covered) {
    if (metric.starts_with(prefix)) return true;
  }
  return std::find(covered_metrics.begin(), covered_metrics.end(), metric) != covered_metrics.end();
}

// Their run left out two interfaces by a flag.
bool excluded_by_flag(std::string_view series) {
  return series.find("device=\"dmz\"") != series.npos ||
         series.find("device=\"int\"") != series.npos;
}

TEST(NodeExporterPage, every_series_of_the_covered_families_is_equal) {
  const char* data = std::getenv("AUSCULT_DATA");
  const fs::path fixtures = fs::path(data ? data : "") / "node_exporter/collector/fixtures";
  if (!fs::exists(fixtures / "sys.ttar")) {
    GTEST_SKIP() << "no node_exporter fixtures under AUSCULT_DATA";
  }
  const MadeHost made;
  const auto& root = made.host().root;
  fs::copy(fixtures / "proc", root / "proc", fs::copy_options::recursive);
  unpack(fixtures / "sys.ttar", root, "");
  unpack(fixtures / "udev.ttar", root, "run");

  const auto collection = collect_all(made.host(), {}, 0);
  EXPECT_EQ(collection.failures, 0U) << collection.errors.front();
  const auto ours = by_series(collection.samples);

  std::set<std::string> expected;
  size_t equal = 0;
  std::ifstream page(fixtures / "e2e-output.txt");
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with('#') || !is_covered(line)) continue;
    const auto blank = line.rfind(' ');
    const std::string series = line.substr(0, blank);
    expected.insert(series);
    const auto found = ours.find(series);
    if (found == ours.end()) {
      ADD_FAILURE() << "missing: " << line;
      continue;
    }
    EXPECT_EQ(found->second, to_double(line.substr(blank + 1))) << series;
    equal += found->second == to_double(line.substr(blank + 1)) ? 1U : 0U;
  }
  for (const auto& [series, value] : ours) {
    if (!is_covered(series) || excluded_by_flag(series)) continue;
    EXPECT_TRUE(expected.contains(series)) << "not on their page: " << series;
  }
  RecordProperty("equal", std::to_string(equal) + " of " + std::to_string(expected.size()));
  EXPECT_EQ(equal, expected.size());
  EXPECT_GT(expected.size(), 400U);
}

TEST(Dynolog, every_stated_counter_is_equal) {
  const char* data = std::getenv("AUSCULT_DATA");
  const fs::path root = fs::path(data ? data : "") / "dynolog/testing/root";
  if (!fs::exists(root)) GTEST_SKIP() << "no dynolog root under AUSCULT_DATA";

  const auto collection = collect_all({.root = root}, {}, 0);
  auto ours = by_series(collection.samples);

  EXPECT_EQ(collection.failures, 0U);
  size_t cores = 0;
  for (const auto& [series, value] : ours) {
    cores +=
        series.find("node_cpu_seconds_total") == 0 && series.find("idle") != series.npos ? 1 : 0;
  }
  EXPECT_EQ(cores, 32U);
  const auto ticks = [&](const std::string& metric, int cpu, const std::string& mode) {
    return ours.at(metric + "{cpu=\"" + std::to_string(cpu) + "\",mode=\"" + mode + "\"}") * 100;
  };
  const std::array modes = {"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"};
  const std::array cpu0 = {85923288.0, 7559744.0, 25071792.0, 1175164067.0,
                           39404260.0, 4319.0,    4746442.0,  0.0};
  const std::array cpu31 = {6316214.0, 2669639.0, 4209634.0, 1332212631.0,
                            698635.0,  0.0,       25283.0,   0.0};
  for (size_t i = 0; i < modes.size(); ++i) {
    EXPECT_DOUBLE_EQ(ticks("node_cpu_seconds_total", 0, modes[i]), cpu0[i]) << modes[i];
    EXPECT_DOUBLE_EQ(ticks("node_cpu_seconds_total", 31, modes[i]), cpu31[i]) << modes[i];
  }
  EXPECT_DOUBLE_EQ(ticks("node_cpu_guest_seconds_total", 0, "user"), 1000000);
  EXPECT_DOUBLE_EQ(ticks("node_cpu_guest_seconds_total", 0, "nice"), 100000);
  const auto net = [&](const std::string& what, const std::string& device) {
    return ours.at("node_network_" + what + "_total{device=\"" + device + "\"}");
  };
  EXPECT_EQ(net("receive_bytes", "eth0"), 17566262828804.0);
  EXPECT_EQ(net("receive_packets", "eth0"), 18353492234.0);
  EXPECT_EQ(net("receive_errs", "eth0"), 0);
  EXPECT_EQ(net("receive_drop", "eth0"), 6734908);
  EXPECT_EQ(net("transmit_bytes", "eth0"), 4485442728479.0);
  EXPECT_EQ(net("transmit_packets", "eth0"), 11129776879.0);
  EXPECT_EQ(net("transmit_errs", "eth0"), 0);
  EXPECT_EQ(net("transmit_drop", "eth0"), 0);
  EXPECT_EQ(net("receive_bytes", "eth1"), 5651376349.0);
  EXPECT_EQ(net("receive_packets", "eth1"), 3826963);
  EXPECT_EQ(net("transmit_bytes", "eth1"), 8626730);
  EXPECT_EQ(net("transmit_packets", "eth1"), 100254);
  EXPECT_EQ(net("receive_bytes", "lo"), 15218789826969.0);
  EXPECT_EQ(net("transmit_bytes", "lo"), 15218789826969.0);
  EXPECT_EQ(net("receive_packets", "lo"), 2393400479.0);
  EXPECT_EQ(net("transmit_packets", "lo"), 2393400479.0);
}

}  // namespace
}  // namespace auscult::collect
