#include "elf/library_map.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <string_view>

#include "elf/build_id.h"
#include "os/loaded_objects.h"

namespace jprof {
namespace {

const char* Memory(uint64_t address) { return reinterpret_cast<const char*>(address); }

// Whether `part` lies within a loaded, readable segment: memory outside of segments need not be
// mapped.
bool IsLoaded(const ElfW(Phdr) & part, const ElfW(Phdr) * headers, size_t count) {
  return std::any_of(headers, headers + count, [&part](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD && (segment.p_flags & PF_R) != 0 &&
           part.p_vaddr >= segment.p_vaddr && part.p_memsz <= segment.p_memsz &&
           part.p_vaddr - segment.p_vaddr <= segment.p_memsz - part.p_memsz;
  });
}

// REQUIRES: the object stays loaded during the call, as within dl_iterate_phdr.
Library Describe(std::string path, uint64_t load_bias, const ElfW(Phdr) * headers, size_t count) {
  Library library;
  library.path = std::move(path);
  library.load_bias = load_bias;
  library.base = UINT64_MAX;
  for (size_t i = 0; i < count; ++i) {
    const ElfW(Phdr)& header = headers[i];
    const uint64_t begin = load_bias + header.p_vaddr;
    if (header.p_type == PT_LOAD) {
      library.base = std::min(library.base, begin);
      library.top = std::max(library.top, begin + header.p_memsz);
      if ((header.p_flags & PF_X) != 0) {
        library.executable.push_back({begin, begin + header.p_memsz});
      }
    } else if (header.p_type == PT_GNU_EH_FRAME) {
      library.frame_header = {begin, begin + header.p_memsz};
    } else if (header.p_type == PT_NOTE && library.build_id.empty() &&
               IsLoaded(header, headers, count)) {
      library.build_id = FindBuildId(std::string_view(Memory(begin), header.p_memsz));
    }
  }
  if (library.top == 0) library.base = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t begin = load_bias + headers[i].p_vaddr;
    const AddressRange segment = {begin, begin + headers[i].p_memsz};
    const uint64_t frames = library.frame_header.begin;
    if (headers[i].p_type == PT_LOAD && segment.begin <= frames && frames < segment.end) {
      library.frame_segment = segment;
    }
  }
  return library;
}

std::string PathOfExecutable() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : "/proc/self/exe";
}

struct Collection {
  uint64_t vdso;  // address of its ELF header, 0 if there is none
  std::vector<Library> libraries;
};

int AddLibrary(dl_phdr_info* info, size_t, void* data) {
  auto* collection = static_cast<Collection*>(data);
  std::string path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  if (path.empty() && collection->libraries.empty()) path = PathOfExecutable();
  Library library = Describe(std::move(path), info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum);
  // Not all C libraries list the vDSO, and their names for it differ: it is added here.
  const bool is_vdso = library.base <= collection->vdso && collection->vdso < library.top;
  if (!is_vdso) collection->libraries.push_back(std::move(library));
  return 0;
}

Library DescribeVdso(uint64_t address) {
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(address);
  const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(address + header->e_phoff);
  uint64_t load_bias = address;
  for (size_t i = 0; i < header->e_phnum; ++i) {
    if (headers[i].p_type != PT_LOAD) continue;
    load_bias = address + headers[i].p_offset - headers[i].p_vaddr;
    break;
  }
  return Describe(kVdsoPath, load_bias, headers, header->e_phnum);
}

}  // namespace

LibraryMap LibraryMap::Snapshot() {
  Collection collection = {getauxval(AT_SYSINFO_EHDR), {}};
  WalkLoadedObjects(AddLibrary, &collection);
  if (collection.vdso != 0) collection.libraries.push_back(DescribeVdso(collection.vdso));
  return LibraryMap(std::move(collection.libraries));
}

LibraryMap::Generation LibraryMap::CurrentGeneration() {
  Generation generation;
  const auto read_first = [](dl_phdr_info* info, size_t, void* result) {
    *static_cast<Generation*>(result) = {info->dlpi_adds, info->dlpi_subs};
    return 1;  // the same for every object
  };
  WalkLoadedObjects(read_first, &generation);
  return generation;
}

bool LibraryMap::WhileLoaded(const Library& library, const std::function<void()>& visit) {
  if (library.path == kVdsoPath) {  // forever
    visit();
    return true;
  }
  struct Request {
    const Library& library;
    const std::function<void()>& visit;
  } request = {library, visit};
  const auto visit_same = [](dl_phdr_info* info, size_t, void* data) {
    const auto& [wanted, call] = *static_cast<Request*>(data);
    const Library found = Describe("", info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum);
    if (found.base != wanted.base || found.top != wanted.top || found.build_id != wanted.build_id) {
      return 0;
    }
    call();
    return 1;
  };
  return WalkLoadedObjects(visit_same, &request) != 0;
}

LibraryMap::LibraryMap(std::vector<Library> libraries) : libraries_(std::move(libraries)) {
  for (size_t i = 0; i < libraries_.size(); ++i) {
    for (const AddressRange& range : libraries_[i].executable) segments_.push_back({range, i});
  }
  std::ranges::sort(segments_, {}, [](const Segment& segment) { return segment.range.begin; });
}

const Library* LibraryMap::Find(Pc pc) const {
  const auto above = std::ranges::upper_bound(
      segments_, Value(pc), {}, [](const Segment& segment) { return segment.range.begin; });
  if (above == segments_.begin()) return nullptr;
  const Segment& segment = *std::prev(above);
  return Value(pc) < segment.range.end ? &libraries_[segment.library] : nullptr;
}

}  // namespace jprof
