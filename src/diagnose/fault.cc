#include "diagnose/fault.h"

#include <algorithm>
#include <cmath>

#include "actions/executor.h"
#include "base/embedded_file.h"
#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"

namespace auscult::diagnose {

std::vector<EmbeddedFile> embedded_faults();  // catalog/faults, put into the library by CMake

namespace {

// Parameters that the engine fills in from the incident where a task declares them.
constexpr std::string_view incident_parameters[] = {
    "node", "start", "end", "baseline_start", "baseline_end", "incident", "action", "runs"};

Result<Weight> read_weight(const Yaml* node, const Yaml& parent, std::string_view key) {
  if (node == nullptr) return parent.error("'" + std::string(key) + "' is missing");
  YamlReader reader(*node);
  Weight weight;
  weight.log_odds = reader.number("log_odds", 0);
  const std::string provenance = reader.text("provenance", "guess");
  weight.refutes = reader.boolean("refutes", false);
  weight.because = reader.text("because");
  TRY(reader.finish());
  if (provenance == "measured") {
    weight.provenance = Provenance::measured;
  } else if (provenance == "published") {
    weight.provenance = Provenance::published;
  } else if (provenance != "guess") {
    return node->error("provenance is measured, published or guess, not '" + provenance + "'");
  }
  if (weight.provenance != Provenance::guess && weight.because.empty()) {
    return node->error("a weight that is " + provenance + " must say in 'because' by whom and how");
  }
  if (weight.provenance == Provenance::guess && std::abs(weight.log_odds) > max_guess_log_odds) {
    return node->error("a guess may not weigh more than +-2 (log_odds " +
                       format_number(weight.log_odds) + "): measure it");
  }
  if (weight.refutes && weight.log_odds >= 0) {
    return node->error("an answer that refutes must have a negative log_odds");
  }
  return weight;
}

Result<Json> to_json_value(const Yaml& node) {
  if (node.kind == Yaml::Kind::map) {
    Json object{Json::Object{}};
    for (const auto& [key, value] : node.map) {
      Json converted = TRY(to_json_value(value));
      object.set(key, std::move(converted));
    }
    return object;
  }
  if (node.kind != Yaml::Kind::scalar) return node.error("expected one value or keys and values");
  if (const auto whole = to_int(node.scalar)) return Json(*whole);
  if (const auto number = to_double(node.scalar)) return Json(*number);
  return Json(node.scalar);
}

Result<Question> read_question(const Yaml& node) {
  YamlReader reader(node);
  Question question;
  question.id = reader.required("id");
  question.task = reader.required("task");
  const Yaml* parameters = reader.node("params");
  const Yaml* found = reader.node("found");
  const Yaml* clear = reader.node("clear");
  TRY(reader.finish());

  const auto tasks = all_tasks();
  const Task* task = find_named(tasks, question.task);
  if (task == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& row : tasks) names.push_back(row.name);
    const std::string near = nearest_word(question.task, names);
    std::string known;
    for (const auto name : names) known += (known.empty() ? "" : ", ") + std::string(name);
    return node.find("task")->error(
        "unknown task '" + question.task +
        "': " + (near.empty() ? "known are " + known : "did you mean '" + near + "'?"));
  }
  std::vector<std::string_view> names;
  for (const auto& parameter : task->parameters) names.push_back(parameter.name);
  if (parameters != nullptr) {
    for (const auto& [key, value] : parameters->map) {
      if (std::find(names.begin(), names.end(), key) == names.end()) {
        const std::string near = nearest_word(key, names);
        return value.error("task " + question.task + " has no parameter '" + key + "'" +
                           (near.empty() ? "" : ": did you mean '" + near + "'?"));
      }
      question.parameters[key] = value.scalar;
    }
  }
  for (const auto& parameter : task->parameters) {
    const bool filled = std::find(std::begin(incident_parameters), std::end(incident_parameters),
                                  parameter.name) != std::end(incident_parameters);
    if (parameter.required && !filled &&
        !question.parameters.contains(std::string(parameter.name))) {
      return node.error("task " + question.task + " needs the parameter '" +
                        std::string(parameter.name) + "'");
    }
  }
  question.found = TRY(read_weight(found, node, "found"));
  question.clear = TRY(read_weight(clear, node, "clear"));
  return question;
}

Result<std::vector<Question>> read_questions(const Yaml* list) {
  std::vector<Question> questions;
  if (list == nullptr) return questions;
  for (const Yaml& one : list->list) questions.push_back(TRY(read_question(one)));
  return questions;
}

Result<Experiment> read_experiment(const Yaml& node) {
  YamlReader reader(node);
  Experiment experiment;
  experiment.action = reader.required("action");
  experiment.sees = reader.required("sees");
  experiment.seconds = reader.number("seconds", 30);
  const Yaml* params = reader.node("params");
  const Yaml* questions = reader.node("evidence");
  TRY(reader.finish());
  const auto executors = actions::all_executors();
  const auto* executor = find_named(executors, experiment.action);
  if (executor == nullptr) {
    return node.find("action")->error("unknown action '" + experiment.action + "'");
  }
  experiment.action_class = executor->action_class;
  if (params != nullptr) experiment.params = TRY(to_json_value(*params));
  experiment.questions = TRY(read_questions(questions));
  if (experiment.questions.empty()) {
    return node.error("an experiment without evidence tests nothing");
  }
  return experiment;
}

Result<Remediation> read_remediation(const Yaml* node) {
  Remediation remediation;
  if (node == nullptr) return remediation;
  YamlReader reader(*node);
  remediation.now = reader.texts("now");
  remediation.soon = reader.texts("soon");
  remediation.lasting = reader.texts("lasting");
  TRY(reader.finish());
  return remediation;
}

}  // namespace

