#include "cli/illness.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/loop.h"
#include "base/text.h"
#include "base/worker_pool.h"

namespace auscult::cli {
namespace {

constexpr size_t block_bytes = size_t{1} << 20U;
constexpr int disk_threads = 8;  // half of them read, half write
constexpr size_t memory_step_bytes = size_t{64} << 20U;

using Deadline = std::chrono::nanoseconds;

// Waits for SIGTERM until the deadline while the workers work.
void wait_until(Deadline deadline, std::atomic<bool>& stop) {
  while (system_clock().monotonic() < deadline) {
    if (wait_for_stop_signal(std::chrono::milliseconds(200)) != 0) break;
  }
  stop = true;
}

struct Aligned {
  void* data = std::aligned_alloc(4096, block_bytes);
  Aligned() = default;
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;
  ~Aligned() { std::free(data); }
};

// Moves whole blocks at random places of the file, past the page cache where the file system
// allows.
void move_blocks(int fd, bool writes, unsigned seed, const std::atomic<bool>& stop) {
  const Aligned block;
  std::mt19937_64 random(seed);
  auto* words = static_cast<uint64_t*>(block.data);
  for (size_t i = 0; i < block_bytes / sizeof(uint64_t); ++i) words[i] = random();
  while (!stop) {
    const auto place = static_cast<off_t>(
        random() % static_cast<uint64_t>(max_disk_bytes / static_cast<int64_t>(block_bytes)) *
        block_bytes);
    const ssize_t n = writes ? ::pwrite(fd, block.data, block_bytes, place)
                             : ::pread(fd, block.data, block_bytes, place);
    if (n < 0 && errno == ENOSPC) return;
    if (writes) ::fdatasync(fd);
  }
}

Result<Ok> saturate_disk(const IllnessOptions& options, Deadline deadline) {
  TRY(make_folder(options.scratch));
  const auto path = options.scratch / ("illness-" + std::to_string(::getpid()));
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_DIRECT, 0600));
  if (!file && errno == EINVAL) {
    file.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  }
  if (!file) return errno_error("creating", path);
  ::unlink(path.c_str());
  // Not posix_fallocate: reading a hole or an unwritten extent would never reach the disk.
  const Aligned block;
  std::fill_n(static_cast<char*>(block.data), block_bytes, 'a');
  for (int64_t at = 0; at < max_disk_bytes; at += static_cast<int64_t>(block_bytes)) {
    if (::pwrite(file.get(), block.data, block_bytes, at) < 0) return errno_error("writing", path);
  }
  std::atomic<bool> stop = false;
  WorkerPool workers("ill-disk", disk_threads, disk_threads);
  for (int i = 0; i < disk_threads; ++i) {
    workers.submit([&, i] { move_blocks(file.get(), i % 2 == 0, static_cast<unsigned>(i), stop); });
  }
  wait_until(deadline, stop);
  return Ok{};
}

Result<Ok> burn_cpu(Deadline deadline) {
  const auto cpus = static_cast<size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  std::atomic<bool> stop = false;
  std::atomic<uint64_t> sink = 0;
  // Four runnable threads a core: a newcomer gets a fifth of a core.
  WorkerPool workers("ill-cpu", cpus * 4, cpus * 4);
  for (size_t i = 0; i < cpus * 4; ++i) {
    workers.submit([&, i] {
      uint64_t x = i + 1;
      while (!stop) {
        for (int round = 0; round < 100'000; ++round)
          x = x * 6364136223846793005U + 1442695040888963407U;
        sink += x;
      }
    });
  }
  wait_until(deadline, stop);
  return Ok{};
}

struct Memory {
  double total_bytes = 0;
  double available_bytes = 0;
};

Result<Memory> read_memory() {
  Memory memory;
  const auto text = TRY(read_file("/proc/meminfo"));
  for (const auto line : split(text, '\n')) {
    const auto fields = words(line);
    if (fields.size() < 2) continue;
    const double bytes = to_double(fields[1]).value_or(0) * 1024;
    if (fields[0] == "MemTotal:") memory.total_bytes = bytes;
    if (fields[0] == "MemAvailable:") memory.available_bytes = bytes;
  }
  return memory;
}

class Mapping {
 public:
  Mapping()
      : data_(::mmap(nullptr, memory_step_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ == MAP_FAILED) return;
    // Huge pages where the kernel has them: filling a large host must not take minutes.
    static_cast<void>(::madvise(data_, memory_step_bytes, MADV_HUGEPAGE));
    // Every page differs, so that nothing can merge or compress them away.
    auto* words = static_cast<uint64_t*>(data_);
    for (size_t i = 0; i < memory_step_bytes / sizeof(uint64_t); i += 512) words[i] = i + 1;
  }
  Mapping(Mapping&& other) noexcept : data_(std::exchange(other.data_, MAP_FAILED)) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (data_ != MAP_FAILED) ::munmap(data_, memory_step_bytes);
  }
  explicit operator bool() const { return data_ != MAP_FAILED; }

 private:
  void* data_;
};

// Should the kernel ever have to choose, it takes this process and no other.
Result<Ok> offer_to_die_first() {
  const FileDescriptor file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  constexpr std::string_view most = "1000";
  if (!file || ::write(file.get(), most.data(), most.size()) < 0) {
    return errno_error("writing", "/proc/self/oom_score_adj");
  }
  return Ok{};
}

Result<Ok> fill_memory(Deadline deadline) {
  TRY(offer_to_die_first());
  std::vector<Mapping> held;
  while (system_clock().monotonic() < deadline) {
    const Memory memory = TRY(read_memory());
    const double floor = memory_floor_bytes(memory.total_bytes);
    if (memory.available_bytes < floor && !held.empty()) {
      held.pop_back();
      continue;
    }
    if (memory.available_bytes > floor + 2.0 * static_cast<double>(memory_step_bytes)) {
      held.emplace_back();
      if (!held.back()) held.pop_back();
      if (wait_for_stop_signal(std::chrono::milliseconds(0)) != 0) break;
      continue;
    }
    if (wait_for_stop_signal(std::chrono::milliseconds(100)) != 0) break;
  }
  return Ok{};
}

}  // namespace

double memory_floor_bytes(double total_bytes) {
  constexpr double two_gib = 2.0 * 1024 * 1024 * 1024;
  return std::max(total_bytes / 10, two_gib);
}

Result<Ok> be_ill(const IllnessOptions& options) {
  const Deadline deadline =
      system_clock().monotonic() +
      std::chrono::nanoseconds(static_cast<int64_t>(std::clamp(options.seconds, 1.0, 600.0) * 1e9));
  if (options.kind == "disk") return saturate_disk(options, deadline);
  if (options.kind == "cpu") return burn_cpu(deadline);
  if (options.kind == "memory") return fill_memory(deadline);
  return Error{ErrorCode::invalid_input, "an illness is disk, cpu or memory"};
}

}  // namespace auscult::cli
