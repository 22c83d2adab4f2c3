#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace auscult {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr size_t max_output_bytes = size_t{16} << 20U;

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

Error missing_program(const std::string& name) {
  static const std::map<std::string, std::string> packages = {
      {"fio", "fio"}, {"iperf3", "iperf3"}, {"git", "git"}};
  const auto package = packages.find(name);
  return {ErrorCode::not_found,
          "there is no program '" + name + "' in PATH" +
              (package == packages.end() ? std::string() : ": apt-get install " + package->second)};
}

std::vector<char*> pointers(const std::vector<std::string>& argv) {
  std::vector<char*> list;
  for (const auto& word : argv) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

// In the child, between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(const char* path, char* const* argv, int out, int err, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent died before prctl took effect
  ::setpgid(0, 0);
  if (out >= 0) ::dup2(out, STDOUT_FILENO);
  if (err >= 0) ::dup2(err, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(path, argv);
  ::_exit(127);
}

// Appends what is there; false at the end of the stream.
bool drain(int fd, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(fd, buffer.data(), buffer.size());
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0) return false;
  const size_t room = max_output_bytes - std::min(max_output_bytes, into.size());
  into.append(buffer.data(), std::min(room, static_cast<size_t>(n)));
  return true;
}

}  // namespace

std::optional<std::filesystem::path> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (::access(name.c_str(), X_OK) == 0) return name;
    return {};
  }
  const char* path = std::getenv("PATH");
  for (const auto folder : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    const auto candidate = std::filesystem::path(folder) / name;
    std::error_code error;
    if (::access(candidate.c_str(), X_OK) == 0 &&
        std::filesystem::is_regular_file(candidate, error)) {
      return candidate;
    }
  }
  return {};
}

Result<ProcessResult> run_process(const std::vector<std::string>& argv,
                                  const ProcessOptions& options) {
  const auto path = find_program(argv.front());
  if (!path) return missing_program(argv.front());
  std::array<int, 2> out_pipe{};
  std::array<int, 2> err_pipe{};
  if (::pipe2(out_pipe.data(), O_CLOEXEC) != 0) return errno_error("opening a pipe for", *path);
  FileDescriptor out_read(out_pipe[0]);
  FileDescriptor out_write(out_pipe[1]);
  if (::pipe2(err_pipe.data(), O_CLOEXEC) != 0) return errno_error("opening a pipe for", *path);
  FileDescriptor err_read(err_pipe[0]);
  FileDescriptor err_write(err_pipe[1]);

  const auto list = pointers(argv);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("starting", *path);
  if (pid == 0) become(path->c_str(), list.data(), out_write.get(), err_write.get(), parent);
  out_write.reset();
  err_write.reset();

  ProcessResult result;
  const auto deadline = steady_clock::now() + options.timeout;
  while (out_read || err_read) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0) {
      result.timed_out = true;
      ::kill(-pid, SIGKILL);
      break;
    }
    std::array<pollfd, 2> fds{{{out_read.get(), POLLIN, 0}, {err_read.get(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), static_cast<int>(std::min<int64_t>(left.count(), 1000))) <=
        0) {
      continue;
    }
    if (fds[0].revents != 0 && !drain(out_read.get(), result.out)) out_read.reset();
    if (fds[1].revents != 0 && !drain(err_read.get(), result.err)) err_read.reset();
  }
  int wait_status = 0;
  while (::waitpid(pid, &wait_status, 0) < 0 && errno == EINTR) {
  }
  result.exit_status = status_of(wait_status);
  return result;
}

Result<Child> Child::start(const std::vector<std::string>& argv, const Options& options) {
  const auto path = find_program(argv.front());
  if (!path) return missing_program(argv.front());
  FileDescriptor output;
  if (!options.output.empty()) {
    output.reset(::open(options.output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!output) return errno_error("writing", options.output);
  }
  const auto list = pointers(argv);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("starting", *path);
  if (pid == 0) become(path->c_str(), list.data(), output.get(), output.get(), parent);
  return Child(pid);
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), status_(other.status_) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    stop();
    pid_ = std::exchange(other.pid_, -1);
    status_ = other.status_;
  }
  return *this;
}

Child::~Child() { stop(); }

std::optional<int> Child::exit_status() {
  if (pid_ > 0 && !status_) {
    int wait_status = 0;
    if (::waitpid(pid_, &wait_status, WNOHANG) == pid_) status_ = status_of(wait_status);
  }
  return status_;
}

void Child::stop(milliseconds grace) {
  if (pid_ <= 0 || exit_status()) return;
  ::kill(-pid_, SIGTERM);
  ::kill(pid_, SIGTERM);
  const auto deadline = steady_clock::now() + grace;
  while (!exit_status() && steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  if (!status_) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    int wait_status = 0;
    while (::waitpid(pid_, &wait_status, 0) < 0 && errno == EINTR) {
    }
    status_ = status_of(wait_status);
  }
}

}  // namespace auscult
