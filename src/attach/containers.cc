#include "attach/containers.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>
#include <memory>
#include <optional>
#include <set>

#include "attach/container_state.h"
#include "base/result.h"
#include "base/scoped_fd.h"
#include "os/process_information.h"
#include "os/read_file.h"

namespace jprof {
namespace {

constexpr size_t kMostConfigBytes = size_t{4} << 20;
constexpr size_t kMostPidBytes = 64;
constexpr size_t kMostContainers = 20000;
constexpr size_t kFullId = 64;
constexpr size_t kShownId = 12;

// The folders of containerd's tasks, with folders <namespace>/<id>. In each are init.pid
// (cmd/containerd-shim-runc-v2/process/init.go in containerd/containerd) and config.json
// (core/runtime/v2/bundle.go). K3s and the containerd that dockerd starts use other folders.
constexpr const char* kTaskFolders[] = {
    "/run/containerd/io.containerd.runtime.v2.task",
    "/run/k3s/containerd/io.containerd.runtime.v2.task",
    "/run/docker/containerd/daemon/io.containerd.runtime.v2.task",
};

// Docker's namespace of containerd, and the folder in which Docker keeps names.
constexpr std::string_view kDockerNamespace = "moby";
constexpr const char* kDockerFolder = "/var/lib/docker/containers";

// The folders of containers/storage, which CRI-O and Podman use. In both is a folder for each storage
// driver, such as overlay-containers, and in <driver>-containers/<id>/userdata of the first is a file
// `pidfile` (internal/oci/runtime_oci.go in cri-o/cri-o). CRI-O has config.json next to it. Podman
// has config.json in the same place of the second folder, in which containers/storage keeps names
// (containers.go).
constexpr const char* kRunFolder = "/run/containers/storage";
constexpr const char* kStorageFolder = "/var/lib/containers/storage";
constexpr std::string_view kContainersOfDriver = "-containers";

// A folder that stays open, so that another user cannot replace it while it is read.
class StateFolder {
 public:
  // Opens a folder by its path; follows links, because the path is one that root has set up.
  static StateFolder At(const std::string& path) {
    return StateFolder(ScopedFd(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)));
  }

  // Opens a folder in this folder; follows no link.
  StateFolder Inner(const std::string& name) const {
    if (!fd_.valid()) return StateFolder(ScopedFd());
    return StateFolder(
        ScopedFd(openat(fd_.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)));
  }

  bool exists() const { return fd_.valid(); }

