// The formats in which a user may have a result.
#pragma once

#include <optional>
#include <string_view>

namespace auscult::store {

// The Content-Type that ClickHouse gives a format, by the format's exact name. Nothing for a format
// that is unknown or refused: Template and Protobuf read or write files of the server,
// AvroConfluent asks another server.
std::optional<std::string_view> content_type(std::string_view format);

}  // namespace auscult::store
