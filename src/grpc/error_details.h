// Error details: what gRPC carries beside a status, in grpc-status-details-bin.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace auscult::grpc {

// A google.rpc.Status that holds a google.rpc.RetryInfo, in protobuf. `message` is valid UTF-8.
// Source: google/rpc/status.proto and error_details.proto; OTLP 1.x, "OTLP/gRPC Throttling".
std::string retry_details(int grpc_status, std::string_view message,
                          std::chrono::seconds retry_after);

}  // namespace auscult::grpc
