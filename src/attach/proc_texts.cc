#include "attach/proc_texts.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_set>

namespace jprof {
namespace {

// Returns the text after "key:" on its line, without leading white space.
std::optional<std::string_view> ValueOf(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == ':') {
      line.remove_prefix(key.size() + 1);
      const size_t begin = line.find_first_not_of(" \t");
      return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

// Returns the word at `index` of a list that is separated by white space; empty if the list has
// fewer words.
std::string_view WordAt(std::string_view list, int index) {
  for (;; --index) {
    const size_t end = list.find_first_of(" \t");
    if (index == 0) return list.substr(0, end);
    const size_t next = list.find_first_not_of(" \t", end);
    if (end == std::string_view::npos || next == std::string_view::npos) return {};
    list.remove_prefix(next);
  }
}

std::string_view LastWordOf(std::string_view list) {
  const size_t end = list.find_last_not_of(" \t");
  if (end == std::string_view::npos) return {};
  list = list.substr(0, end + 1);
  const size_t begin = list.find_last_of(" \t");
  return begin == std::string_view::npos ? list : list.substr(begin + 1);
}

template <typename T>
bool ParseNumber(std::string_view text, int base, T* number) {
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, *number, base);
  return status == std::errc() && rest == end;
}

Error BadLine(std::string_view key) {
  return Error("/proc/<pid>/status has no usable line '" + std::string(key) + "'");
}

constexpr std::string_view kDeleted = " (deleted)";

// Returns the path in the line "start-end perms offset dev inode      path" (proc_pid_maps(5)): it
// starts at the first '/', because no field before it contains one. The kernel writes '\n' in a
// path as \012.
std::string_view PathOf(std::string_view line) {
  const size_t slash = line.find('/');
  return slash == std::string_view::npos ? std::string_view() : line.substr(slash);
}

}  // namespace

Result<ProcessStatus> ParseProcessStatus(std::string_view text) {
  // The second of the four ids of "Uid:" and "Gid:" is the effective one.
  constexpr int kEffective = 1;
  ProcessStatus status;
  const std::string_view state = ValueOf(text, "State").value_or("");
  if (state.empty()) return BadLine("State");
  status.state = state.front();
  if (!ParseNumber(WordAt(ValueOf(text, "Uid").value_or(""), kEffective), 10, &status.euid)) {
    return BadLine("Uid");
  }
  if (!ParseNumber(WordAt(ValueOf(text, "Gid").value_or(""), kEffective), 10, &status.egid)) {
    return BadLine("Gid");
  }
  const auto ns_pid = ValueOf(text, "NSpid");
  const std::string_view pid = ns_pid ? LastWordOf(*ns_pid) : ValueOf(text, "Pid").value_or("");
  if (!ParseNumber(pid, 10, &status.namespace_pid)) return BadLine("NSpid");
  if (!ParseNumber(ValueOf(text, "SigCgt").value_or(""), 16, &status.caught)) {
    return BadLine("SigCgt");
  }
  return status;
}

std::vector<MappedFile> ParseMappedFiles(std::string_view maps) {
  std::vector<MappedFile> files;
  std::unordered_set<std::string_view> known;  // views of `maps`, which can have 65,000 lines
  while (!maps.empty()) {
    const size_t end = maps.find('\n');
    std::string_view path = PathOf(maps.substr(0, end));
    maps.remove_prefix(end == std::string_view::npos ? maps.size() : end + 1);
    if (path.empty()) continue;
    const bool deleted = path.ends_with(kDeleted);
    if (deleted) path.remove_suffix(kDeleted.size());
    if (known.insert(path).second) files.push_back({std::string(path), deleted});
  }
  return files;
}

void StripRoot(std::vector<MappedFile>* files, const std::string& root) {
  if (root == "/") return;
  for (MappedFile& file : *files) {
    if (file.path.starts_with(root + "/")) file.path.erase(0, root.size());
  }
}

const MappedFile* FindMapped(const std::vector<MappedFile>& files, std::string_view name) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [name](const MappedFile& file) { return file.Name() == name; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace jprof
