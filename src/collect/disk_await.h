// DiskAwait: how long an I/O took on average, from two collections of the disk counters.
#pragma once

#include <map>
#include <string>

#include "model/sample.h"

namespace auscult::collect {

class DiskAwait {
 public:
  // `auscult_disk_await_seconds{device}`, reads and writes together, queueing included, for every
  // device that completed I/O since the previous call; a device without any has no await, which is
  // not the same as zero. Nothing at the first call and after counters went back. Time and tags are
  // those of the samples given.
  model::Samples update(const model::Samples& samples);

 private:
  struct Totals {
    double operations = 0;
    double seconds = 0;
  };
  std::map<std::string, Totals> previous_;  // by device
};

}  // namespace auscult::collect