Result<Fault> parse_fault(std::string_view text, const std::string& name) {
  const Yaml root = TRY(parse_yaml(text, name));
  YamlReader reader(root);
  Fault fault;
  fault.id = reader.required("id");
  fault.title = reader.required("title");
  fault.layer = reader.required("layer");
  fault.severity = reader.text("severity", "degraded");
  fault.role = reader.text("role", "root");
  fault.device = reader.text("device");
  const Yaml* prior = reader.node("prior");
  const Yaml* questions = reader.node("evidence");
  const Yaml* experiments = reader.node("experiments");
  const Yaml* remediation = reader.node("remediation");
  TRY(reader.finish());
  if (fault.id != std::filesystem::path(name).stem()) {
    return root.error("the file of fault '" + fault.id + "' must be called " + fault.id + ".yaml");
  }
  fault.prior = TRY(read_weight(prior, root, "prior"));
  fault.questions = TRY(read_questions(questions));
  if (experiments != nullptr) {
    for (const Yaml& one : experiments->list) {
      fault.experiments.push_back(TRY(read_experiment(one)));
    }
  }
  fault.remediation = TRY(read_remediation(remediation));
  if (fault.questions.empty() && fault.experiments.empty()) {
    return root.error("a fault without evidence can be neither supported nor refuted");
  }
  return fault;
}

Result<std::vector<Fault>> load_faults(const std::filesystem::path& folder) {
  std::vector<Fault> faults;
  if (folder.empty()) {
    for (const auto& file : embedded_faults()) {
      faults.push_back(TRY(parse_fault(file.text, std::string(file.path))));
    }
    return faults;
  }
  for (const auto& name : list_folder(folder)) {
    if (!name.ends_with(".yaml")) continue;
    const auto path = folder / name;
    const std::string text = TRY(read_file(path));
    faults.push_back(TRY(parse_fault(text, path.string())));
  }
  if (faults.empty()) {
    return Error{ErrorCode::not_found, "there is no fault (*.yaml) in " + folder.string()};
  }
  return faults;
}

}  // namespace auscult::diagnose
