// Redactor: takes what looks like a secret out of what is to be stored.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/log_record.h"
#include "model/series.h"
#include "model/span.h"
#include "redact/patterns.h"

namespace auscult::redact {

struct Count {
  std::string_view kind;
  uint64_t redacted = 0;
};

// Every text is looked at once by Hyperscan, for all patterns together; only where it says that
// there is something RE2 finds out where. A clean line costs some hundred nanoseconds.
//
// Beyond 64 replacements a text loses the rest whole: nobody has made it to be read.
//
// Thread-safe.
class Redactor {
 public:
  // invalid_input: a pattern that one of the two libraries does not understand, by its kind.
  static Result<std::unique_ptr<Redactor>> create(std::span<const Pattern> patterns);
  ~Redactor();

  // Bodies, messages, names of spans, and the values of attributes.
  void redact(model::LogRecords& records);
  void redact(model::Spans& spans);
  // The values of its labels; the tags stay, they name places.
  void redact(model::Series& series);
  // True: something was replaced.
  bool redact(std::string& text);

  // One entry a kind, in the order of the patterns.
  std::vector<Count> counts() const;

 private:
  struct Impl;
  explicit Redactor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A series index that takes secrets out of the labels of new series; those that are known were new
// once. The other index and the redactor are borrowed.
class RedactingIndex : public model::SeriesIndex {
 public:
  RedactingIndex(model::SeriesIndex& index, Redactor& redactor)
      : index_(index), redactor_(redactor) {}
  uint64_t seed() const override { return index_.seed(); }
  const model::Series* find(const model::SeriesKey& key) override { return index_.find(key); }
  Result<const model::Series*> add(const model::SeriesKey& key, model::Series series) override {
    redactor_.redact(series);
    return index_.add(key, std::move(series));
  }

 private:
  model::SeriesIndex& index_;
  Redactor& redactor_;
};

}  // namespace auscult::redact
