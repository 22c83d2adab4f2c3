// Signatures of action requests: Ed25519 over Json::canonical() without the member "signature".
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace auscult::actions {

// invalid_input: the signature is missing, malformed, or not of this key over these bytes.
Result<Ok> verify(const Json& signed_request, std::string_view public_key_base64);

std::string to_base64(std::string_view bytes);
// The bytes of padded base64; invalid_input for anything else.
Result<std::string> from_base64(std::string_view text);

}  // namespace auscult::actions
