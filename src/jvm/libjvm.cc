#include "jvm/libjvm.h"

#include <dlfcn.h>

#include <string_view>

#include "os/loaded_objects.h"

namespace jprof {
namespace {

constexpr std::string_view kFileName = "/libjvm.so";

int KeepPathOfLibjvm(dl_phdr_info* info, size_t, void* out) {
  const std::string_view path(info->dlpi_name != nullptr ? info->dlpi_name : "");
  if (!path.ends_with(kFileName)) return 0;
  *static_cast<std::string*>(out) = path;
  return 1;
}

}  // namespace

void Libjvm::CloseHandle::operator()(void* handle) const { dlclose(handle); }

Result<Libjvm> Libjvm::Find() {
  std::string path;
  WalkLoadedObjects(KeepPathOfLibjvm, &path);
  if (path.empty()) return Error("this process runs no JVM: libjvm.so is not loaded");
  // Outside the callback, which holds a lock of the dynamic linker.
  Handle handle(dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD));
  if (handle == nullptr) {
    const char* reason = dlerror();
    return Error("cannot dlopen " + path + ": " + (reason != nullptr ? reason : "not loaded"));
  }
  return Libjvm(std::move(handle), std::move(path));
}

void* Libjvm::Symbol(const char* name) const { return dlsym(handle_.get(), name); }

}  // namespace jprof
