// Context: what the routes work on. The same routes answer over HTTP and for commands with --data.
#pragma once

#include <string>

#include "alert/watch.h"
#include "base/clock.h"
#include "diagnose/engine.h"
#include "serve/broker.h"
#include "store/store.h"

namespace auscult::serve {

class Ingest;

struct Context {
  store::Store& store;
  const Clock& clock;
  const diagnose::EngineOptions&
      engine;                     // faults, program, data folder; channel where there is one
  alert::Watch* watch = nullptr;  // null without a server
  Broker* broker = nullptr;       // null without a server
  Ingest* ingest = nullptr;       // null without a server
};

}  // namespace auscult::serve
