#include "attach/container_state.h"

#include <rapidjson/encodedstream.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <charconv>
#include <utility>
#include <vector>

namespace jprof {
namespace {

// The longest path that the parsers below look for is 3 keys long: Config, Labels and a label.
constexpr size_t kLongestPath = 3;

// A path of keys from the root of a JSON text; an array is the key "[]".
using Path = std::vector<std::string>;

// StringFinder: passes each string of a JSON text, with its path, to `visit`. Leaves out strings
// whose paths are longer than kLongestPath.
template <typename Visit>
class StringFinder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, StringFinder<Visit>> {
 public:
  explicit StringFinder(Visit visit) : visit_(std::move(visit)) {}

  bool StartObject() { return Open(""); }
  bool EndObject(rapidjson::SizeType) { return Close(); }
  bool StartArray() { return Open("[]"); }
  bool EndArray(rapidjson::SizeType) { return Close(); }

  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ <= kLongestPath) path_.back().assign(text, size);
    return true;
  }

  bool RawNumber(const char*, rapidjson::SizeType, bool) { return true; }

  bool String(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ <= kLongestPath) visit_(std::as_const(path_), std::string_view(text, size));
    return true;
  }

 private:
  bool Open(const char* key) {
    ++depth_;
    if (depth_ <= kLongestPath) path_.emplace_back(key);
    return true;
  }

  bool Close() {
    if (depth_ <= kLongestPath) path_.pop_back();
    --depth_;
    return true;
  }

  Visit visit_;
  Path path_;
  size_t depth_ = 0;
};

template <typename Visit>
Status ForEachString(std::string_view json, Visit visit) {
  // Numbers are not converted, because no parser below needs one.
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |
                              rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  rapidjson::MemoryStream bytes(json.data(), json.size());
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> text(bytes);
  StringFinder<Visit> finder(std::move(visit));
  rapidjson::Reader reader;
  const rapidjson::ParseResult parsed = reader.Parse<kFlags>(text, finder);
  if (!parsed.IsError()) return {};
  return Error("no valid JSON: " + std::string(rapidjson::GetParseError_En(parsed.Code())) +
               " (offset " + std::to_string(parsed.Offset()) + ")");
}

// A key under which a runtime keeps a name of a container.
struct NameKey {
  std::string_view key;
  std::string ContainerNames::*name;
};

// The keys of annotations and labels, the most specific first.
//  - containerd: internal/cri/annotations/annotations.go in containerd/containerd
//  - kubelet, whose labels CRI-O copies to annotations (SpecAddAnnotations in
//    internal/factory/container/container.go in cri-o/cri-o), and cri-dockerd to Docker's labels:
//    staging/src/k8s.io/kubelet/pkg/types/labels.go in kubernetes/kubernetes
//  - nerdctl: pkg/labels/labels.go in containerd/nerdctl, which says that labels are annotations too
//  - io.container.manager: pkg/annotations/internal.go in cri-o/cri-o, which Podman also uses
constexpr NameKey kNameKeys[] = {
    {"io.kubernetes.cri.container-name", &ContainerNames::name},
    {"io.kubernetes.cri.sandbox-name", &ContainerNames::pod},
    {"io.kubernetes.cri.sandbox-namespace", &ContainerNames::pod_namespace},
    {"io.kubernetes.container.name", &ContainerNames::name},
    {"io.kubernetes.pod.name", &ContainerNames::pod},
    {"io.kubernetes.pod.namespace", &ContainerNames::pod_namespace},
    {"nerdctl/name", &ContainerNames::name},
    {"io.container.manager", &ContainerNames::manager},
};

// True if this annotation says that its container is the sandbox of a pod. The keys are in the files
// of containerd and CRI-O that the comment above names, and for cri-dockerd in
// core/sandbox_helpers.go of Mirantis/cri-dockerd.
bool SaysSandbox(std::string_view key, std::string_view value) {
  if (key == "io.kubernetes.cri.container-type" || key == "io.kubernetes.cri-o.ContainerType") {
    return value == "sandbox";
  }
  return key == "io.kubernetes.docker.type" && value == "podsandbox";
}

// Takes the names from an annotation or a label.
void TakeLabel(std::string_view key, std::string_view value, ContainerNames* names) {
  if (SaysSandbox(key, value)) names->is_sandbox = true;
  for (const NameKey& each : kNameKeys) {
    if (each.key == key) names->*each.name = value;
  }
}

}  // namespace

Result<ContainerNames> ParseOciConfig(std::string_view json) {
  ContainerNames names;
  const Status parsed = ForEachString(json, [&names](const Path& path, std::string_view value) {
    if (path.size() == 2 && path[0] == "annotations") TakeLabel(path[1], value, &names);
  });
  if (!parsed) return parsed.error();
  return names;
}

Result<ContainerNames> ParseDockerConfig(std::string_view json) {
  ContainerNames names;
  std::string docker_name;
  const Status parsed = ForEachString(json, [&](const Path& path, std::string_view value) {
    if (path.size() == 1 && path[0] == "Name") {
      // Docker writes "/web" (container/container.go in moby/moby).
      docker_name = value.substr(value.starts_with('/') ? 1 : 0);
    } else if (path.size() == 3 && path[0] == "Config" && path[1] == "Labels") {
      TakeLabel(path[2], value, &names);
    }
  });
  if (!parsed) return parsed.error();
  if (names.name.empty()) names.name = docker_name;
  return names;
}

Result<std::map<std::string, std::string>> ParseStorageNames(std::string_view json) {
  // "id" comes before "names" (containers.go in containers/storage), and JSON written by Go keeps
  // the order of the fields.
  std::map<std::string, std::string> names;
  std::string id;
  const Status parsed = ForEachString(json, [&](const Path& path, std::string_view value) {
    if (path.size() == 2 && path[0] == "[]" && path[1] == "id") {
      id = value;
    } else if (path.size() == 3 && path[0] == "[]" && path[1] == "names" && !id.empty()) {
      names.try_emplace(id, value);
    }
  });
  if (!parsed) return parsed.error();
  return names;
}

std::optional<pid_t> ParsePidFile(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  pid_t pid = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, pid);
  if (status != std::errc() || rest != end || pid <= 0) return std::nullopt;
  return pid;
}

}  // namespace jprof
