// Journal: the group that is being written, in a file, until the engine has all of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/group.h"

namespace auscult::store {

// One thread.
class Journal {
 public:
  // Files go to <folder>/<stamp>.bin, given-up groups to <folder>/rejected/.
  explicit Journal(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The groups that are in the folder, oldest first. A file that was cut off or damaged belongs to
  // a group that was neither inserted nor acknowledged: it is removed, with a line in the log.
  Result<std::vector<Group>> load();

  Result<Ok> write(const Group& group);
  Result<Ok> remove(const Group& group);

  // Keeps a group that the engine will not take, for a person to look at. Returns where.
  Result<std::filesystem::path> reject(const Group& group);

 private:
  std::filesystem::path path_of(const Group& group) const;

  const std::filesystem::path folder_;
};

// The content of a journal file; corrupt when a byte is missing or wrong.
Result<Group> decode_group(std::string_view bytes);

}  // namespace auscult::store
