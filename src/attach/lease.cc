#include "attach/lease.h"

#include <sys/file.h>

#include <utility>

#include "base/agent_contract.h"
#include "base/scoped_fd.h"

namespace jprof {

std::optional<Lease> Lease::Take(const TargetFolder& folder, const std::string& fallback_path) {
  return Make(folder, RandomName(kLeasePrefix), fallback_path);
}

std::optional<Lease> Lease::TakeNamed(const TargetFolder& folder, const std::string& digits) {
  return Make(folder, std::string(kLeasePrefix) + digits, "");
}

std::optional<Lease> Lease::Make(const TargetFolder& folder, std::string name,
                                 const std::string& content) {
  Outcome<ScopedFd> fd = folder.Create(name, 0600);
  if (!fd) return std::nullopt;
  const bool locked = flock(fd.value().get(), LOCK_EX | LOCK_NB) == 0 &&
                      WriteAll(fd.value().get(), content, name).ok();
  Lease lease(folder, std::move(name), std::move(fd).value());
  if (!locked) return std::nullopt;
  return lease;
}

Lease::~Lease() {
  if (fd_.valid()) folder_->Remove(name_);
}

}  // namespace jprof
