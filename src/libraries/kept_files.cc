#include "libraries/kept_files.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "elf/library_image.h"
#include "elf/memory_symbols.h"
#include "os/read_file.h"

namespace jprof {
namespace {

// How long a file that was opened before a dlopen is kept. If no library of the file appears in
// this time, the library was loaded before the dlopen, or the file is not a library.
constexpr Nanos kOpenedFor = kNanosPerSecond;
constexpr size_t kShareOfLimit = 8;  // divides the process's limit of open files
constexpr size_t kMaxMaps = 16 << 20;

size_t MaxDescriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return static_cast<size_t>(
      std::min<rlim_t>(KeptFiles::kMaxDescriptors, limit.rlim_cur / kShareOfLimit));
}

// Returns the mapping that starts at `base`, the start of the library's first segment. Its line in
// /proc/self/maps is "begin-end r-xp 00000000 …" (Linux fs/proc/task_mmu.c,
// show_vma_header_prefix).
std::optional<AddressRange> MappingAt(uint64_t base) {
  const Result<std::string> maps = ReadFile("/proc/self/maps", kMaxMaps);
  if (!maps) return std::nullopt;
  char start[32];
  const int length = snprintf(start, sizeof start, "%08" PRIx64 "-", base);
  const std::string& text = maps.value();
  size_t line = text.compare(0, static_cast<size_t>(length), start) == 0
                    ? 0
                    : text.find(std::string("\n") + start);
  if (line == std::string::npos) return std::nullopt;
  if (text[line] == '\n') ++line;
  const char* const end = text.c_str() + line + length;
  return AddressRange{base, strtoull(end, nullptr, 16)};
}

ScopedFd OpenMapped(const Library& library) {
  const std::optional<AddressRange> mapping = MappingAt(library.base);
  if (!mapping) return ScopedFd();
  char path[80];
  snprintf(path, sizeof path, "/proc/self/map_files/%" PRIx64 "-%" PRIx64, mapping->begin,
           mapping->end);
  return ScopedFd(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

}  // namespace

KeptFiles::KeptFiles() : max_descriptors_(MaxDescriptors()) {}

void KeptFiles::TakeOpened(Nanos now_ns) {
  std::vector<OpenedFile> opened = LibraryLog::OfProcess().TakeFiles();
  std::ranges::move(opened, std::back_inserter(opened_));
  while (!opened_.empty() && (opened_.size() > LibraryLog::kMaxFiles ||
                              now_ns - opened_.front().opened_ns > kOpenedFor)) {
    opened_.pop_front();
  }
}

// Returns the file of the library among the files that were opened before a dlopen. Tries the most
// recently opened file first, because another file might have been at the same path before. The
// file stays open, because the library might be loaded again.
std::optional<ElfImage> KeptFiles::OpenedBefore(const Library& library) {
  for (auto file = opened_.rbegin(); file != opened_.rend(); ++file) {
    if (file->path != library.path) continue;
    ScopedFd again(fcntl(file->fd.get(), F_DUPFD_CLOEXEC, 0));
    if (!again.valid()) continue;
    Result<ElfImage> image = OpenLibraryImage(library, std::move(again));
    if (image) return std::move(image).value();
  }
  return std::nullopt;
}

std::unique_ptr<const KeptFiles::Image> KeptFiles::Keep(const Library& library) {
  const auto file = [this](ElfImage image) {
    return std::unique_ptr<const Image>(new Image(std::move(image), descriptors_, 1));
  };
  if (library.path == kVdsoPath || descriptors_ >= max_descriptors_) return nullptr;
  if (std::optional<ElfImage> opened = OpenedBefore(library)) return file(std::move(*opened));
  Result<ElfImage> named = OpenLibraryImage(library);
  if (named) return file(std::move(named).value());
  Result<ElfImage> mapped = OpenLibraryImage(library, OpenMapped(library));
  if (mapped) return file(std::move(mapped).value());
  if (copied_ >= kMaxCopied) return nullptr;
  Result<ElfImage> symbols = ReadMemorySymbols(library);
  if (!symbols) return nullptr;
  const size_t bytes = symbols.value().bytes();
  return std::unique_ptr<const Image>(new Image(std::move(symbols).value(), copied_, bytes));
}

}  // namespace jprof
