// ClickHouse's HTTP interface, its reading side: what a request asks, and the forms of the answers.
// Source: https://clickhouse.com/docs/interfaces/http and ClickHouse's src/Server/HTTPHandler.cpp.
#pragma once

#include <string>

#include "net/http.h"
#include "store/engine.h"
#include "store/exception.h"

namespace auscult::serve {

struct ClickhouseRequest {
  store::UserQuery query;
  std::string query_id;           // the client's; empty: it gave none
  std::string encoding;           // of the answer's body: gzip, zstd or empty
  uint64_t protocol_version = 0;  // client_protocol_version: see native_blocks.h
};

// The statement is the parameter `query`, then the body. User and password are taken and not
// looked at. An error's message is an exception in ClickHouse's words.
Result<ClickhouseRequest> parse_clickhouse(const net::Request& request);

// The HTTP status that ClickHouse gives with an exception.
int clickhouse_status(int exception_code);

// The exception as an answer, with the headers that clients read.
net::Response clickhouse_exception(const std::string& text, const std::string& query_id);

// Also an exception, where a client of a protocol version asks for what it cannot have.
net::Response clickhouse_answer(store::UserAnswer answer, const ClickhouseRequest& request);

}  // namespace auscult::serve
