#include "grpc/address.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <system_error>
#include <utility>

#include "base/file.h"

namespace auscult::grpc {
namespace {

bool is_v6(const std::string& address) {
  in6_addr parsed{};
  return inet_pton(AF_INET6, address.c_str(), &parsed) == 1;
}

bool is_v4(const std::string& address) {
  in_addr parsed{};
  return inet_pton(AF_INET, address.c_str(), &parsed) == 1;
}

int bind_to(int socket, const std::string& address, uint16_t port) {
  if (is_v6(address)) {
    sockaddr_in6 to{.sin6_family = AF_INET6, .sin6_port = htons(port)};
    inet_pton(AF_INET6, address.c_str(), &to.sin6_addr);
    return ::bind(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
  sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, address.c_str(), &to.sin_addr);
  return ::bind(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

}  // namespace

Result<std::string> listening_address(const std::string& address, uint16_t port) {
  const std::string suffix = ":" + std::to_string(port);
  if (is_v6(address)) return "[" + address + "]" + suffix;
  if (is_v4(address)) return address + suffix;
  return Error{ErrorCode::invalid_input, "no IP address: " + address};
}

Result<Ok> try_to_bind(const std::string& address, uint16_t port) {
  const FileDescriptor socket(
      ::socket(is_v6(address) ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (bind_to(socket.get(), address, port) == 0) return Ok{};
  if (errno == EADDRINUSE) return Error{ErrorCode::unavailable, "the port is taken"};
  return Error{ErrorCode::unavailable, std::generic_category().message(errno)};
}

std::string peer_address(std::string peer) {
  peer.erase(0, peer.find(':') + 1);
  for (const auto& [code, sign] : {std::pair("%5B", "["), std::pair("%5D", "]")}) {
    if (const auto at = peer.find(code); at != peer.npos) peer.replace(at, 3, sign);
  }
  return peer;
}

}  // namespace auscult::grpc
