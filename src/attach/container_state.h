// Parsers for the state files in which container runtimes describe their containers.
//
// The files are untrusted: they are parsed without recursion, so deeply nested JSON takes memory in
// proportion to its length and no stack. Thread-safe: no state.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace jprof {

// The names of a container, as its runtime or Kubernetes gave them. A name is empty if the file has
// none.
struct ContainerNames {
  std::string name;
  std::string pod;
  std::string pod_namespace;
  std::string manager;  // the program that made the container, such as "libpod" (Podman)
  // True if the container only holds the namespaces of its pod (the "pause" container).
  bool is_sandbox = false;
};

// Parses config.json, the file that describes a container to an OCI runtime such as runc. The names
// are in its annotations.
Result<ContainerNames> ParseOciConfig(std::string_view json);

// Parses config.v2.json, in which Docker describes a container. The names are "Name" and, if
// Kubernetes uses Docker, labels.
Result<ContainerNames> ParseDockerConfig(std::string_view json);

// Parses containers.json, in which the storage library of Podman and CRI-O lists its containers.
// Returns the first name of each container that has a name, by the id of the container.
Result<std::map<std::string, std::string>> ParseStorageNames(std::string_view json);

// Parses a file that has a pid and white space; returns nullopt if it has anything else.
std::optional<pid_t> ParsePidFile(std::string_view text);

}  // namespace jprof
