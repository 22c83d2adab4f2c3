// Log: one line a message on stderr: time, level, text. For servers; commands print their own
// output.
#pragma once

#include <cstdint>
#include <string_view>

namespace auscult {

enum class LogLevel : uint8_t { debug, info, warning, error };

// Thread-safe. Below the set level (default info) nothing is written.
void log(LogLevel level, std::string_view message);
void set_log_level(LogLevel level);

inline void log_info(std::string_view message) { log(LogLevel::info, message); }
inline void log_warning(std::string_view message) { log(LogLevel::warning, message); }
inline void log_error(std::string_view message) { log(LogLevel::error, message); }

}  // namespace auscult
