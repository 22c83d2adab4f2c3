#include <gtest/gtest.h>

#include "bench/host_tree.h"
#include "bench/preflight/check_for_test.h"

namespace auscult::bench {
namespace {

using Verdict = PreflightFinding::Verdict;

// A host whose default route leaves by eth0.
class RoutedTree : public HostTree {
 public:
  RoutedTree() : HostTree(testing::TempDir()) {
    write("proc/net/route",
          "Iface\tDestination\tGateway\nlo\t0000007F\t00000000\neth0\t00000000\t0102A8C0\n");
    write("sys/class/net/eth0/ifindex", "2\n");
  }
};

TEST(ContainerBridge, a_card_is_clear) {
  RoutedTree tree;
  tree.write("sys/class/net/eth0/iflink", "2\n");
  EXPECT_EQ(check_named("container_bridge", {.root = tree.root()}).verdict, Verdict::clear);
}

TEST(ContainerBridge, one_end_of_a_virtual_pair_is_a_warning) {
  RoutedTree tree;
  tree.write("sys/class/net/eth0/iflink", "17\n");
  EXPECT_EQ(check_named("container_bridge", {.root = tree.root()}).verdict, Verdict::warning);
}

TEST(ContainerBridge, a_vlan_is_not_taken_for_a_virtual_pair) {
  RoutedTree tree;
  tree.write("sys/class/net/eth0/iflink", "3\n")
      .write("sys/class/net/eth0/lower_eno1/ifindex", "3\n");
  EXPECT_EQ(check_named("container_bridge", {.root = tree.root()}).verdict, Verdict::clear);
}

TEST(ContainerBridge, a_bridge_is_a_warning) {
  RoutedTree tree;
  tree.write("sys/class/net/eth0/iflink", "2\n")
      .write("sys/class/net/eth0/bridge/bridge_id", "x\n");
  const auto finding = check_named("container_bridge", {.root = tree.root()});
  EXPECT_EQ(finding.verdict, Verdict::warning);
  EXPECT_NE(finding.message.find("a bridge"), std::string::npos) << finding.message;
}

TEST(ContainerBridge, no_route_is_no_data) {
  const HostTree tree(testing::TempDir());
  EXPECT_EQ(check_named("container_bridge", {.root = tree.root()}).verdict, Verdict::no_data);
}

}  // namespace
}  // namespace auscult::bench
