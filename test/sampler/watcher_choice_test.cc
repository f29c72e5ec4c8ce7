#include "sampler/watcher_choice.h"

#include <gtest/gtest.h>

#include <map>

namespace jprof {
namespace {

using Values = std::map<std::string, std::string>;

SwitchSource From(const Values& values) {
  return [values](const char* name) -> std::optional<std::string> {
    const auto value = values.find(name);
    return value == values.end() ? std::nullopt : std::optional(value->second);
  };
}

bool Wanted(std::optional<bool> option, const Values& properties, const Values& environment) {
  return WantsTaskWatcher(option, From(properties), From(environment));
}

TEST(WatcherChoiceTest, TheWatcherRunsByDefault) { EXPECT_TRUE(Wanted({}, {}, {})); }

TEST(WatcherChoiceTest, PrefersTheOptionThenThePropertyThenTheEnvironment) {
  EXPECT_FALSE(Wanted({}, {}, {{"JPROF_TLS_WATCHER", "0"}}));
  EXPECT_TRUE(Wanted({}, {{"jprof.tls.watcher", "1"}}, {{"JPROF_TLS_WATCHER", "0"}}));
  EXPECT_FALSE(Wanted(false, {{"jprof.tls.watcher", "1"}}, {}));
  EXPECT_TRUE(Wanted(true, {{"jprof.tls.watcher", "0"}}, {{"JPROF_TLS_WATCHER", "0"}}));
}

TEST(WatcherChoiceTest, AcceptsTheNameOfOtherProfilers) {
  EXPECT_FALSE(Wanted({}, {{"DD_PROFILER_TLS_WATCHER", "0"}}, {}));
  EXPECT_FALSE(Wanted({}, {}, {{"DD_PROFILER_TLS_WATCHER", "0"}}));
}

TEST(WatcherChoiceTest, IgnoresValuesOtherThanZeroAndOne) {
  EXPECT_TRUE(Wanted({}, {{"jprof.tls.watcher", "no"}}, {}));
  EXPECT_FALSE(Wanted({}, {{"jprof.tls.watcher", ""}}, {{"JPROF_TLS_WATCHER", "0"}}));
}

}  // namespace
}  // namespace jprof