  // Returns the names of the entries in order, without those that begin with '.': containerd renames
  // a folder to such a name while it is removed. Returns nullopt if the user may not read the
  // folder.
  std::optional<std::vector<std::string>> Names() const {
    std::vector<std::string> names;
    struct Close {
      void operator()(DIR* folder) const { closedir(folder); }
    };
    const std::unique_ptr<DIR, Close> folder(opendir(Path("").c_str()));
    if (folder == nullptr) return std::nullopt;
    while (const dirent* entry = readdir(folder.get())) {
      if (names.size() == kMostContainers) break;
      if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  // Opens a regular file of this folder.
  Result<ScopedFd> File(const std::string& name) const {
    if (!fd_.valid()) return Error("there is no folder");
    return OpenRegularFile(Path(name), LastLink::kRefuse);
  }

  // Returns the content of a regular file of this folder.
  Result<std::string> Text(const std::string& name, size_t max_bytes) const {
    const Result<ScopedFd> file = File(name);
    if (!file) return file.error();
    return ReadFile("/proc/self/fd/" + std::to_string(file.value().get()), max_bytes);
  }

 private:
  explicit StateFolder(ScopedFd fd) : fd_(std::move(fd)) {}

  std::string Path(const std::string& name) const {
    return "/proc/self/fd/" + std::to_string(fd_.get()) + "/" + name;
  }

  ScopedFd fd_;
};

std::string ProcText(pid_t pid, const char* name) {
  Result<std::string> text = ReadFile("/proc/" + std::to_string(pid) + "/" + name);
  return text ? std::move(text).value() : std::string();
}

bool IsHexadecimal(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Calls `visit` for the name of each cgroup on the path, without ".scope", from the root on. Stops
// and returns true if `visit` returns true.
template <typename Visit>
bool AnyCgroup(std::string_view text, Visit visit) {
  constexpr std::string_view kScope = ".scope";
  while (!text.empty()) {
    // systemd's paths can have "system.slice:docker:<id>" if Docker was set up for cgroupfs.
    const size_t end = text.find_first_of("/:\n");
    std::string_view name = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (name.ends_with(kScope)) name.remove_suffix(kScope.size());
    if (!name.empty() && visit(name)) return true;
  }
  return false;
}

// True if a cgroup has the name `id`, or, if this is a full id, also a name such as docker-<id>.
bool HasCgroupOf(std::string_view cgroup, std::string_view id) {
  return AnyCgroup(cgroup, [id](std::string_view name) {
    if (name == id) return true;
    return id.size() == kFullId && IsHexadecimal(id) && name.size() > kFullId &&
           name.ends_with(id) && name[name.size() - kFullId - 1] == '-';
  });
}

// Returns the time at which a process started, in seconds of the wall clock as it is now.
std::optional<double> StartOf(pid_t pid) {
  const Result<int64_t> ticks = ParseStartTicks(ProcText(pid, "stat"));
  timespec boot{};
  timespec wall{};
  if (!ticks || clock_gettime(CLOCK_BOOTTIME, &boot) != 0) return std::nullopt;
  if (clock_gettime(CLOCK_REALTIME, &wall) != 0) return std::nullopt;
  const auto seconds = [](const timespec& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double age = seconds(boot) -
                     static_cast<double>(ticks.value()) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return seconds(wall) - age;
}

// Returns the pid in a file, unless the process has ended and its pid now belongs to another one.
// The process is the one that the file means if its cgroup has the id of the container, or if it
// started before the file was written.
pid_t InitPid(const StateFolder& folder, const std::string& file, const std::string& id) {
  // A clock that is set after the file was written moves the two times apart.
  constexpr double kSlackSeconds = 2;
  const Result<ScopedFd> opened = folder.File(file);
  struct stat info;
  if (!opened || fstat(opened.value().get(), &info) != 0) return 0;
  const Result<std::string> text = folder.Text(file, kMostPidBytes);
  const std::optional<pid_t> pid = text ? ParsePidFile(text.value()) : std::nullopt;
  if (!pid) return 0;
  if (HasCgroupOf(ProcText(*pid, "cgroup"), id)) return *pid;
  const std::optional<double> start = StartOf(*pid);
  if (!start) return 0;
  return *start <= static_cast<double>(info.st_mtim.tv_sec) + kSlackSeconds ? *pid : 0;
}

// Returns the names of a container from a file; no names if the file cannot be read or parsed.
std::optional<ContainerNames> NamesIn(const StateFolder& folder, const std::string& file,
                                      Result<ContainerNames> (*parse)(std::string_view)) {
  const Result<std::string> text = folder.Text(file, kMostConfigBytes);
  if (!text) return std::nullopt;
  Result<ContainerNames> names = parse(text.value());
  return names ? std::optional(std::move(names).value()) : std::nullopt;
}

Container ContainerOf(const std::string& id, const ContainerNames& names, std::string runtime) {
  Container container;
  container.id = id;
  container.name = names.name;
  container.pod = names.pod;
  container.pod_namespace = names.pod_namespace;
  container.runtime = std::move(runtime);
  return container;
}

// StateReader: reads the state files below a root folder into a ContainerList.
class StateReader {
 public:
  explicit StateReader(std::string root) : root_(std::move(root)) {}

  ContainerList Read() {
    for (const char* path : kTaskFolders) ReadTasks(path);
    ReadStorage();
    return std::move(list_);
  }

 private:
  // Returns the entries of a folder. If the user may not read it, notes its path.
  std::vector<std::string> NamesOf(const StateFolder& folder, const std::string& path) {
    if (!folder.exists()) {
      if (errno == EACCES) list_.unreadable.push_back(path);
      return {};
    }
    std::optional<std::vector<std::string>> names = folder.Names();
    if (!names) list_.unreadable.push_back(path);
    return names ? std::move(*names) : std::vector<std::string>();
  }

  void ReadTasks(const std::string& path) {
    const StateFolder tasks = StateFolder::At(root_ + path);
    for (const std::string& space : NamesOf(tasks, path)) {
      const StateFolder folder = tasks.Inner(space);
      for (const std::string& id : NamesOf(folder, path + "/" + space)) ReadTask(folder, space, id);
    }
  }

  void ReadTask(const StateFolder& space_folder, const std::string& space, const std::string& id) {
    const StateFolder folder = space_folder.Inner(id);
    std::optional<ContainerNames> names = NamesIn(folder, "config.json", ParseOciConfig);
    const bool is_docker = space == kDockerNamespace;
    if (is_docker) {
      const StateFolder docker = StateFolder::At(root_ + kDockerFolder).Inner(id);
      auto known = NamesIn(docker, "config.v2.json", ParseDockerConfig);
      if (known) names = std::move(known);
    }
    Add(ContainerOf(id, names.value_or(ContainerNames()), is_docker ? "docker" : "containerd"),
        names, InitPid(folder, "init.pid", id));
  }

  void ReadStorage() {
    const StateFolder run = StateFolder::At(root_ + kRunFolder);
    const StateFolder storage = StateFolder::At(root_ + kStorageFolder);
    for (const std::string& name : NamesOf(run, kRunFolder)) {
      if (!name.ends_with(kContainersOfDriver)) continue;
      const StateFolder folder = run.Inner(name);
      ReadDriver(NamesOf(folder, kRunFolder + ("/" + name)), folder, storage.Inner(name));
    }
  }

  void ReadDriver(const std::vector<std::string>& ids, const StateFolder& run,
                  const StateFolder& storage) {
    const std::map<std::string, std::string> stored = StoredNames(storage);
    for (const std::string& id : ids) {
      const StateFolder folder = run.Inner(id).Inner("userdata");
      if (!folder.exists()) continue;
      std::optional<ContainerNames> names = NamesIn(folder, "config.json", ParseOciConfig);
      if (!names) {
        names = NamesIn(storage.Inner(id).Inner("userdata"), "config.json", ParseOciConfig);
      }
      Container container = ContainerOf(id, names.value_or(ContainerNames()), "cri-o");
      if (names && names->manager == "libpod") container.runtime = "podman";
      const auto name = stored.find(id);
      if (container.name.empty() && name != stored.end()) container.name = name->second;
      Add(std::move(container), names, InitPid(folder, "pidfile", id));
    }
  }

  static std::map<std::string, std::string> StoredNames(const StateFolder& storage) {
    std::map<std::string, std::string> stored;
    for (const char* file : {"containers.json", "volatile-containers.json"}) {
      const Result<std::string> text = storage.Text(file, kMaxSmallFile);
      if (!text) continue;
      Result<std::map<std::string, std::string>> names = ParseStorageNames(text.value());
      if (names) stored.merge(std::move(names).value());
    }
    return stored;
  }

  void Add(Container container, const std::optional<ContainerNames>& names, pid_t init_pid) {
    if (names && names->is_sandbox) return;
    if (list_.containers.size() == kMostContainers) return;
    container.init_pid = init_pid;
    list_.containers.push_back(std::move(container));
  }

  const std::string root_;
  ContainerList list_;
};

template <typename Predicate>
std::vector<Container> ThoseOf(const std::vector<Container>& containers, Predicate fits) {
  std::vector<Container> found;
  std::copy_if(containers.begin(), containers.end(), std::back_inserter(found), fits);
  return found;
}

// Returns the name of the process's pid namespace; "" if the process has ended or must not be
// inspected.
std::string PidNamespaceOf(const std::string& process) {
  char name[NAME_MAX];
  const ssize_t size = readlink(("/proc/" + process + "/ns/pid").c_str(), name, sizeof name);
  return size > 0 ? std::string(name, static_cast<size_t>(size)) : std::string();
}

}  // namespace

std::string Container::ShownName() const {
  if (name.empty()) return id.substr(0, kShownId);
  return pod.empty() ? name : pod + "/" + name;
}

ContainerList ListContainers(const std::string& root) { return StateReader(root).Read(); }

std::vector<Container> MatchingContainers(const std::vector<Container>& containers,
                                          std::string_view text) {
  constexpr size_t kShortestId = 4;
  std::vector<Container> named = ThoseOf(containers, [text](const Container& each) {
    return !text.empty() && (each.name == text || each.ShownName() == text || each.id == text);
  });
  if (!named.empty() || text.size() < kShortestId || !IsHexadecimal(text)) return named;
  return ThoseOf(containers, [text](const Container& each) { return each.id.starts_with(text); });
}

std::vector<Container> ContainersOfPod(const std::vector<Container>& containers,
                                       std::string_view text) {
  const bool has_namespace = text.find('/') != std::string_view::npos;
  const auto in = [&](const auto& fits) {
    return ThoseOf(containers, [&](const Container& each) {
      if (each.pod.empty()) return false;
      return fits(has_namespace ? each.pod_namespace + "/" + each.pod : each.pod);
    });
  };
  std::vector<Container> exact = in([text](const std::string& pod) { return pod == text; });
  if (!exact.empty() || text.empty()) return exact;
  const std::string start = std::string(text) + "-";
  return in([&start](const std::string& pod) { return pod.starts_with(start); });
}

std::string ContainerIdIn(std::string_view cgroup) {
  std::string id;
  AnyCgroup(cgroup, [&id](std::string_view name) {
    if (name.size() < kFullId) return false;
    const std::string_view end = name.substr(name.size() - kFullId);
    const bool is_id = name.size() == kFullId || name[name.size() - kFullId - 1] == '-';
    if (is_id && IsHexadecimal(end)) id = end;
    return false;  // the innermost container is the last one on the path
  });
  return id;
}

ContainerFinder::ContainerFinder(const std::string& root) : list_(ListContainers(root)) {
  const std::string own = PidNamespaceOf("self");
  for (size_t i = 0; i < list_.containers.size(); ++i) {
    const pid_t init = list_.containers[i].init_pid;
    if (init == 0) continue;
    const std::string space = PidNamespaceOf(std::to_string(init));
    if (!space.empty() && space != own) by_pid_namespace_[space].push_back(i);
  }
}

const Container* ContainerFinder::InCgroup(std::string_view cgroup) const {
  const auto found = std::ranges::find_if(
      list_.containers, [cgroup](const Container& each) { return HasCgroupOf(cgroup, each.id); });
  return found == list_.containers.end() ? nullptr : &*found;
}

const Container* ContainerFinder::Of(pid_t pid) const {
  if (list_.containers.empty()) return nullptr;
  const std::string cgroup = ProcText(pid, "cgroup");
  const Container* const named = InCgroup(cgroup);
  // A full id of no container in the list is that of a sandbox, or of another runtime's container.
  if (named != nullptr || !ContainerIdIn(cgroup).empty()) return named;
  for (const Container& each : list_.containers) {
    if (each.init_pid == pid) return &each;
  }
  const auto sharing = by_pid_namespace_.find(PidNamespaceOf(std::to_string(pid)));
  if (sharing == by_pid_namespace_.end() || sharing->second.size() != 1) return nullptr;
  return &list_.containers[sharing->second.front()];
}

std::string ContainerFinder::NameOf(pid_t pid) const {
  const Container* const container = Of(pid);
  if (container != nullptr) return container->ShownName();
  return ContainerIdIn(ProcText(pid, "cgroup")).substr(0, kShownId);
}

}  // namespace jprof
