#include "store/connection_pool.h"

#include <chrono>

namespace auscult::store {
namespace {

// A caller that waited this long for its turn is better told so than kept.
constexpr std::chrono::seconds longest_wait{30};

}  // namespace

ConnectionPool::~ConnectionPool() {
  for (Libchdb::Connection* connection : free_) library_.close_connection(connection);
}

Result<ConnectionPool::Lease> ConnectionPool::lease() {
  std::unique_lock lock(mutex_);
  const bool ready =
      returned_.wait_for(lock, longest_wait, [&] { return !free_.empty() || opened_ < capacity_; });
  if (!ready) {
    return Error{ErrorCode::unavailable, "the store is busy: all " + std::to_string(capacity_) +
                                             " connections have been in use for 30 s"};
  }
  if (!free_.empty()) {
    Libchdb::Connection* connection = free_.back();
    free_.pop_back();
    return Lease(*this, connection);
  }
  ++opened_;
  lock.unlock();
  auto connection = open();
  if (connection) return Lease(*this, *connection);
  lock.lock();
  --opened_;
  return std::move(connection).error();
}

Result<Libchdb::Connection*> ConnectionPool::open() {
  std::vector<std::string> arguments = arguments_;
  arguments.insert(arguments.begin(), "auscult");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  Libchdb::Connection* connection = library_.connect(static_cast<int>(argv.size()), argv.data());
  if (connection == nullptr) {
    return Error{ErrorCode::unavailable, "the embedded ClickHouse did not open " + arguments[1]};
  }
  if (first_statement_.empty()) return connection;
  Libchdb::Handle result =
      library_.query_with_params(*connection, first_statement_.data(), first_statement_.size(),
                                 "TSV", 3, nullptr, nullptr, nullptr, nullptr, 0);
  const char* why = library_.result_error(result);
  const std::string message = why == nullptr ? "" : why;
  library_.destroy_result(result);
  if (message.empty()) return connection;
  library_.close_connection(connection);
  return Error{ErrorCode::unavailable, first_statement_ + ": " + message};
}

void ConnectionPool::give_back(Libchdb::Connection* connection, bool spoiled) {
  if (spoiled) library_.close_connection(connection);
  {
    const std::lock_guard lock(mutex_);
    if (spoiled) {
      --opened_;
    } else {
      free_.push_back(connection);
    }
  }
  returned_.notify_one();
}

}  // namespace auscult::store
