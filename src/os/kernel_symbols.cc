#include "os/kernel_symbols.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/scoped_fd.h"
#include "os/read_file.h"

namespace jprof {
namespace {

constexpr char kPath[] = "/proc/kallsyms";
constexpr char kKernel[] = "[kernel]";
constexpr char kUnknown[] = "[unknown]";
constexpr size_t kMostBytes = 128 << 20;

// Returns the part of `text` before `separator`. Removes this part and the separator from `text`.
std::string_view TakeUpTo(char separator, std::string_view* text) {
  const size_t end = std::min(text->find(separator), text->size());
  const std::string_view taken = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return taken;
}

uint64_t AddressOf(std::string_view digits) {
  uint64_t address = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
  return address;
}

bool IsCode(std::string_view type) {
  return type == "t" || type == "T" || type == "w" || type == "W";
}

}  // namespace

Status KernelSymbols::CheckIsAllowed() {
  const ScopedFd fd(open(kPath, O_RDONLY | O_CLOEXEC));
  char first_lines[4096];
  const ssize_t size = fd.valid() ? read(fd.get(), first_lines, sizeof first_lines) : -1;
  if (size < 0) return Error::FromErrno(fd.valid() ? "read" : "open", kPath);
  const KernelSymbols symbols(std::string(first_lines, static_cast<size_t>(size)));
  if (!symbols.rows_.empty()) return {};
  return Error(std::string(kPath) + " hides addresses (kernel.kptr_restrict)");
}

Result<KernelSymbols> KernelSymbols::Read() {
  const Result<std::string> lines = ReadFile(kPath, kMostBytes);
  if (!lines) return lines.error();
  return KernelSymbols(lines.value());
}

std::string KernelSymbols::LoadedModules() {
  const Result<std::string> lines = ReadFile("/proc/modules");
  return lines ? ModulesIn(lines.value()) : std::string();
}

// Keeps only names and addresses, because the number of users changes all the time.
std::string KernelSymbols::ModulesIn(const std::string& lines) {
  std::string modules;
  for (std::string_view left = lines; !left.empty();) {
    std::string_view line = TakeUpTo('\n', &left);
    modules.append(TakeUpTo(' ', &line)).append(1, ' ');
    const size_t address = line.find(" 0x");
    if (address != std::string_view::npos) modules.append(line.substr(address + 1));
    modules.append(1, '\n');
  }
  return modules;
}

KernelSymbols::KernelSymbols(const std::string& lines) {
  for (std::string_view left = lines; !left.empty();) {
    std::string_view line = TakeUpTo('\n', &left);
    const uint64_t address = AddressOf(TakeUpTo(' ', &line));
    if (address == 0 || !IsCode(TakeUpTo(' ', &line))) continue;
    const std::string_view name = TakeUpTo('\t', &line);
    const size_t begin = texts_.size();
    texts_.append(name).append(line);
    rows_.push_back({address, static_cast<uint32_t>(begin), static_cast<uint16_t>(name.size()),
                     static_cast<uint16_t>(line.size())});
  }
  // The sort is stable: if one address has several names, the first one in the file is used.
  std::stable_sort(
      rows_.begin(), rows_.end(),
      [](const KernelSymbolRow& a, const KernelSymbolRow& b) { return a.address < b.address; });
}

KernelSymbol KernelSymbols::Of(uint64_t address) const {
  const auto behind = std::upper_bound(
      rows_.begin(), rows_.end(), address,
      [](uint64_t wanted, const KernelSymbolRow& row) { return wanted < row.address; });
  if (behind == rows_.begin()) return {kKernel, kUnknown};
  const auto row = std::lower_bound(
      rows_.begin(), behind, std::prev(behind)->address,
      [](const KernelSymbolRow& candidate, uint64_t wanted) { return candidate.address < wanted; });
  const std::string module = texts_.substr(row->begin + row->name_size, row->module_size);
  return {module.empty() ? kKernel : module, texts_.substr(row->begin, row->name_size)};
}

}  // namespace jprof
