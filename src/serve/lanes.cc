#include "serve/lanes.h"

namespace auscult::serve {

bool Lanes::submit(Lane lane, std::function<void()> task) {
  switch (lane) {
    case Lane::io:
      task();
      return true;
    case Lane::prompt:
      return prompt_.submit(std::move(task));
    case Lane::normal:
      return normal_.submit(std::move(task));
    case Lane::slow:
      return slow_.submit(std::move(task));
  }
  return false;
}

}  // namespace auscult::serve
