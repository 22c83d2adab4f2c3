// Processes: run a program and collect what it prints, or keep one as a child that dies with us.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace auscult {

struct ProcessResult {
  int exit_status = 0;  // 128 + signal number when a signal ended it
  bool timed_out = false;
  std::string out;  // stdout and stderr, each at most 16 MiB; what is beyond is dropped
  std::string err;
};

struct ProcessOptions {
  std::chrono::milliseconds timeout{60'000};  // then SIGKILL to its whole process group
};

// argv[0] is looked up in PATH; stdin is empty. Returns when the program has ended; what it leaves
// running in its process group is killed then. not_found when there is no such program (the message
// names the Debian package if it is one we know), unavailable when it could not be started.
Result<ProcessResult> run_process(const std::vector<std::string>& argv,
                                  const ProcessOptions& options = {});

// A running child with its own process group. It gets SIGKILL when its parent's thread ends,
// however that happens (PR_SET_PDEATHSIG), and SIGTERM then SIGKILL from the destructor.
class Child {
 public:
  struct Options {
    std::filesystem::path output;  // stdout and stderr are appended here; empty: ours
  };
  static Result<Child> start(const std::vector<std::string>& argv, const Options& options);

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t pid() const { return pid_; }

  // The exit status once it has ended, else nothing.
  std::optional<int> exit_status();

  // SIGTERM to its group, SIGKILL when it has ended or after `grace`. Waits until it is gone.
  void stop(std::chrono::milliseconds grace = std::chrono::seconds(5));

 private:
  explicit Child(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
  std::optional<int> status_;
};

// Where PATH has the program, or nothing.
std::optional<std::filesystem::path> find_program(const std::string& name);

}  // namespace auscult
