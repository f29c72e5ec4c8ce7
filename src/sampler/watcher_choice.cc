#include "sampler/watcher_choice.h"

#include <initializer_list>

#include "base/log.h"

namespace jprof {
namespace {

// The name of the same switch in Datadog's profiler, for users who know that profiler.
constexpr char kCommonName[] = "DD_PROFILER_TLS_WATCHER";

std::optional<bool> FirstSet(const SwitchSource& source, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const std::optional<std::string> value = source(name);
    if (!value) continue;
    if (value == "0" || value == "1") return value == "1";
    Log::Warn("%s is neither 0 nor 1 and is passed over: %s", name, value->c_str());
  }
  return std::nullopt;
}

}  // namespace

bool WantsTaskWatcher(std::optional<bool> option, const SwitchSource& property,
                      const SwitchSource& environment) {
  if (option) return *option;
  if (const auto set = FirstSet(property, {"jprof.tls.watcher", kCommonName})) return *set;
  return FirstSet(environment, {"JPROF_TLS_WATCHER", kCommonName}).value_or(true);
}

}  // namespace jprof
