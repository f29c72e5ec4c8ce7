#include "engines/validate/agct_note_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/agent_contract.h"
#include "base/scoped_fd.h"
#include "sigsafe/validation/agct_calls.h"

namespace jprof {

Result<AgctNoteFile> AgctNoteFile::Create(const std::string& recording) {
  const std::string path = recording + std::string(kAgctNoteSuffix);
  Result<OutputPlace> place = OutputPlace::ResolveFile(path);
  if (!place) return place.error();
  const int folder = place.value().folder();
  const char* const name = place.value().name().c_str();
  unlinkat(folder, name, 0);
  const ScopedFd fd(openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return Error::FromErrno("open", path);
  // The blocks are allocated now: a handler that writes to a full disk would get a SIGBUS.
  errno = posix_fallocate(fd.get(), 0, AgctCalls::kNoteBytes);
  void* const memory = errno != 0 ? MAP_FAILED
                                  : mmap(nullptr, AgctCalls::kNoteBytes, PROT_READ | PROT_WRITE,
                                         MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) {
    Error error = Error::FromErrno("map", path);
    unlinkat(folder, name, 0);
    return error;
  }
  return AgctNoteFile(std::move(place).value(), {memory, AgctCalls::kNoteBytes});
}

AgctNoteFile::AgctNoteFile(AgctNoteFile&& other) noexcept
    : place_(std::move(other.place_)),
      is_there_(std::exchange(other.is_there_, false)),
      memory_(std::exchange(other.memory_, {nullptr, 0})) {}

AgctNoteFile::~AgctNoteFile() {
  if (memory_.data != nullptr) munmap(memory_.data, memory_.size);
}

void AgctNoteFile::Remove() {
  if (std::exchange(is_there_, false)) unlinkat(place_.folder(), place_.name().c_str(), 0);
}

}  // namespace jprof
