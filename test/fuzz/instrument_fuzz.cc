// libFuzzer target: no class file makes AddProbes crash, or write a class that it cannot read. The
// input is the class file.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "instrument/add_probes.h"

namespace {

using jprof::instrument::NotProbed;
using jprof::instrument::ProbeReport;

constexpr jprof::instrument::ProbeTarget kTimes{"jprof/Probes"};
constexpr jprof::instrument::ProbeTarget kCounts{.class_name = "jprof/Probes", .exit = {}};

jprof::Result<std::vector<uint8_t>> Probe(std::span<const uint8_t> bytes, ProbeReport& report,
                                          const jprof::instrument::ProbeTarget& target = kTimes) {
  uint32_t id = 32000;  // below the limit of sipush at first, above it later
  return jprof::instrument::AddProbes(
      bytes, target, [&id](const jprof::instrument::MethodToProbe&) { return id += 300; }, &report);
}

// True if `reason` only means that the class is too large. Such a reason can apply to a class that
// already has probes.
bool IsLimit(NotProbed reason) {
  return reason == NotProbed::kPoolFull || reason == NotProbed::kCodeTooLong ||
         reason == NotProbed::kBranchTooLong || reason == NotProbed::kTooManyLocals ||
         reason == NotProbed::kStackTooDeep || reason == NotProbed::kTooManyHandlers ||
         reason == NotProbed::kStackMapTooLarge || reason == NotProbed::kTooComplex;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ProbeReport report;
  const auto probed = Probe({data, size}, report);
  if (!probed.ok() || probed.value().empty()) return 0;
  ProbeReport second_report;
  const auto second = Probe({data, size}, second_report);
  if (!second.ok() || second.value() != probed.value()) __builtin_trap();

  ProbeReport of_counts;
  if (!Probe(probed.value(), of_counts, kCounts).ok()) __builtin_trap();

  ProbeReport of_output;
  if (!Probe(probed.value(), of_output).ok()) __builtin_trap();
  if (of_output.methods.size() != report.methods.size()) __builtin_trap();
  for (size_t i = 0; i < report.methods.size(); ++i) {
    const std::optional<NotProbed> again = of_output.methods[i].not_probed;
    if (!report.methods[i].not_probed && again && !IsLimit(*again)) __builtin_trap();
  }
  return 0;
}
