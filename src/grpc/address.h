// Addresses: as people write them, as gRPC wants them, and why one cannot be listened on.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace auscult::grpc {

// "127.0.0.1:4317", "[::1]:4317". invalid_input: `address` is no IP address.
Result<std::string> listening_address(const std::string& address, uint16_t port);

// gRPC says only that it could not listen; this asks the kernel why. `unavailable` with the reason,
// or Ok where it was not for the address. Takes what listening_address() took.
Result<Ok> try_to_bind(const std::string& address, uint16_t port);

// "ipv4:127.0.0.1:80" -> "127.0.0.1:80", "ipv6:%5B::1%5D:80" -> "[::1]:80".
std::string peer_address(std::string peer);

}  // namespace auscult::grpc
