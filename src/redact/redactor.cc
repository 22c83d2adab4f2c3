#include "redact/redactor.h"

#include <hs/hs.h>
#include <re2/re2.h>

#include <algorithm>
#include <atomic>
#include <bitset>
#include <limits>
#include <mutex>
#include <utility>

#include "base/check.h"

namespace auscult::redact {
namespace {

constexpr size_t max_patterns = 64;
constexpr size_t max_replacements = 64;  // of one pattern in one text

using Found = std::bitset<max_patterns>;

int note(unsigned id, unsigned long long, unsigned long long, unsigned, void* found) {
  static_cast<Found*>(found)->set(id);
  return 0;
}

struct FreeDatabase {
  void operator()(hs_database_t* database) const { ::hs_free_database(database); }
};
struct FreeScratch {
  void operator()(hs_scratch_t* scratch) const { ::hs_free_scratch(scratch); }
};
using Database = std::unique_ptr<hs_database_t, FreeDatabase>;
using Scratch = std::unique_ptr<hs_scratch_t, FreeScratch>;

struct Compiled {
  size_t kind_index = 0;
  std::string mark;  // "[redacted:kind]"
  std::unique_ptr<RE2> find;
};

Result<Database> compile(std::span<const Pattern> patterns) {
  std::vector<const char*> texts;
  std::vector<unsigned> flags;
  std::vector<unsigned> ids;
  for (const Pattern& pattern : patterns) {
    texts.push_back(pattern.find.c_str());
    flags.push_back(HS_FLAG_SINGLEMATCH);
    ids.push_back(static_cast<unsigned>(ids.size()));
  }
  hs_database_t* database = nullptr;
  hs_compile_error_t* problem = nullptr;
  const auto code = ::hs_compile_multi(texts.data(), flags.data(), ids.data(),
                                       static_cast<unsigned>(texts.size()), HS_MODE_BLOCK, nullptr,
                                       &database, &problem);
  if (code == HS_SUCCESS) return Database(database);
  const std::unique_ptr<hs_compile_error_t, hs_error_t (*)(hs_compile_error_t*)> held(
      problem, &::hs_free_compile_error);
  const bool one = problem->expression >= 0;
  return Error{
      ErrorCode::invalid_input,
      "Hyperscan: " +
          (one ? patterns[static_cast<size_t>(problem->expression)].kind + ": " : std::string()) +
          problem->message};
}

}  // namespace

struct Redactor::Impl {
  std::vector<Compiled> compiled;
  std::vector<std::string> kinds;
  std::vector<std::atomic<uint64_t>> counts;
  Database database;

  // A scan needs memory that no other scan uses meanwhile. There are as many as were ever needed at
  // once: one a thread.
  std::mutex mutex;
  std::vector<Scratch> idle;

  class Lease {
   public:
    explicit Lease(Impl& impl) : impl_(impl) {
      {
        const std::lock_guard lock(impl.mutex);
        if (!impl.idle.empty()) {
          scratch_ = std::move(impl.idle.back());
          impl.idle.pop_back();
        }
      }
      if (scratch_) return;
      hs_scratch_t* made = nullptr;
      CHECK(::hs_alloc_scratch(impl.database.get(), &made) == HS_SUCCESS,
            "there is memory for a scan");
      scratch_.reset(made);
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      const std::lock_guard lock(impl_.mutex);
      impl_.idle.push_back(std::move(scratch_));
    }
    hs_scratch_t* scratch() const { return scratch_.get(); }

   private:
    Impl& impl_;
    Scratch scratch_;
  };

  bool redact(std::string& text, const Lease& lease) {
    if (text.empty() || text.size() > std::numeric_limits<unsigned>::max()) return false;
    Found found;
    ::hs_scan(database.get(), text.data(), static_cast<unsigned>(text.size()), 0, lease.scratch(),
              note, &found);
    if (found.none()) return false;
    bool changed = false;
    for (size_t i = 0; i < compiled.size(); ++i) {
      if (found[i]) changed = replace(compiled[i], text) || changed;
    }
    return changed;
  }

