// OTLP/JSON -> OTLP protobuf, by a table of the schema, so that one decoder serves both encodings.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/otlp.h"

namespace auscult::wire {

// The Export<Signal>ServiceRequest in protobuf. The JSON mapping is OTLP's: lowerCamelCase keys,
// trace and span ids in hex, 64-bit integers as strings or numbers, enums as numbers, unknown keys
// ignored, null means absent. invalid_input names the key whose value has the wrong type. Invalid
// UTF-8 becomes U+FFFD.
Result<std::string> protobuf_from_json(std::string_view json, Signal signal, size_t max_depth);

}  // namespace auscult::wire
