// OTLP/gRPC: what the gRPC front takes, to Ingest, and its outcome as the OTLP specification has
// it.
#pragma once

#include "grpc/front.h"
#include "serve/ingest.h"

namespace auscult::serve {

// Does not block.
void handle_grpc(grpc::Call call, grpc::Reply reply, Ingest& ingest);

}  // namespace auscult::serve
