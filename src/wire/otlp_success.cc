// The answer to an export as its sender reads it.
#include <exception>

#include "wire/otlp.h"
#include "wire/otlp_fields.h"

namespace auscult::wire {

Result<Success> decode_success(std::string_view body) {
  Success success;
  try {
    Fields response(body);
    while (response.next()) {
      if (response.number() != 1) continue;
      Fields partial(response.bytes());
      while (partial.next()) {
        if (partial.number() == 1) success.rejected = partial.varint();
        if (partial.number() == 2) success.message = partial.bytes();
      }
    }
  } catch (const std::exception& exception) {
    return Error{ErrorCode::invalid_input, std::string("the answer: ") + exception.what()};
  }
  return success;
}

}  // namespace auscult::wire
