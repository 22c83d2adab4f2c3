// OTLP/gRPC: what the gRPC front takes, to Ingest, and its outcome as the OTLP specification has
// it.
#pragma once

#include <optional>

#include "grpc/front.h"
#include "serve/access.h"
#include "serve/ingest.h"

namespace auscult::serve {

// Does not block.
void handle_grpc(grpc::Call call, grpc::Reply reply, Ingest& ingest);

// UNAUTHENTICATED or PERMISSION_DENIED to who may not deliver; nothing for who may.
std::optional<grpc::Answer> grpc_denial(const grpc::Call& call, const Access& access);

}  // namespace auscult::serve
