#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/engine_signals.h"
#include "engines/cpu/cpu_choice.h"

namespace jprof {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

void OtherHandler(int) {}

class CpuSignalTest : public testing::Test {
 protected:
  ~CpuSignalTest() override {
    for (const SignalRow& row : kCpuSignals) signal(row.number, SIG_DFL);
  }
};

TEST_F(CpuSignalTest, TakesSigprofIfItHasNoHandler) {
  const Result<CpuSignalChoice> choice = ChooseCpuSignal(std::nullopt);
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice.value().signal, SIGPROF);
  EXPECT_EQ(choice.value().refused, "");
}

TEST_F(CpuSignalTest, TakesTheFirstFreeSignalAndNamesUsedOnes) {
  signal(SIGPROF, OtherHandler);
  const Result<CpuSignalChoice> second = ChooseCpuSignal(std::nullopt);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second.value().signal, SIGSTKFLT);
  EXPECT_THAT(second.value().refused,
              AllOf(HasSubstr("SIGPROF is handled already, by "), HasSubstr("engines_cpu_test"),
                    Not(HasSubstr("Flight Recorder"))));
  signal(SIGSTKFLT, OtherHandler);
  const Result<CpuSignalChoice> third = ChooseCpuSignal(std::nullopt);
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(third.value().signal, SIGPWR);
  EXPECT_THAT(third.value().refused, HasSubstr("SIGSTKFLT is handled already"));
}

TEST_F(CpuSignalTest, WithoutAFreeSignalTheErrorNamesAllOfThem) {
  for (const SignalRow& row : kCpuSignals) signal(row.number, OtherHandler);
  const Result<CpuSignalChoice> none = ChooseCpuSignal(std::nullopt);
  ASSERT_FALSE(none.ok());
  for (const SignalRow& row : kCpuSignals) {
    EXPECT_THAT(none.error().message(), HasSubstr(std::string(row.name) + " is handled already"));
  }
}

TEST_F(CpuSignalTest, NeverReplacesTheRequestedSignal) {
  EXPECT_EQ(ChooseCpuSignal(SIGPWR).value().signal, SIGPWR);
  signal(SIGPWR, OtherHandler);
  const Result<CpuSignalChoice> taken = ChooseCpuSignal(SIGPWR);
  ASSERT_FALSE(taken.ok());
  EXPECT_THAT(taken.error().message(), HasSubstr("SIGPWR is handled already, by "));
}

}  // namespace
}  // namespace jprof
