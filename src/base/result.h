// Result<T>: a value or an Error. The return type of every function that can fail while running.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace auscult {

enum class ErrorCode : uint8_t { invalid_input, not_found, unavailable, corrupt, internal };

// What went wrong, for a person; `code` is for the caller's decision (retry? exit status?).
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;

  // "reading eth0: no such file": the outer context comes first.
  [[nodiscard]] Error during(std::string_view what) && {
    message.insert(0, std::string(what) + ": ");
    return std::move(*this);
  }
};

struct Ok {};  // the value of a Result that carries none

template <typename T = Ok>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace auscult

// The value of `expression`, or return its Error from the enclosing function. The only control-flow
// macro in the project. Optional second argument: context for the message.
#define TRY(expression, ...)                                                                \
  __extension__({                                                                           \
    auto try_result = (expression);                                                         \
    if (!try_result) return std::move(try_result).error() __VA_OPT__(.during(__VA_ARGS__)); \
    *std::move(try_result);                                                                 \
  })
