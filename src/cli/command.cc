#include "cli/command.h"

#include <ostream>

#include "base/text.h"

namespace auscult::cli {
namespace {

void print_help(std::ostream& out) {
  out << "auscult: the stethoscope for AI compute clusters\n\nusage: auscult COMMAND [OPTIONS]\n\n";
  for (const auto& [name, command] : all_commands()) {
    out << "  " << name << std::string(name.size() < 10 ? 10 - name.size() : 1, ' ')
        << command.summary << '\n';
  }
  out << "\n'auscult COMMAND --help' says more. Exit status: 0 done, 1 the finding is bad, 2 usage "
         "or\n"
         "configuration, 3 the work could not be done.\n";
}

}  // namespace

bool handles_stop_signals(const std::vector<std::string>& arguments) {
  const auto commands = all_commands();
  const Command* command = arguments.empty() ? nullptr : find_named(commands, arguments[0]);
  return command != nullptr && command->handles_stop_signals;
}

int run_command_line(const std::vector<std::string>& arguments, Environment& environment) {
  const auto status = [](Exit exit) { return static_cast<int>(exit); };
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
      arguments[0] == "help") {
    print_help(arguments.empty() ? environment.err : environment.out);
    return status(arguments.empty() ? Exit::usage : Exit::ok);
  }
  const auto commands = all_commands();
  const std::string name = arguments[0] == "--version" ? "version" : arguments[0];
  const Command* command = find_named(commands, name);
  if (command == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& row : commands) names.push_back(row.name);
    const std::string near = nearest_word(name, names);
    environment.err << "auscult: there is no command '" << name << "': "
                    << (near.empty() ? std::string("see auscult --help")
                                     : "did you mean '" + near + "'?")
                    << '\n';
    return status(Exit::usage);
  }
  auto exit = command->run({arguments.begin() + 1, arguments.end()}, environment);
  if (exit) return status(*exit);
  environment.err << "auscult " << name << ": " << exit.error().message << '\n';
  return status(exit.error().code == ErrorCode::invalid_input ? Exit::usage : Exit::failed);
}

}  // namespace auscult::cli
