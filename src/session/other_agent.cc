#include "session/other_agent.h"

#include <string_view>
#include <vector>

#include "base/agent_contract.h"
#include "os/loaded_objects.h"
#include "os/task_list.h"

namespace jprof {
namespace {

constexpr std::string_view kFileName = "libprofiler.so";

struct Search {
  const void* own_code;
  std::string other;
};

bool Contains(const dl_phdr_info& library, const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = library.dlpi_phdr[i];
    const uintptr_t begin = library.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && at >= begin && at < begin + segment.p_memsz) return true;
  }
  return false;
}

int KeepPathOfOther(dl_phdr_info* info, size_t, void* out) {
  auto* search = static_cast<Search*>(out);
  const std::string_view path(info->dlpi_name != nullptr ? info->dlpi_name : "");
  if (!path.ends_with(kFileName) || Contains(*info, search->own_code)) return 0;
  search->other = path;
  return 1;
}

bool ARecorderIsRunning() {
  const Result<std::vector<Tid>> tasks = ListTasks();
  if (!tasks) return false;
  for (const Tid tid : tasks.value()) {
    if (TaskName(tid) == kRecorderThreadName) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> OtherAgentAtWork() {
  Search search{reinterpret_cast<const void*>(&KeepPathOfOther), {}};
  WalkLoadedObjects(KeepPathOfOther, &search);
  if (search.other.empty() || !ARecorderIsRunning()) return std::nullopt;
  return search.other;
}

}  // namespace jprof
