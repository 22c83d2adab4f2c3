// ClickHouse's format Native as clients of a protocol version expect it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace auscult::store {

// The oldest version whose blocks differ from today's only in their frames.
inline constexpr uint64_t min_native_version = 54405;

// The engine prints Native without a version; a client that names one over HTTP
// (client_protocol_version, as clickhouse-go and clickhouse-connect do) expects before each block a
// BlockInfo, and from 54454 on a byte in each column that says how it is serialised: 0, as usual.
// Source: ClickHouse's src/Formats/NativeWriter.cpp and src/Core/ProtocolDefines.h.
// invalid_input: a column's type is not known here (JSON, Variant, states of aggregates), or the
// bytes are no blocks.
Result<std::string> with_frames(std::string_view blocks, uint64_t protocol_version);

}  // namespace auscult::store
