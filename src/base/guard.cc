#include "base/guard.h"

#include <exception>
#include <string>

#include "base/log.h"

namespace auscult {

void run_guarded(std::string_view who, const std::function<void()>& task) {
  try {
    task();
  } catch (const std::exception& exception) {
    log_error(std::string(who) + ": " + exception.what());
  } catch (...) {
    log_error(std::string(who) + ": unknown exception");
  }
}

}  // namespace auscult
