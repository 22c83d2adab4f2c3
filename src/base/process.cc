#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "base/check.h"
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

Error unavailable(const std::filesystem::path& path, int error) {
  return {ErrorCode::unavailable,
          "starting " + path.string() + ": " + std::generic_category().message(error)};
}

// Waits for the end of a child. Its exit status.
int reap(pid_t pid) {
  int wait_status = 0;
  while (::waitpid(pid, &wait_status, 0) < 0 && errno == EINTR) {
  }
  return status_of(wait_status);
}

std::vector<char*> pointers(const std::vector<std::string>& argv) {
  std::vector<char*> list;
  list.reserve(argv.size() + 1);
  for (const auto& word : argv) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

// Where a child writes; -1: to where we do.
struct Ends {
  int out;
  int err;
  int problem;  // the errno of a failed exec
};

// In the child, between fork and exec: only async-signal-safe calls. A successful exec closes
// `problem`.
[[noreturn]] void become(const char* path, char* const* argv, const Ends& ends, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent died before prctl took effect
  ::setpgid(0, 0);
  // In a process group of its own, reading from the terminal would stop it.
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  if (ends.out >= 0) ::dup2(ends.out, STDOUT_FILENO);
  if (ends.err >= 0) ::dup2(ends.err, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  struct sigaction usual {};
  ::sigaction(SIGPIPE, &usual, nullptr);  // servers ignore it, programs expect it
  ::execv(path, argv);
  const int error = errno;
  [[maybe_unused]] const ssize_t n = ::write(ends.problem, &error, sizeof error);
  ::_exit(127);
}

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
};

Result<Pipe> open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno_error("opening", "a pipe");
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// Starts argv[0] in a process group of its own; its output goes to the given descriptors (-1: to
// ours). The id of the process, which is also that of its group.
Result<pid_t> start_process(const std::vector<std::string>& argv, int out, int err) {
  CHECK(!argv.empty(), "a command has at least a name");
  const auto path = find_program(argv.front());
  if (!path) return missing_program(argv.front());
  Pipe problem = TRY(open_pipe());
  const auto list = pointers(argv);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return unavailable(*path, errno);
  if (pid == 0) {
    become(path->c_str(), list.data(), {.out = out, .err = err, .problem = problem.write.get()},
           parent);
  }
  // Also here: whoever kills the group must find it, however early that is.
  ::setpgid(pid, pid);
  problem.write.reset();
  int error = 0;
  ssize_t n = 0;
  do {
    n = ::read(problem.read.get(), &error, sizeof error);
  } while (n < 0 && errno == EINTR);
  if (n != sizeof error) return pid;
  reap(pid);
  return unavailable(*path, error);
}

// Appends what is in the pipe; closes it at its end. A pipe holds at most 1 MiB, 16 reads: who
// writes faster than we read must not keep us from the clock.
void drain(FileDescriptor& pipe, std::string& into) {
  std::array<char, 65536> buffer{};
  for (int i = 0; i < 16 && pipe; ++i) {
    const ssize_t n = ::read(pipe.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return pipe.reset();
    const size_t room = max_output_bytes - std::min(max_output_bytes, into.size());
    into.append(buffer.data(), std::min(room, static_cast<size_t>(n)));
  }
}

// Has it ended? Its id stays taken, so that its group can be killed before the next one has it.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

}  // namespace

std::optional<std::filesystem::path> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    std::error_code error;
    if (::access(name.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(name, error)) {
      return name;
    }
    return {};
  }
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
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
  Pipe out = TRY(open_pipe());
  Pipe err = TRY(open_pipe());
  const pid_t pid = TRY(start_process(argv, out.write.get(), err.write.get()));
  out.write.reset();
  err.write.reset();
  for (const auto* end : {&out.read, &err.read}) ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
  // Readable when the process ends. Not its pipes decide: it may close them and run on, or end and
  // leave them to a child. Where the kernel has no such descriptor, we look every 20 ms.
  const FileDescriptor ended(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));

  ProcessResult result;
  const auto deadline = steady_clock::now() + options.timeout;
  while (!has_ended(pid)) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0) {
      result.timed_out = true;
      break;
    }
    std::array<pollfd, 3> fds{
        {{out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}, {ended.get(), POLLIN, 0}}};
    const int64_t longest_ms = ended ? 1000 : 20;
    ::poll(fds.data(), fds.size(), static_cast<int>(std::min<int64_t>(left.count(), longest_ms)));
    drain(out.read, result.out);
    drain(err.read, result.err);
  }
  // What it started and left behind goes with it.
  ::kill(-pid, SIGKILL);
  result.exit_status = reap(pid);
  drain(out.read, result.out);
  drain(err.read, result.err);
  return result;
}

Result<Child> Child::start(const std::vector<std::string>& argv, const Options& options) {
  FileDescriptor output;
  if (!options.output.empty()) {
    output.reset(::open(options.output.c_str(),
                        O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!output) return errno_error("writing", options.output);
  }
  return Child(TRY(start_process(argv, output.get(), output.get())));
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
  if (pid_ <= 0 || status_) return;
  ::kill(-pid_, SIGTERM);
  const auto deadline = steady_clock::now() + grace;
  while (!has_ended(pid_) && steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  ::kill(-pid_, SIGKILL);
  status_ = reap(pid_);
}

}  // namespace auscult
