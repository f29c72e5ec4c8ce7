// NoMore: sets the soft limit of a resource of this process to 0 during its lifetime.
#pragma once

#include <sys/resource.h>

namespace jprof::test {

class NoMore {
 public:
  explicit NoMore(__rlimit_resource resource) : resource_(resource) {
    getrlimit(resource, &before_);
    const rlimit none = {0, before_.rlim_max};
    setrlimit(resource, &none);
  }
  ~NoMore() { setrlimit(resource_, &before_); }
  NoMore(const NoMore&) = delete;
  NoMore& operator=(const NoMore&) = delete;

 private:
  const __rlimit_resource resource_;
  rlimit before_{};
};

}  // namespace jprof::test
