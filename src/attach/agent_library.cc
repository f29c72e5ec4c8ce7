#include "attach/agent_library.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/agent_contract.h"
namespace jprof {
namespace {

// The target's folders for a copy of the library, in the order in which they are tried.
constexpr auto kFolders = std::to_array<const char*>({"/tmp", "/var/tmp", "/dev/shm"});

std::string ResolvedPath(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) == nullptr ? std::string() : std::string(resolved);
}

bool IsAgent(const MappedFile& file) { return file.Name().ends_with(kAgentFileName); }

// True if `path` is the same file for the target as for us, and the target can read it.
bool TargetSees(const TargetProcess& target, const std::string& path) {
  struct stat ours;
  if (stat(path.c_str(), &ours) != 0) return false;
  const size_t slash = path.rfind('/');
  const Outcome<TargetFolder> folder = TargetFolder::Open(target, path.substr(0, slash + 1));
  return folder && folder.value().Holds(path.substr(slash + 1), ours);
}

// True if the file is an ELF file. For any other file the JVM prints a long warning to its standard
// error.
bool IsElf(const std::string& path) {
  constexpr char kMagic[] = "\177ELF";
  char head[4] = {};
  const ScopedFd fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  return fd.valid() && read(fd.get(), head, sizeof head) == sizeof head &&
         std::memcmp(head, kMagic, sizeof head) == 0;
}

Outcome<void> CopyContent(int from, int to, const std::string& to_path) {
  constexpr size_t kAtOnce = size_t{64} << 20;
  for (;;) {
    const ssize_t copied = sendfile(to, from, nullptr, kAtOnce);
    if (copied == 0) return {};
    if (copied < 0 && errno != EINTR) {
      return Failure::FromErrno(FailureKind::kLibrary, "write", to_path);
    }
  }
}

}  // namespace

std::string DefaultAgentLibrary() {
  const std::string program = ResolvedPath("/proc/self/exe");
  const std::string folder = program.substr(0, program.rfind('/'));
  return folder.substr(0, folder.rfind('/')) + "/lib/" + std::string(kAgentFileName);
}

Outcome<AgentLibrary> AgentLibrary::For(const TargetProcess& target, const std::string& library,
                                        Choice choice) {
  const Outcome<std::vector<MappedFile>> files = target.MappedFiles();
  if (!files) return files.error();
  const std::string path = ResolvedPath(library);
  const MappedFile* loaded = nullptr;
  for (const MappedFile& file : files.value()) {
    const bool wanted = file.path == path || file.path == library;
    if (wanted || (choice == Choice::kDefault && loaded == nullptr && IsAgent(file))) {
      loaded = &file;
    }
    if (wanted) break;
  }
  // The dynamic linker finds a loaded library by its path, even if the file has been removed.
  if (loaded != nullptr) return AgentLibrary(loaded->path);
  if (path.empty()) {
    return Failure(FailureKind::kLibrary, Error::FromErrno("open", library).message() +
                                              ": --library names libprofiler.so");
  }
  if (!IsElf(path)) {
    return Failure(
        FailureKind::kLibrary,
        path + " is not a shared library that can be read: --library names libprofiler.so");
  }
  if (TargetSees(target, path)) return AgentLibrary(path);
  return CopyInto(target, path);
}

Outcome<AgentLibrary> AgentLibrary::CopyInto(const TargetProcess& target,
                                             const std::string& library) {
  const ScopedFd from(open(library.c_str(), O_RDONLY | O_CLOEXEC));
  if (!from.valid()) return Failure::FromErrno(FailureKind::kLibrary, "open", library);
  for (const char* path : kFolders) {
    Outcome<TargetFolder> folder = TargetFolder::Open(target, path);
    if (!folder || !folder.value().MayExecute() || !folder.value().IsWritable()) continue;
    // The name ends with kAgentFileName, by which later calls recognise a loaded library.
    std::string name = RandomName(".jprof-") + "-" + std::string(kAgentFileName);
    const Outcome<ScopedFd> to = folder.value().Create(name, 0700);
    if (!to) continue;
    AgentLibrary copy(folder.value().PathOf(name));
    copy.copy_ = Copy{std::move(folder).value(), std::move(name)};
    const Outcome<void> written = CopyContent(from.get(), to.value().get(), copy.path());
    if (!written) return written.error();
    return copy;
  }
  return Failure(FailureKind::kLibrary,
                 target.Name() + " does not see " + library +
                     ", and none of its /tmp, /var/tmp, /dev/shm is writable and not mounted "
                     "noexec: make the library visible there and name it with --library");
}

AgentLibrary::AgentLibrary(AgentLibrary&& other) noexcept
    : path_(std::move(other.path_)), copy_(std::exchange(other.copy_, std::nullopt)) {}

AgentLibrary::~AgentLibrary() {
  if (copy_) copy_->folder.Remove(copy_->name);
}

}  // namespace jprof
