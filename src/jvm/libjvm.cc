#include "jvm/libjvm.h"

#include <dlfcn.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "os/loaded_objects.h"

namespace jprof {
namespace {

constexpr std::string_view kFileName = "/libjvm.so";

}  // namespace

void Libjvm::CloseHandle::operator()(void* handle) const { dlclose(handle); }

Result<Libjvm> Libjvm::Find() {
  std::vector<ObjectCopy> objects = LoadedObjects();
  const auto libjvm = std::ranges::find_if(
      objects, [](const ObjectCopy& object) { return object.path.ends_with(kFileName); });
  if (libjvm == objects.end()) return Error("this process runs no JVM: libjvm.so is not loaded");
  std::string path = std::move(libjvm->path);
  Handle handle(dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD));
  if (handle == nullptr) {
    const char* reason = dlerror();
    return Error("cannot dlopen " + path + ": " + (reason != nullptr ? reason : "not loaded"));
  }
  return Libjvm(std::move(handle), std::move(path));
}

void* Libjvm::Symbol(const char* name) const { return dlsym(handle_.get(), name); }

}  // namespace jprof
