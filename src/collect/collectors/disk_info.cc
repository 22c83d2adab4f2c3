// What a disk is: model, serial, file system, from udev's database and /sys/block.
#include <map>

#include "base/text.h"
#include "collect/disk_name.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

using Properties = std::map<std::string, std::string, std::less<>>;

// Lines "E:NAME=value" of <root>/run/udev/data/b<major>:<minor>.
Properties read_properties(const Host& host, std::string_view major, std::string_view minor) {
  Properties properties;
  const auto text =
      read_host_file(host, "run/udev/data/b" + std::string(major) + ":" + std::string(minor));
  if (!text) return properties;
  for (auto line : split(*text, '\n')) {
    const auto equals = line.find('=');
    if (!line.starts_with("E:") || equals == line.npos) continue;
    properties[std::string(line.substr(2, equals - 2))] = line.substr(equals + 1);
  }
  return properties;
}

std::string property(const Properties& properties, std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    const auto found = properties.find(name);
    if (found != properties.end() && !found->second.empty()) return found->second;
  }
  return {};
}

void add_ata(const Properties& udev, const std::string& device, model::Samples& samples) {
  if (property(udev, {"ID_ATA"}).empty()) return;
  const auto add = [&](std::string_view name, std::string_view metric) {
    if (const auto value = to_double(property(udev, {name}))) {
      samples.push_back(gauge(metric, *value, {{"device", device}}));
    }
  };
  add("ID_ATA_WRITE_CACHE", "node_disk_ata_write_cache");
  add("ID_ATA_WRITE_CACHE_ENABLED", "node_disk_ata_write_cache_enabled");
  add("ID_ATA_ROTATION_RATE_RPM", "node_disk_ata_rotation_rate_rpm");
}

void add_disk(const Host& host, const Folder& block, const std::vector<std::string_view>& fields,
              model::Samples& samples) {
  const std::string device(fields[2]);
  const auto udev = read_properties(host, fields[0], fields[1]);
  const auto rotational = Folder(block, device + "/queue", host).number("rotational");
  samples.push_back(
      gauge("node_disk_info", 1,
            {{"device", device},
             {"major", std::string(fields[0])},
             {"minor", std::string(fields[1])},
             {"model", property(udev, {"ID_MODEL"})},
             {"path", property(udev, {"ID_PATH"})},
             {"revision", property(udev, {"ID_REVISION"})},
             {"rotational", rotational.value_or(0) != 0 ? "1" : "0"},
             // The first is what is printed on the disk; virtio disks have only the last.
             {"serial", property(udev, {"SCSI_IDENT_SERIAL", "ID_SERIAL_SHORT", "ID_SERIAL"})},
             {"wwn", property(udev, {"ID_WWN"})}}));
  if (const auto type = property(udev, {"ID_FS_TYPE"}); !type.empty()) {
    samples.push_back(gauge("node_disk_filesystem_info", 1,
                            {{"device", device},
                             {"type", type},
                             {"usage", property(udev, {"ID_FS_USAGE"})},
                             {"uuid", property(udev, {"ID_FS_UUID"})},
                             {"version", property(udev, {"ID_FS_VERSION"})}}));
  }
  if (const auto name = property(udev, {"DM_NAME"}); !name.empty()) {
    samples.push_back(gauge("node_disk_device_mapper_info", 1,
                            {{"device", device},
                             {"lv_layer", property(udev, {"DM_LV_LAYER"})},
                             {"lv_name", property(udev, {"DM_LV_NAME"})},
                             {"name", name},
                             {"uuid", property(udev, {"DM_UUID"})},
                             {"vg_name", property(udev, {"DM_VG_NAME"})}}));
  }
  add_ata(udev, device, samples);
}

Result<model::Samples> read(const Host& host) {
  const std::string text = TRY(read_host_file(host, "proc/diskstats"));
  const Folder block(host.root / "sys/block");
  model::Samples samples;
  for (const auto line : split(text, '\n')) {
    const auto fields = words(line);
    if (fields.size() < 3 || is_minor_disk(fields[2])) continue;
    add_disk(host, block, fields, samples);
  }
  return samples;
}

}  // namespace

Collector disk_info() {
  return {.summary = "what each disk is", .period = std::chrono::seconds(60), .read = read};
}

}  // namespace auscult::collect
