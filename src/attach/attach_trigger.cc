#include "attach/attach_trigger.h"

#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace jprof {
namespace {

// True if this process now holds the file `name`. On a file system that refuses locks, no process
// has one: there an existing file counts as held.
bool Hold(const TargetFolder& folder, const std::string& name, int fd) {
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  struct stat info;
  return fstat(fd, &info) == 0 && folder.Holds(name, info);
}

}  // namespace

Outcome<std::optional<AttachTrigger>> AttachTrigger::Take(const TargetFolder& folder,
                                                          const std::string& name) {
  Outcome<std::optional<ScopedFd>> found = folder.FindFile(name);
  if (!found) return found.error();
  const bool was_found = found.value().has_value();
  if (!was_found) {
    Outcome<ScopedFd> created = folder.Create(name, 0600);
    if (!created) {
      found = folder.FindFile(name);
      const bool was_overtaken = !found || found.value();
      return was_overtaken ? Outcome<std::optional<AttachTrigger>>(std::nullopt) : created.error();
    }
    found = std::optional(std::move(created).value());
  }
  ScopedFd fd = std::move(*found.value());
  if (!Hold(folder, name, fd.get())) return std::optional<AttachTrigger>();
  return std::optional(AttachTrigger(folder, name, std::move(fd), was_found));
}

void AttachTrigger::RemoveAbandoned(const TargetFolder& folder, const std::string& name) {
  const Outcome<std::optional<ScopedFd>> found = folder.FindFile(name);
  if (found && found.value() && Hold(folder, name, found.value()->get())) folder.Remove(name);
}

AttachTrigger::~AttachTrigger() {
  if (fd_.valid()) folder_->Remove(name_);
}

}  // namespace jprof
