#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "base/text.h"

namespace auscult::cli {

struct Options::Impl {
  CLI::App app;
};

Options::Options(const std::string& name, const std::string& summary)
    : impl_(std::make_unique<Impl>()) {
  impl_->app.name("auscult " + name);
  impl_->app.description(summary);
}

Options::~Options() = default;

Options& Options::text(const std::string& names, std::string& value, const std::string& help) {
  impl_->app.add_option(names, value, help)->capture_default_str();
  return *this;
}

Options& Options::texts(const std::string& names, std::vector<std::string>& values,
                        const std::string& help) {
  impl_->app.add_option(names, values, help)->allow_extra_args(false);
  return *this;
}

Options& Options::number(const std::string& names, double& value, const std::string& help) {
  impl_->app.add_option(names, value, help)->capture_default_str();
  return *this;
}

Options& Options::integer(const std::string& names, int64_t& value, const std::string& help) {
  impl_->app.add_option(names, value, help)->capture_default_str();
  return *this;
}

Options& Options::flag(const std::string& names, bool& value, const std::string& help) {
  impl_->app.add_flag(names, value, help);
  return *this;
}

Options& Options::choice(const std::string& names, std::string& value,
                         const std::vector<std::string>& allowed, const std::string& help) {
  impl_->app.add_option(names, value, help)->capture_default_str()->check(CLI::IsMember(allowed));
  return *this;
}

Options& Options::positional(const std::string& name, std::string& value, bool required,
                             const std::string& help) {
  impl_->app.add_option(name, value, help)->required(required);
  return *this;
}

Options& Options::positionals(const std::string& name, std::vector<std::string>& values,
                              bool required, const std::string& help) {
  impl_->app.add_option(name, values, help)->required(required);
  return *this;
}

Result<bool> Options::parse(const std::vector<std::string>& arguments, std::ostream& out) {
  try {
    // CLI11 takes the words in reverse.
    impl_->app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    return true;
  } catch (const CLI::CallForHelp&) {
    out << impl_->app.help();
    return false;
  } catch (const CLI::ParseError& problem) {
    std::string message = problem.what();
    std::replace(message.begin(), message.end(), '\n', ' ');
    return Error{ErrorCode::invalid_input,
                 std::string(trim(message)) + " (see " + impl_->app.get_name() + " --help)"};
  }
}

}  // namespace auscult::cli
