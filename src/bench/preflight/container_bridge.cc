// container_bridge: do packets leave through a virtual interface of a container?
//
// A warning: the figure is what programs in this container get, and not what the network card can
// do, because a bridge and address translation stand between.

#include "base/file.h"
#include "base/text.h"
#include "bench/host.h"
#include "bench/preflight.h"

namespace auscult::bench {
namespace {

// The interface of the default route: "eth0  00000000  0102A8C0  0003 ..."
std::string default_interface(const std::filesystem::path& root) {
  const auto table = read_file(root / "proc/net/route");
  if (!table) return {};
  for (const auto line : split(*table, '\n')) {
    const auto fields = words(line);
    if (fields.size() > 2 && fields[1] == "00000000") return std::string(fields[0]);
  }
  return {};
}

PreflightFinding check(const PreflightContext& context) {
  using Verdict = PreflightFinding::Verdict;
  const std::string interface = default_interface(context.root);
  if (interface.empty()) return {Verdict::no_data, "this host has no default route"};
  const auto folder = context.root / "sys/class/net" / interface;
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) {
    return {Verdict::no_data, "/sys/class/net does not know " + interface};
  }
  // The two ends of a veth pair name each other: iflink is the partner's index. VLANs do that too,
  // but they have a lower device, `lower_<name>`, in the same network namespace.
  bool has_lower = false;
  for (const auto& entry : list_folder(folder))
    has_lower = has_lower || entry.starts_with("lower_");
  const bool is_pair =
      first_line(folder / "iflink") != first_line(folder / "ifindex") && !has_lower;
  const bool is_bridge = std::filesystem::exists(folder / "bridge", error);
  if (is_pair || is_bridge) {
    return {
        Verdict::warning,
        interface + " is " + (is_bridge ? "a bridge" : "one end of a container's virtual pair") +
            ": the figure includes it; for the card's own, run in the host's network namespace"};
  }
  return {Verdict::clear, interface + " is no container's interface"};
}

}  // namespace

Preflight container_bridge() {
  return {.summary = "packets do not leave through a container's virtual interface",
          .check = check};
}

}  // namespace auscult::bench
