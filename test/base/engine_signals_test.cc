#include "base/engine_signals.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace jprof {
namespace {

TEST(EngineSignalsTest, ASignalHasANumberAndTwoNames) {
  EXPECT_EQ(FindCpuSignal("SIGSTKFLT"), SIGSTKFLT);
  EXPECT_EQ(FindCpuSignal("stkflt"), SIGSTKFLT);
  EXPECT_EQ(FindCpuSignal("27"), SIGPROF);
  for (const SignalRow& row : kCpuSignals) {
    EXPECT_EQ(FindCpuSignal(row.name), row.number);
    EXPECT_EQ(FindCpuSignal(SignalName(row.number)), row.number);
  }
}

TEST(EngineSignalsTest, FindsNoSignalForAnyOtherText) {
  for (const char* text : {"", "SIG", "PRO", "SIGPROFF", "SIGSIGPROF", "027", "+27", "11",
                           "SIGKILL", "SIGVTALRM", "26"}) {
    EXPECT_EQ(FindCpuSignal(text), std::nullopt) << text;
  }
}

TEST(EngineSignalsTest, NoSignalIsRealTimeAndAllMaskEachOther) {
  for (const SignalRow& row : kCpuSignals) {
    EXPECT_LT(row.number, SIGRTMIN);
    EXPECT_NE(row.number, kWallSignal);
    EXPECT_EQ(std::ranges::count(kEngineSignals, row.number), 1);
  }
  EXPECT_EQ(std::ranges::count(kEngineSignals, kWallSignal), 1);
  EXPECT_EQ(SignalName(kWallSignal), "SIGVTALRM");
}

}  // namespace
}  // namespace jprof
