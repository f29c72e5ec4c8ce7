#include "jvm/method_names.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/placeholders.h"
#include "jvm/exit_watch.h"
#include "jvm/jvmti_ptr.h"
#include "jvm/method_capture.h"

namespace jprof {

const MethodInfo& MethodNames::Of(jmethodID method) {
  const MethodInfo* known = methods_.Find(method);
  if (known != nullptr) return *known;
  if (VmIsOutOfReach()) return Unread();
  return methods_.Set(method, Capture(method));
}

// Returns the description of a method that is looked up while the VM is out of reach. The caller
// does not store the description under the id of the method, because a later look-up might succeed.
const MethodInfo& MethodNames::Unread() {
  if (unread_ == nullptr) {
    unread_ = std::make_unique<const MethodInfo>(UnnamedMethod(Text(Placeholder::kUnreadName)));
  }
  return *unread_;
}

MethodInfo MethodNames::Capture(jmethodID method) {
  // AsyncGetCallTrace gives no id for an old version of a method, or for a method of a class that
  // is being prepared.
  if (method == nullptr) return UnnamedMethod(Text(Placeholder::kNoMethodId));
  const LocalFrame frame(jni_, 8);
  if (const jclass declaring = catalog_.HolderOf(jni_, method)) {
    JvmtiClass holder(jvmti_, jni_, declaring);
    holder.ReadSourceFile(jvmti_, declaring);
    return MakeMethod(JvmtiMethod(jvmti_, method).texts(), MakeClass(holder.texts()));
  }
  if (std::optional<MethodInfo> info = catalog_.short_lived().Find(method)) {
    return std::move(*info);
  }
  if (std::optional<MethodInfo> info = FromMemory(method)) return std::move(*info);
  ++unloaded_;
  return UnnamedMethod(Text(Placeholder::kUnloadedClass));
}

std::optional<MethodInfo> MethodNames::FromMemory(jmethodID method) const {
  if (memory_ == nullptr) return std::nullopt;
  std::optional<MethodInfo> info = memory_->Describe(reinterpret_cast<uint64_t>(method));
  if (!info) return std::nullopt;
  const MethodInfo* of_class = methods_.FindIf(
      [&info](const MethodInfo& known) { return known.declaring->name == info->declaring->name; });
  if (of_class != nullptr) info->declaring = of_class->declaring;
  return info;
}

}  // namespace jprof
