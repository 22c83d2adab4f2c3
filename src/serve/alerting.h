// Alerting: watches every node, opens an incident when one falls ill, has it diagnosed and
// reported.
#pragma once

#include <mutex>
#include <set>
#include <string>

#include "alert/watch.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/worker_pool.h"
#include "diagnose/engine.h"
#include "store/store.h"

namespace auscult::serve {

// Thread-safe.
class Alerting {
 public:
  static constexpr size_t max_diagnoses = 4;  // at once; each disturbs a node and reads a lot
  static constexpr size_t max_waiting_diagnoses = 64;  // beyond: the incident is kept, undiagnosed

  Alerting(store::Store& store, const Clock& clock, alert::Watch& watch,
           const diagnose::EngineOptions& engine);

  // Looks at all nodes that reported within the last minute. Called every two seconds.
  void step();

 private:
  void open(const alert::Alert& alert);
  void diagnose_incident(const diagnose::Illness& illness);

  store::Store& store_;
  const Clock& clock_;
  alert::Watch& watch_;
  const diagnose::EngineOptions& engine_;
  std::mutex mutex_;
  std::set<std::string> busy_nodes_;  // with a diagnosis running
  WorkerPool diagnoses_;
};

}  // namespace auscult::serve
