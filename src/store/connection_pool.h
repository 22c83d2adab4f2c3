// ConnectionPool: connections to the embedded engine with one set of settings, a query at a time on
// each.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/libchdb.h"

namespace auscult::store {

// Thread-safe. Must outlive its leases.
class ConnectionPool {
 public:
  // A borrowed connection; goes back when destroyed.
  class Lease {
   public:
    Lease(ConnectionPool& pool, Libchdb::Connection* connection)
        : pool_(&pool), connection_(connection) {}
    Lease(Lease&& other) noexcept
        : pool_(other.pool_), connection_(other.connection_), spoiled_(other.spoiled_) {
      other.connection_ = nullptr;
    }
    Lease& operator=(Lease&&) = delete;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      if (connection_ != nullptr) pool_->give_back(connection_, spoiled_);
    }

    // The connection is closed rather than used again. After a statement that failed while running,
    // libchdb puts what it had printed before the next statement's result.
    void spoil() const { spoiled_ = true; }
    Libchdb::Connection get() const { return *connection_; }

   private:
    ConnectionPool* pool_;
    Libchdb::Connection* connection_;
    mutable bool spoiled_ = false;
  };

  // `arguments` are those of chdb_connect: "--path=...", "--max_memory_usage=...". At most
  // `capacity` connections, each opened when it is first needed.
  ConnectionPool(const Libchdb& library, std::vector<std::string> arguments, size_t capacity)
      : library_(library), arguments_(std::move(arguments)), capacity_(capacity) {}
  ~ConnectionPool();
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  // A free connection; unavailable when all stay busy for 30 s or a new one cannot be opened.
  Result<Lease> lease();

  // Runs a statement on every connection that is opened from now on: "USE auscult".
  void set_first_statement(std::string statement) { first_statement_ = std::move(statement); }

 private:
  Result<Libchdb::Connection*> open();
  void give_back(Libchdb::Connection* connection, bool spoiled);

  const Libchdb& library_;
  const std::vector<std::string> arguments_;
  const size_t capacity_;
  std::string first_statement_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<Libchdb::Connection*> free_;
  size_t opened_ = 0;
};

}  // namespace auscult::store
