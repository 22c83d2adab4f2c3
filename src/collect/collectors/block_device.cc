// Is a block device marked rotational, and which I/O scheduler is really in use? From /sys/block.
//
// A flash device that says it rotates gets a scheduler made for seeks and queues behind it.
#include <algorithm>
#include <array>

#include "base/file.h"
#include "base/text.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

// Devices without a medium of their own.
constexpr std::array<std::string_view, 4> excluded = {"loop", "ram", "zram", "sr"};

bool is_excluded(std::string_view device) {
  for (const auto prefix : excluded) {
    const auto rest = device.substr(std::min(device.size(), prefix.size()));
    if (device.starts_with(prefix) && !rest.empty() &&
        rest.find_first_not_of("0123456789") == rest.npos) {
      return true;
    }
  }
  return false;
}

// "none [mq-deadline] kyber" -> "mq-deadline"; a device with one scheduler prints it bare.
std::string scheduler_in_use(std::string_view text) {
  const auto open = text.find('[');
  const auto close = text.find(']', open);
  if (open == text.npos || close == text.npos) return std::string(text);
  return std::string(text.substr(open + 1, close - open - 1));
}

// By how it is attached: NVMe, MMC and persistent memory have no moving parts. SATA, SAS and virtio
// carry both kinds, so nothing can be said about them from here.
bool cannot_rotate(const std::filesystem::path& folder, const std::string& device) {
  if (device.starts_with("nvme") || device.starts_with("mmcblk") || device.starts_with("pmem")) {
    return true;
  }
  std::error_code error;
  const auto target = std::filesystem::read_symlink(folder, error);
  return !error && target.string().find("/nvme/") != std::string::npos;
}

Result<model::Samples> read(const Host& host) {
  model::Samples samples;
  const auto block = host.root / "sys/block";
  const Folder folder(block);
  for (const auto& device : list_folder(block)) {
    if (is_excluded(device)) continue;
    const Folder queue(folder, device + "/queue", host);
    const auto text = queue.value("rotational");
    if (!text) continue;
    const auto rotational = to_double(*text);
    if (!rotational) {
      return malformed("sys/block/" + device + "/queue/rotational", 1, "not a number: " + *text);
    }
    const auto scheduler = scheduler_in_use(queue.value("scheduler").value_or(""));
    samples.push_back(gauge("auscult_block_device_rotational", *rotational,
                            {{"device", device}, {"scheduler", scheduler}}));
    if (cannot_rotate(block / device, device)) {
      samples.push_back(gauge("auscult_block_device_misdetected_rotational",
                              *rotational != 0 ? 1 : 0, {{"device", device}}));
    }
  }
  return samples;
}

}  // namespace

Collector block_device() {
  return {.summary = "block devices: rotational, scheduler in use",
          .period = std::chrono::seconds(15),
          .read = read};
}

}  // namespace auscult::collect
