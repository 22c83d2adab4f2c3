#include "grpc/error_details.h"

#include <cstdint>
#include <protozero/pbf_writer.hpp>

namespace auscult::grpc {
namespace {

std::string duration(std::chrono::seconds value) {
  std::string bytes;
  protozero::pbf_writer(bytes).add_int64(1, value.count());  // google.protobuf.Duration.seconds
  return bytes;
}

std::string retry_info(std::chrono::seconds retry_after) {
  std::string bytes;
  protozero::pbf_writer(bytes).add_message(1, duration(retry_after));  // retry_delay
  return bytes;
}

std::string any_of(std::string_view type, const std::string& value) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_string(1, "type.googleapis.com/" + std::string(type));
  writer.add_bytes(2, value);
  return bytes;
}

}  // namespace

std::string retry_details(int grpc_status, std::string_view message,
                          std::chrono::seconds retry_after) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_int32(1, grpc_status);
  writer.add_string(2, message.data(), message.size());
  writer.add_message(3, any_of("google.rpc.RetryInfo", retry_info(retry_after)));
  return bytes;
}

}  // namespace auscult::grpc