  bool replace(const Compiled& pattern, std::string& text) {
    std::string out;
    size_t from = 0;
    size_t n = 0;
    const bool has_group = pattern.find->NumberOfCapturingGroups() > 0;
    re2::StringPiece groups[2];
    while (from < text.size() && pattern.find->Match(text, from, text.size(), RE2::UNANCHORED,
                                                     groups, has_group ? 2 : 1)) {
      const auto& gone = groups[has_group ? 1 : 0];
      const auto begin = static_cast<size_t>(gone.data() - text.data());
      out.append(text, from, begin - from).append(pattern.mark);
      from = begin + gone.size();
      if (++n == max_replacements) from = text.size();
    }
    if (n == 0) return false;
    text = out.append(text, from);
    counts[pattern.kind_index] += n;
    return true;
  }

  // The name of an attribute says what its value is, so that both are looked at together. Records
  // of one resource repeat its attributes: what stands in the same place of `seen`, which was
  // looked at before, needs no second look.
  void redact(model::Labels& labels, const model::Labels* seen, const Lease& lease) {
    for (size_t i = 0; i < labels.size(); ++i) {
      if (seen != nullptr && i < seen->size() && labels[i] == (*seen)[i]) continue;
      auto& [name, value] = labels[i];
      std::string text = name + "=" + value;
      if (!redact(text, lease)) continue;
      const bool name_stays = text.starts_with(name) && text.size() > name.size();
      value = name_stays ? text.substr(name.size() + 1) : "[redacted]";
    }
  }
};

Redactor::Redactor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Redactor::~Redactor() = default;

Result<std::unique_ptr<Redactor>> Redactor::create(std::span<const Pattern> patterns) {
  auto impl = std::make_unique<Impl>();
  if (patterns.size() > max_patterns) {
    return Error{ErrorCode::invalid_input,
                 "more than " + std::to_string(max_patterns) + " patterns"};
  }
  for (const Pattern& pattern : patterns) {
    RE2::Options options;
    options.set_log_errors(false);
    auto find = std::make_unique<RE2>(pattern.find, options);
    if (!find->ok() || find->NumberOfCapturingGroups() > 1) {
      return Error{ErrorCode::invalid_input,
                   pattern.kind + ": " + (find->ok() ? "more than one group" : find->error())};
    }
    const auto known = std::find(impl->kinds.begin(), impl->kinds.end(), pattern.kind);
    const auto kind_index = static_cast<size_t>(known - impl->kinds.begin());
    if (known == impl->kinds.end()) impl->kinds.push_back(pattern.kind);
    impl->compiled.push_back({.kind_index = kind_index,
                              .mark = "[redacted:" + pattern.kind + "]",
                              .find = std::move(find)});
  }
  impl->counts = std::vector<std::atomic<uint64_t>>(impl->kinds.size());
  impl->database = TRY(compile(patterns));
  return std::unique_ptr<Redactor>(new Redactor(std::move(impl)));
}

void Redactor::redact(model::LogRecords& records) {
  const Impl::Lease lease(*impl_);
  const model::Labels* seen = nullptr;
  for (auto& record : records) {
    impl_->redact(record.body, lease);
    impl_->redact(record.attributes, seen, lease);
    seen = &record.attributes;
  }
}

void Redactor::redact(model::Spans& spans) {
  const Impl::Lease lease(*impl_);
  const model::Labels* seen = nullptr;
  for (auto& span : spans) {
    impl_->redact(span.name, lease);
    impl_->redact(span.status_message, lease);
    impl_->redact(span.attributes, seen, lease);
    seen = &span.attributes;
  }
}

void Redactor::redact(model::Series& series) {
  const Impl::Lease lease(*impl_);
  impl_->redact(series.labels, nullptr, lease);
}

bool Redactor::redact(std::string& text) {
  const Impl::Lease lease(*impl_);
  return impl_->redact(text, lease);
}

std::vector<Count> Redactor::counts() const {
  std::vector<Count> counts;
  for (size_t i = 0; i < impl_->kinds.size(); ++i) {
    counts.push_back({.kind = impl_->kinds[i], .redacted = impl_->counts[i]});
  }
  return counts;
}

}  // namespace auscult::redact
