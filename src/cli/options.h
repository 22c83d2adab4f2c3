// Options: what a command takes, declared once, parsed and explained by CLI11 behind the curtain.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace auscult::cli {

// The variables given keep their value as the default. They must outlive parse().
class Options {
 public:
  Options(const std::string& name, const std::string& summary);
  ~Options();

  Options& text(const std::string& names, std::string& value, const std::string& help);
  Options& texts(const std::string& names, std::vector<std::string>& values,
                 const std::string& help);
  Options& number(const std::string& names, double& value, const std::string& help);
  Options& integer(const std::string& names, int64_t& value, const std::string& help);
  Options& flag(const std::string& names, bool& value, const std::string& help);
  Options& choice(const std::string& names, std::string& value,
                  const std::vector<std::string>& allowed, const std::string& help);

  // Positional: `required` ones must be there.
  Options& positional(const std::string& name, std::string& value, bool required,
                      const std::string& help);
  Options& positionals(const std::string& name, std::vector<std::string>& values, bool required,
                       const std::string& help);

  // False when help was asked for and has been printed. invalid_input: a usage error, one line.
  Result<bool> parse(const std::vector<std::string>& arguments, std::ostream& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace auscult::cli
