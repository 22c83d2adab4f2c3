#include "bench/ping_pong.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <thread>

#include "base/clock.h"
#include "base/file.h"

namespace auscult::bench {
namespace {

constexpr size_t message_bytes = 64;
constexpr size_t most_round_trips = 200'000;
constexpr size_t warm_up = 100;  // the first ones wake the other thread's core up

using Message = std::array<char, message_bytes>;

struct Connection {
  FileDescriptor near;
  FileDescriptor far;
};

// No Nagle, or small messages wait for acknowledgements; and no wait for ever for a lost peer.
void prepare(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const timeval limit{.tv_sec = 5, .tv_usec = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
}

Result<Connection> connect_to_self() {
  const FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  Connection connection{.near = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (!listener || !connection.near || ::bind(listener.get(), generic, length) != 0 ||
      ::listen(listener.get(), 1) != 0 || ::getsockname(listener.get(), generic, &length) != 0 ||
      ::connect(connection.near.get(), generic, length) != 0) {
    return errno_error("connecting to", "127.0.0.1");
  }
  connection.far.reset(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection.far) return errno_error("accepting on", "127.0.0.1");
  prepare(connection.near.get());
  prepare(connection.far.get());
  return connection;
}

bool send_whole(int fd, const Message& message) {
  return ::send(fd, message.data(), message.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(message.size());
}

bool receive_whole(int fd, Message& message) {
  return ::recv(fd, message.data(), message.size(), MSG_WAITALL) ==
         static_cast<ssize_t>(message.size());
}

}  // namespace

Result<std::vector<double>> loopback_round_trips(double seconds) {
  Connection connection = TRY(connect_to_self());
  std::vector<double> microseconds;
  // The other end needs a thread of its own, as a peer has. It ends when our side is shut.
  std::jthread echo([fd = connection.far.get()] {
    Message message{};
    while (receive_whole(fd, message) && send_whole(fd, message)) {
    }
  });
  const Clock& clock = system_clock();
  const auto start = clock.monotonic();
  Message message{};
  bool answered = true;
  for (size_t i = 0; i < warm_up + most_round_trips; ++i) {
    const auto before = clock.monotonic();
    answered =
        send_whole(connection.near.get(), message) && receive_whole(connection.near.get(), message);
    const auto after = clock.monotonic();
    if (!answered) break;
    if (i >= warm_up) {
      microseconds.push_back(static_cast<double>((after - before).count()) / 1000);
      if (std::chrono::duration<double>(after - start).count() >= seconds) break;
    }
  }
  ::shutdown(connection.near.get(), SHUT_RDWR);
  echo.join();
  if (!answered) {
    return Error{ErrorCode::unavailable, "a message over loopback was not answered within 5 s"};
  }
  return microseconds;
}

}  // namespace auscult::bench
