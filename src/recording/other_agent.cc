#include "recording/other_agent.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/agent_contract.h"
#include "os/loaded_objects.h"
#include "os/task_list.h"

namespace jprof {
namespace {

constexpr std::string_view kFileName = "libprofiler.so";

bool Contains(const ObjectCopy& object, const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  return std::ranges::any_of(object.headers, [&](const ElfW(Phdr) & segment) {
    const uintptr_t begin = object.load_bias + segment.p_vaddr;
    return segment.p_type == PT_LOAD && at >= begin && at < begin + segment.p_memsz;
  });
}

// Returns the path of another copy of this library, empty if there is none.
std::string PathOfOther() {
  const auto* const own_code = reinterpret_cast<const void*>(&PathOfOther);
  for (ObjectCopy& object : LoadedObjects()) {
    if (object.path.ends_with(kFileName) && !Contains(object, own_code)) {
      return std::move(object.path);
    }
  }
  return {};
}

bool HasRecorderThread() {
  const Result<std::vector<Tid>> tasks = ListTasks();
  if (!tasks) return false;
  for (const Tid tid : tasks.value()) {
    if (TaskName(tid) == kRecorderThreadName) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> FindRecordingAgent() {
  std::string other = PathOfOther();
  if (other.empty() || !HasRecorderThread()) return std::nullopt;
  return other;
}

}  // namespace jprof
