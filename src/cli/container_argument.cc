#include "cli/container_argument.h"

#include <algorithm>
#include <array>
#include <vector>

#include "attach/containers.h"
#include "attach/jvm_list.h"
#include "cli/plain_table.h"
#include "cli/target_argument.h"
#include "options/error_text.h"

namespace jprof {
namespace {

std::string OrNone(const std::string& text) { return text.empty() ? "-" : text; }

constexpr auto kContainerColumns = std::to_array<TableColumn<Container>>({
    {"CONTAINER", [](const Container& each) { return each.id.substr(0, 12); }},
    {"NAME", [](const Container& each) { return OrNone(each.name); }},
    {"POD", [](const Container& each) { return OrNone(each.pod); }},
    {"NAMESPACE", [](const Container& each) { return OrNone(each.pod_namespace); }},
    {"RUNTIME", [](const Container& each) { return each.runtime; }},
    {"PID",
     [](const Container& each) {
       return each.init_pid == 0 ? std::string("-") : std::to_string(each.init_pid);
     }},
});

Failure WithContainers(const std::string& message, const std::vector<Container>& containers) {
  return NoProcessWithTable(message, PlainTable<Container>(kContainerColumns, containers));
}

// Returns the failure for a name that no container or pod has.
Failure NothingFound(const std::string& wanted, const ContainerList& list) {
  if (!list.unreadable.empty()) {
    return {FailureKind::kPermission,
            "jprof may not read the state of the containers in " + list.unreadable.front() +
                ": run jprof as root, or give the pid of the JVM (jprof list)"};
  }
  if (list.containers.empty()) {
    return {FailureKind::kNoProcess,
            "there is no " + wanted +
                ": containerd, Docker, CRI-O and Podman have no containers on this machine"};
  }
  return WithContainers("there is no " + wanted + " on this machine", list.containers);
}

bool IsSame(const Container& a, const Container& b) {
  return a.id == b.id && a.runtime == b.runtime;
}

}  // namespace

Failure NoProcessWithTable(const std::string& message, const std::string& table) {
  return {FailureKind::kNoProcess, message + '\n' + table.substr(0, table.size() - 1)};
}

Outcome<pid_t> FindInContainer(CliOption option, const std::string& text) {
  const ContainerFinder finder("");
  const ContainerList& list = finder.list();
  const bool is_pod = option == CliOption::kPod;
  const std::vector<Container> wanted =
      is_pod ? ContainersOfPod(list.containers, text) : MatchingContainers(list.containers, text);
  const std::string name = (is_pod ? "pod " : "container ") + Quote(text);
  if (wanted.empty()) return NothingFound(name, list);
  std::vector<JvmDescription> found;
  for (const JvmDescription& jvm : ListJvms()) {
    const Container* const container = finder.Of(jvm.pid);
    const bool is_in =
        container != nullptr && std::ranges::any_of(wanted, [container](const Container& each) {
          return IsSame(each, *container);
        });
    if (is_in) found.push_back(jvm);
  }
  if (found.size() == 1) return found.front().pid;
  if (found.empty()) return WithContainers("no JVM runs in " + name, wanted);
  NameContainers(finder, &found);
  return NoProcessWithTable(std::to_string(found.size()) + " JVMs run in " + name +
                                ": give the pid of one in place of --" +
                                std::string(NameOf(option)),
                            JvmTable(found));
}

}  // namespace jprof
