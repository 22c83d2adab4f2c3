// Peer: a raw TCP connection for tests, that can send what no proper client or server would.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"

namespace auscult::net {

class Peer {
 public:
  explicit Peer(FileDescriptor socket) : socket_(std::move(socket)) {}

  static Peer connect(uint16_t port) {
    FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(port);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      socket.reset();
    }
    return Peer(std::move(socket));
  }

  static sockaddr_in loopback(uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
  }

  // What came until it holds `wanted`, the other side closed, or 10 s passed.
  std::string read_until(std::string_view wanted) {
    while (text_.find(wanted) == std::string::npos && read_some()) {
    }
    return text_;
  }

  // What came until the other side closed.
  std::string read_all() {
    while (read_some()) {
    }
    return text_;
  }

  bool closed() const { return closed_; }
  void clear() { text_.clear(); }
  void close() { socket_.reset(); }

 private:
  bool read_some() {
    constexpr int patience_ms = 10'000;
    pollfd wait{socket_.get(), POLLIN, 0};
    if (::poll(&wait, 1, patience_ms) != 1) return false;
    std::array<char, 65536> step{};
    const ssize_t n = ::recv(socket_.get(), step.data(), step.size(), 0);
    closed_ = n <= 0;
    if (n > 0) text_.append(step.data(), static_cast<size_t>(n));
    return n > 0;
  }

  FileDescriptor socket_;
  std::string text_;
  bool closed_ = false;
};

// A listening socket on a free port of the loopback address.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = Peer::loopback(0);
    ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::listen(socket_.get(), 16);
    socklen_t size = sizeof address;
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  uint16_t port() const { return port_; }
  Peer accept() const { return Peer(FileDescriptor(::accept(socket_.get(), nullptr, nullptr))); }

 private:
  FileDescriptor socket_;
  uint16_t port_ = 0;
};

}  // namespace auscult::net
