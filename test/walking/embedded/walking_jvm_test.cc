// Tests uses of the walking service in a JVM that has no recording.
#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <string>
#include <utility>

#include "jvm/embedded/embedded_jvm.h"
#include "jvm/object_fields.h"
#include "sigsafe/os/guarded_load.h"
#include "sigsafe/stack/walk_environment.h"
#include "walking/walking.h"

namespace jprof {
namespace {

using Handler = void (*)(int, siginfo_t*, void*);

Handler HandlerOfFaults() {
  struct sigaction action {};
  sigaction(SIGSEGV, nullptr, &action);
  return action.sa_sigaction;
}

bool BadLoadIsCaught() {
  uint64_t value = 0;
  return !GuardedLoad(uint64_t{64}, &value);
}

// Calls body(walking, report) with the service of a fresh JVM.
template <typename Body>
std::string RunWithWalking(const std::string& libjvm, const std::vector<std::string>& options,
                           Body body) {
  return RunInJvm(libjvm, options, [&](JNIEnv* env, ChildReport* report) {
    const Result<VmStructs> structs = LoadVmStructs();
    if (!structs) return report->Expect(false, structs.error().message());
    // The offset 8 is arbitrary, because no Java thread is walked.
    const HotspotReading hotspot = ReadHotspot(structs.value(), 8, 17, ObjectFields(env));
    if (!hotspot.walk) return report->Expect(false, hotspot.walk.error().message());
    auto* const walking = new Walking(structs.value(), hotspot, nullptr);
    body(*walking, *report);
  });
}

class WalkingJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(WalkingJvmTest, FaultsAreCaughtUntilTheLastUseEnds) {
  EXPECT_EQ(RunWithWalking(GetParam(), {},
                           [](Walking& walking, ChildReport& report) {
                             const Handler own = HandlerOfFaults();
                             std::optional<Result<Walking::Use>> first = walking.Begin();
                             std::optional<Result<Walking::Use>> second = walking.Begin();
                             report.Expect(first->ok() && second->ok(), "a use did not begin");
                             report.Expect(HandlerOfFaults() != own, "no handler of ours");
                             report.Expect(TheWalkEnvironment().faults == LoadFaults::kCaught,
                                           "walks do not know that faults are caught");
                             report.Expect(walking.tables_thread().has_value(), "no tables");
                             first.reset();
                             report.Expect(BadLoadIsCaught(), "not caught for the second use");
                             report.Expect(walking.tables_thread().has_value(), "tables are gone");
                             second.reset();
                             report.Expect(HandlerOfFaults() == own, "the handler stays");
                             report.Expect(TheWalkEnvironment().faults == LoadFaults::kFatal,
                                           "walks rely on caught faults");
                             report.Expect(!walking.tables_thread(), "the tables' thread stays");
                           }),
            "");
}

TEST_P(WalkingJvmTest, AUseAfterTheLastOneBeginsTheServiceAgain) {
  EXPECT_EQ(RunWithWalking(GetParam(), {},
                           [](Walking& walking, ChildReport& report) {
                             for (int i = 0; i < 3; ++i) {
                               const Result<Walking::Use> use = walking.Begin();
                               report.Expect(use.ok() && BadLoadIsCaught(), "not caught");
                             }
                           }),
            "");
}

TEST_P(WalkingJvmTest, AUseFailsWhereTheJvmWatchesItsHandlers) {
  EXPECT_EQ(RunWithWalking(GetParam(), {"-Xcheck:jni"},
                           [](Walking& walking, ChildReport& report) {
                             const Handler own = HandlerOfFaults();
                             const Result<Walking::Use> use = walking.Begin();
                             report.Expect(!use.ok(), "the use began");
                             report.Expect(HandlerOfFaults() == own, "the handler was changed");
                           }),
            "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, WalkingJvmTest, testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
