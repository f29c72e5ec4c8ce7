#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/scoped_fd.h"
#include "sigsafe/base/check.h"

namespace jprof {
namespace {

constexpr size_t kTrialBytes = 64 * 1024;

// Removes the entry `name` if it is a regular file of this user. Returns true if the name is free
// afterwards.
bool RemoveOwn(const OutputPlace& place, const std::string& name) {
  struct stat info;
  if (fstatat(place.folder(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT;
  }
  if (!S_ISREG(info.st_mode) || info.st_uid != geteuid()) return false;
  return unlinkat(place.folder(), name.c_str(), 0) == 0 || errno == ENOENT;
}

// Creates the temporary file. A file of this user with the same name is left over from a dead
// process and is removed first.
Result<ScopedFd> CreatePart(const OutputPlace& place, const std::string& name) {
  for (;;) {
    ScopedFd fd(openat(place.folder(), name.c_str(),
                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOutputMode));
    if (fd.valid()) return fd;
    if (errno != EEXIST) return Error::FromErrno("create", place.path());
    if (!RemoveOwn(place, name)) {
      return Error("'" + name + "' is in the way of " + place.path() +
                   " and not ours: remove it or choose another folder");
    }
  }
}

}  // namespace

Result<OutputFile> OutputFile::Create(OutputPlace place) {
  JPROF_CHECK(place.kind() == OutputPlace::Kind::kFile);
  std::string part = "." + place.name() + "." + std::to_string(getpid()) + ".part";
  Result<ScopedFd> fd = CreatePart(place, part);
  if (!fd) return fd.error();
  return OutputFile(std::move(place), std::move(part), std::move(fd).value());
}

Status OutputFile::Try(const std::string& path) {
  Result<OutputPlace> place = OutputPlace::ResolveFile(path);
  if (!place) return place.error();
  const Result<OutputFile> file = Create(std::move(place).value());
  if (!file) return file.error();
  const std::string bytes(kTrialBytes, '\0');
  return WriteAll(file.value().fd(), bytes, path);
}

OutputFile::~OutputFile() {
  if (fd_.valid()) unlinkat(place_.folder(), part_.c_str(), 0);
}

Status OutputFile::Publish() {
  const Status written = CheckWritten(fd_.get(), place_.path());
  if (!written) return written;
  const int folder = place_.folder();
  if (renameat(folder, part_.c_str(), folder, place_.name().c_str()) != 0) {
    return Error::FromErrno("rename", place_.path());
  }
  fd_.Reset();
  return {};
}

}  // namespace jprof
