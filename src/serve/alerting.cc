#include "serve/alerting.h"

#include "base/log.h"
#include "base/text.h"
#include "diagnose/action_record.h"
#include "serve/incident.h"

namespace auscult::serve {
namespace {

constexpr int64_t alive_ns = 60 * ns_per_s;

std::string describe(const alert::Alert& alert) {
  const bool ratio = alert.unit == "1";
  const auto show = [&](double value) {
    return ratio ? format_number(value * 100, 3) + "%" : format_number(value) + " " + alert.unit;
  };
  return alert.title + " on " + alert.node_id + ": " + alert.signal + " " + show(alert.value) +
         ", baseline " + show(alert.baseline) + ", threshold " + show(alert.threshold);
}

}  // namespace

Alerting::Alerting(store::Store& store, const Clock& clock, alert::Watch& watch,
                   const diagnose::EngineOptions& engine)
    : store_(store),
      clock_(clock),
      watch_(watch),
      engine_(engine),
      diagnoses_("diagnosis", max_diagnoses, max_waiting_diagnoses) {}

void Alerting::step() {
  const int64_t now_ns = clock_.now_ns();
  const auto nodes = store_.node_ids({now_ns - alive_ns, now_ns + 1});
  if (!nodes) {
    log_warning("looking for nodes: " + nodes.error().message);
    return;
  }
  for (const auto& node : *nodes) {
    {
      const std::lock_guard lock(mutex_);
      if (busy_nodes_.contains(node)) continue;
    }
    const auto alerts = watch_.evaluate(node, now_ns);
    if (!alerts) {
      log_warning("watching " + node + ": " + alerts.error().message);
      continue;
    }
    // One illness of a node is one incident, however many signals show it.
    if (!alerts->empty()) open(alerts->front());
  }
}

void Alerting::open(const alert::Alert& alert) {
  const diagnose::Illness illness{.incident_id = new_incident_id(alert.node_id, alert.fired_at_ns),
                                  .node_id = alert.node_id,
                                  .trigger = describe(alert),
                                  .trigger_name = alert.trigger,
                                  .started_at_ns = alert.started_at_ns,
                                  .opened_at_ns = alert.fired_at_ns,
                                  .baseline = alert.baseline_range};
  store::Batch batch;
  batch.events.push_back(
      {.incident_id = illness.incident_id,
       .timestamp_ns = alert.fired_at_ns,
       .kind = diagnose::event::opened,
       .actor = "alert",
       .detail = Json(Json::Object{{"node_id", alert.node_id},
                                   {"trigger", illness.trigger},
                                   {"trigger_name", alert.trigger},
                                   {"category", alert.category},
                                   {"started_at", format_time(alert.started_at_ns)}})});
  const auto stored = store_.write_and_wait(std::move(batch));
  if (!stored) log_error("opening an incident: " + stored.error().message);
  log_info("incident " + illness.incident_id + ": " + illness.trigger);
  {
    const std::lock_guard lock(mutex_);
    busy_nodes_.insert(alert.node_id);
  }
  if (!diagnoses_.submit([this, illness] { diagnose_incident(illness); })) {
    log_warning("incident " + illness.incident_id + " is kept undiagnosed: too many at once");
    const std::lock_guard lock(mutex_);
    busy_nodes_.erase(alert.node_id);
  }
}

void Alerting::diagnose_incident(const diagnose::Illness& illness) {
  diagnose::EngineOptions options = engine_;
  options.progress = [&](std::string_view message) {
    log_info(illness.incident_id + ": " + std::string(message));
  };
  options.disturbs = [this](const std::string& node, store::TimeRange range) {
    watch_.quiet(node, range);
  };
  const auto diagnosis = diagnose::diagnose(illness, store_, clock_, options);
  if (!diagnosis) {
    log_error(illness.incident_id + ": no diagnosis: " + diagnosis.error().message);
  } else {
    const auto report = write_report(options.data_folder, *diagnosis);
    log_info(illness.incident_id + ": verdict " + diagnosis->verdict +
             (report ? ", report " + *report : ", no report: " + report.error().message));
  }
  const std::lock_guard lock(mutex_);
  busy_nodes_.erase(illness.node_id);
}

}  // namespace auscult::serve
