// ListContainers: the containers of this machine, as the state files of their runtimes describe
// them. ContainerFinder finds the container of a process.
//
// Knows containerd (also that of Docker, nerdctl and K3s), CRI-O and Podman. Reads files and
// interacts with no runtime. Used on jprof's only thread.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace jprof {

struct Container {
  std::string id;
  std::string name;           // empty if the state files have no name
  std::string pod;            // name of the Kubernetes pod; empty if the container is in no pod
  std::string pod_namespace;  // Kubernetes namespace of the pod
  std::string runtime;        // "containerd", "docker", "cri-o" or "podman"
  pid_t init_pid = 0;         // pid of the first process of the container; 0 if it has ended

  // Returns the name by which a user can choose the container: POD/NAME, NAME, or the first 12
  // characters of the id.
  std::string ShownName() const;
};

struct ContainerList {
  std::vector<Container> containers;    // in the order of the folders; without sandboxes of pods
  std::vector<std::string> unreadable;  // folders of runtimes that this user may not read
};

// Returns the containers of which the state files are below the folder `root`, which is "" for the
// root folder of this process. No symbolic link below the folder of a runtime is followed, and only
// regular files of a limited size are read.
ContainerList ListContainers(const std::string& root);

// Returns the containers that `text` denotes: by their name, by POD/NAME, by their whole id, or, if
// there are no such containers, by the beginning of the id, of at least 4 hexadecimal digits.
std::vector<Container> MatchingContainers(const std::vector<Container>& containers,
                                          std::string_view text);

// Returns the containers of the pods that `text` denotes: by NAME or NAMESPACE/NAME, or, if there
// are no such pods, by the beginning of the name up to a '-'. For example, `shop` denotes the pod
// shop-7f8d9c-x2k4p, because Kubernetes appends such words to the name of a Deployment.
std::vector<Container> ContainersOfPod(const std::vector<Container>& containers,
                                       std::string_view text);

// Returns the id of a container in the content of /proc/<pid>/cgroup: the last 64 hexadecimal
// digits that end the name of a cgroup. Returns "" if there is no such name.
std::string ContainerIdIn(std::string_view cgroup);

// ContainerFinder: finds the container of a process.
//
// The name of the cgroup decides, because runtimes put the id of the container into it. A process
// whose cgroup has no id is in the container that has the process's pid namespace, if no other
// container shares this namespace, and it is not jprof's own.
class ContainerFinder {
 public:
  // Lists the containers below `root`, as ListContainers does.
  explicit ContainerFinder(const std::string& root);

  const ContainerList& list() const { return list_; }

  // Returns the container of a process; nullptr if it is in none of the list.
  const Container* Of(pid_t pid) const;

  // Returns the ShownName of the process's container, or, if no state file describes it, the first
  // 12 digits of the id in the name of its cgroup. Returns "" if the process is in no container.
  std::string NameOf(pid_t pid) const;

 private:
  const Container* InCgroup(std::string_view cgroup) const;

  ContainerList list_;
  std::map<std::string, std::vector<size_t>> by_pid_namespace_;  // indexes of list_.containers
};

}  // namespace jprof
