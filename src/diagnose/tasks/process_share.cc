// process_share: does one process take most of a resource of the node? From a process snapshot.
#include <cmath>

#include "base/text.h"
#include "diagnose/action_record.h"
#include "diagnose/task.h"

namespace auscult::diagnose {
namespace {

// How a resource is read from the snapshot: who uses how much, of how much.
struct Resource {
  std::string_view name;
  std::string_view list;  // member of the snapshot, largest first
  std::string_view what;  // "12.3 MiB/s of the disk's 15 MiB/s"
  double (*use)(const Json& process);
  double (*total)(const Json& snapshot, const std::string& device);
};

double io_use(const Json& process) {
  return process["read_bytes_per_second"].number_or(0) +
         process["write_bytes_per_second"].number_or(0);
}

// NaN: the device asked for is not in the snapshot.
double io_total(const Json& snapshot, const std::string& device) {
  double busiest = NAN;
  for (const Json& one : snapshot["devices"].array()) {
    const double bytes = io_use(one);
    if (one["device"].string_or("") == device) return bytes;
    if (device.empty() && !(bytes <= busiest)) busiest = bytes;
  }
  return busiest;
}

// Why the I/O of processes cannot be laid at a disk's door, or empty.
std::string cannot_attribute(const Json& snapshot, const std::string& device, double total) {
  constexpr double min_readable = 0.9;  // a tenth unseen could hide the one who does it
  constexpr double busy_share = 0.1;
  if (snapshot["io_readable_ratio"].number_or(1) < min_readable) {
    return "the I/O of too many processes could not be read (run the agent as root)";
  }
  for (const Json& one : snapshot["devices"].array()) {
    const bool other = !device.empty() && one["device"].string_or("") != device;
    // A process's counters do not say on which disk.
    if (other && io_use(one) > busy_share * total) {
      return "several disks are in use, and a process's counters do not say which it uses";
    }
  }
  return {};
}

double cpu_use(const Json& process) { return process["cpu_cores"].number_or(0); }
double cpu_total(const Json& snapshot, const std::string&) {
  return snapshot["cpus"].number_or(NAN);
}
double memory_use(const Json& process) { return process["rss_bytes"].number_or(0); }
double memory_total(const Json& snapshot, const std::string&) {
  return snapshot["mem_total_bytes"].number_or(NAN);
}

constexpr Resource resources[] = {
    {"io", "by_io", "of the bytes that the disk moved", io_use, io_total},
    {"cpu", "by_cpu", "of the node's CPUs", cpu_use, cpu_total},
    {"memory", "by_rss", "of the node's memory", memory_use, memory_total},
};

std::string show(const Resource& resource, double use) {
  if (resource.name == "cpu") return format_number(use, 3) + " cores";
  return format_bytes(use) + (resource.name == "io" ? "/s" : "");
}

// Many processes of one program are one culprit: a data loader's workers, a stress tool's threads.
struct Consumer {
  Json process;  // the largest
  double use = 0;
  int64_t processes = 0;
};

Consumer largest_consumer(const Resource& resource, const Json& snapshot) {
  std::vector<Consumer> consumers;
  for (const Json& process : snapshot[resource.list].array()) {
    if (process["self"].bool_or(false)) continue;
    const double use = resource.use(process);
    if (!std::isfinite(use) || use <= 0) continue;
    auto same = consumers.begin();
    while (same != consumers.end() && same->process["name"] != process["name"]) ++same;
    if (same == consumers.end()) {
      consumers.push_back({process, use, 1});
    } else {
      same->use += use;
      ++same->processes;
    }
  }
  Consumer largest;
  for (const auto& consumer : consumers) {
    if (consumer.use > largest.use) largest = consumer;
  }
  return largest;
}

Result<Finding> run(const TaskParameters& parameters, const TaskContext& context) {
  const Resource* resource = nullptr;
  for (const auto& one : resources) {
    if (one.name == parameters.at("resource")) resource = &one;
  }
  if (resource == nullptr) {
    return Error{ErrorCode::invalid_input, "'resource' must be io, cpu or memory"};
  }
  const double min_share = TRY(number_parameter(parameters, "min_share"));
  const auto record =
      TRY(read_action(context.store, parameters.at("incident"), parameters.at("action")));
  Finding finding;
  finding.unit = "1";
  finding.source = {
      .kind = "action", .query = "process_snapshot " + parameters.at("action"), .file = {}};
  if (!record.result) {
    finding.statement = "who uses the node was not observed: " + record.why;
    return finding;
  }
  const Json& snapshot = *record.result;
  const double total = resource->total(snapshot, parameters.at("device"));
  if (std::isnan(total)) {
    finding.statement = "how much there is " + std::string(resource->what) + " was not observed";
    return finding;
  }
  if (resource->name == "io") {
    if (const auto why = cannot_attribute(snapshot, parameters.at("device"), total); !why.empty()) {
      finding.statement = "who uses the disk is not known: " + why;
      return finding;
    }
  }
  const Consumer top = largest_consumer(*resource, snapshot);
  if (total <= 0) {
    finding.answer = Answer::clear;
    finding.value = 0;
    finding.statement = "nobody used any " + std::string(resource->what.substr(7));
    return finding;
  }
  // Counters of processes and of the device are read a moment apart: a share can pass 1 a little.
  finding.value = std::min(top.use / total, 1.0);
  finding.answer = finding.value >= min_share ? Answer::found : Answer::clear;
  const std::string pid = top.process["pid"].is_integer() ? top.process["pid"].integer_text() : "-";
  finding.detail = Json(Json::Object{{"pid", top.process["pid"]},
                                     {"name", top.process["name"]},
                                     {"command", top.process["command"]},
                                     {"processes", top.processes},
                                     {"use", top.use},
                                     {"total", total}});
  if (top.processes == 0) {
    finding.statement = "no process but our own used any of it";
    return finding;
  }
  finding.statement =
      "PID " + pid + " (" + top.process["command"].string_or("?") + ")" +
      (top.processes > 1 ? " and " + std::to_string(top.processes - 1) + " more of that name take "
                         : " takes ") +
      format_number(finding.value * 100, 3) + "% " + std::string(resource->what) + " (" +
      show(*resource, top.use) + ")";
  if (finding.answer == Answer::clear) {
    finding.statement += ", below the " + format_number(min_share * 100, 3) + "% that would matter";
  }
  return finding;
}

}  // namespace

Task process_share() {
  return {.summary = "does one process take most of a resource of the node?",
          .parameters = {{"incident", "incident id", "", true},
                         {"action", "id of the process_snapshot", "", true},
                         {"resource", "io, cpu or memory", "", true},
                         {"device", "for io: the disk; empty: the busiest", ""},
                         {"min_share", "share from which it is most, 0..1", "0.5"}},
          .run = run};
}

}  // namespace auscult::diagnose
