// Which block devices are worth a series: node_exporter's default choice.
#pragma once

#include <string_view>

namespace auscult::collect {

// True for what node_exporter leaves out by default: RAM disks, loops, floppies, and partitions of
// hd, sd, vd, xvd and nvme disks. Its expression:
// ^(z?ram|loop|fd|(h|s|v|xv)d[a-z]|nvme\d+n\d+p)\d+$
bool is_minor_disk(std::string_view device);

}  // namespace auscult::collect
