#include "formats/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

namespace jprof {
namespace {

struct FreeDeleter {
  void operator()(char* text) const { std::free(text); }
};

}  // namespace

Result<OutputFile> OutputFile::Create(const std::string& path) {
  std::string target = path;
  struct stat info;
  if (stat(path.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode)) {
      return Error("'" + path + "' is not a regular file: choose another name.");
    }
    const std::unique_ptr<char, FreeDeleter> real(realpath(path.c_str(), nullptr));
    if (real != nullptr) target = real.get();
  }
  const size_t slash = target.rfind('/');
  const size_t name_at = slash == std::string::npos ? 0 : slash + 1;
  if (name_at == target.size()) return Error("'" + path + "' names a folder: add a file name.");
  std::string part = target.substr(0, name_at) + "." + target.substr(name_at) + "." +
                     std::to_string(getpid()) + ".part";
  unlink(part.c_str());  // left by a process of the same id that was killed
  ScopedFd fd(open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd.valid()) return Error::FromErrno("open", path);
  return OutputFile(std::move(target), std::move(part), std::move(fd));
}

OutputFile::~OutputFile() {
  if (fd_.valid()) unlink(part_.c_str());
}

Status OutputFile::Publish() {
  if (rename(part_.c_str(), path_.c_str()) != 0) return Error::FromErrno("rename", path_);
  fd_.Reset();
  return {};
}

}  // namespace jprof
