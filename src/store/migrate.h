// Migrations: the schema, brought forward by numbered steps that are recorded in the database.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.h"
#include "base/result.h"
#include "store/engine.h"

namespace auscult::store {

struct Migration {
  uint64_t version = 0;  // from the file's name: 001_first.sql is 1
  std::string name;
  std::vector<std::string> statements;  // each may run again
};

// The steps in files called `<version>_<name>.sql`, sorted. Statements end with `;` at the end of a
// line. invalid_input names a file that does not follow this.
Result<std::vector<Migration>> parse_migrations(const std::vector<EmbeddedFile>& files);

// Runs the steps that are not yet recorded, in order, and records each when it is complete: one
// that was interrupted runs again. invalid_input when the database has seen a newer program.
Result<Ok> migrate(Engine& engine, const std::vector<Migration>& migrations);

// The steps of this program.
std::vector<EmbeddedFile> embedded_schema();

}  // namespace auscult::store
