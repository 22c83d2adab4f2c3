#include "diagnose/fault.h"

#include <gtest/gtest.h>

#include <set>

namespace auscult::diagnose {
namespace {

std::string fault_text(const std::string& evidence) {
  return "id: thirst\ntitle: too dry\nlayer: host\nprior: {log_odds: -1}\nevidence:\n" + evidence;
}

std::string error_of(const std::string& text) {
  const auto fault = parse_fault(text, "faults/thirst.yaml");
  return fault ? "no error" : fault.error().message;
}

TEST(Fault, the_built_in_catalogue_reads_and_holds_the_five_faults_of_a_host) {
  const auto faults = load_faults();
  ASSERT_TRUE(faults) << faults.error().message;
  std::set<std::string> ids;
  for (const auto& fault : *faults) ids.insert(fault.id);
  EXPECT_EQ(ids, (std::set<std::string>{"block_device_misdetected_rotational", "cpu_contention",
                                        "host_memory_exhaustion", "storage_contention",
                                        "storage_device_slow"}));
}

TEST(Fault, every_fault_can_be_refuted_by_something_and_says_what_to_do) {
  const auto faults = load_faults();
  for (const auto& fault : *faults) {
    bool refutable = false;
    const auto look = [&](const std::vector<Question>& questions) {
      for (const auto& question : questions) {
        refutable = refutable || question.found.refutes || question.clear.refutes;
      }
    };
    look(fault.questions);
    for (const auto& experiment : fault.experiments) look(experiment.questions);
    EXPECT_TRUE(refutable) << fault.id;
    EXPECT_FALSE(fault.remediation.now.empty()) << fault.id;
    EXPECT_FALSE(fault.experiments.empty()) << fault.id;
  }
}

TEST(Fault, an_unknown_task_is_named_with_its_line_and_the_nearest_right_one) {
  EXPECT_EQ(error_of(fault_text("  - id: q\n    task: check_metrics\n    params: {signal: x}\n"
                                "    found: {log_odds: 1}\n    clear: {log_odds: -1}\n")),
            "faults/thirst.yaml:7: unknown task 'check_metrics': did you mean 'check_metric'?");
}

TEST(Fault, an_unknown_task_parameter_is_an_error) {
  EXPECT_EQ(error_of(fault_text("  - id: q\n    task: check_metric\n    params: {signla: x}\n"
                                "    found: {log_odds: 1}\n    clear: {log_odds: -1}\n")),
            "faults/thirst.yaml:8: task check_metric has no parameter 'signla': did you mean "
            "'signal'?");
}

TEST(Fault, a_guess_beyond_two_is_refused) {
  EXPECT_NE(error_of(fault_text("  - id: q\n    task: memory_left\n    found: {log_odds: 2.5}\n"
                                "    clear: {log_odds: -1}\n"))
                .find("a guess may not weigh more than +-2"),
            std::string::npos);
}

TEST(Fault, what_was_measured_may_weigh_more_but_must_say_how) {
  const std::string text =
      "  - id: q\n    task: memory_left\n    found: {log_odds: 4, provenance: measured%s}\n"
      "    clear: {log_odds: -1}\n";
  const auto with = [&](const std::string& because) {
    std::string made = text;
    return fault_text(made.replace(made.find("%s"), 2, because));
  };
  EXPECT_NE(error_of(with("")).find("must say in 'because'"), std::string::npos);
  EXPECT_EQ(error_of(with(", because: 40 of 40 trials")), "no error");
}

TEST(Fault, a_mistyped_key_is_named) {
  EXPECT_NE(error_of("id: thirst\ntitel: x\n").find("did you mean 'title'?"), std::string::npos)
      << error_of("id: thirst\ntitel: x\n");
}

TEST(Fault, a_fault_must_stand_in_the_file_of_its_name) {
  EXPECT_FALSE(parse_fault(fault_text("  - id: q\n    task: memory_left\n    found: {log_odds: 1}\n"
                                      "    clear: {log_odds: -1}\n"),
                           "faults/hunger.yaml"));
}

TEST(Fault, an_experiment_with_an_unknown_action_is_refused) {
  EXPECT_NE(error_of("id: thirst\ntitle: t\nlayer: host\nprior: {log_odds: 0}\nexperiments:\n"
                     "  - action: reboot_node\n    sees: nothing\n    evidence: []\n")
                .find("unknown action 'reboot_node'"),
            std::string::npos);
}

}  // namespace
}  // namespace auscult::diagnose
