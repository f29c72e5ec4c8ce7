#include "jvm/method_names.h"

#include <optional>
#include <utility>

#include "base/placeholders.h"
#include "jvm/exit_watch.h"
#include "jvm/jvmti_ptr.h"
#include "jvm/line_table.h"
#include "jvm/method_capture.h"
#include "sigsafe/hotspot/java_method.h"

namespace jprof {

const MethodInfo& MethodNames::Of(uint64_t id) {
  if (const Held* held = methods_.Find(id)) return held->info;
  if (!IsMethodId(id) && VmIsOutOfReach()) return Unread();
  return methods_.Set(id, {Capture(id), chunk_}).info;
}

// Returns the description of a method that is looked up while the VM is out of reach. The caller
// does not store the description under the id of the method, because a later look-up might succeed.
const MethodInfo& MethodNames::Unread() {
  if (unread_ == nullptr) {
    unread_ = std::make_unique<const MethodInfo>(UnnamedMethod(Text(Placeholder::kUnreadName)));
  }
  return *unread_;
}

MethodInfo MethodNames::Capture(uint64_t id) {
  // AsyncGetCallTrace gives no id for an old version of a method, or for a method of a class that
  // is being prepared.
  if (id == 0) return UnnamedMethod(Text(Placeholder::kNoMethodId));
  if (!IsMethodId(id)) {
    const auto method = reinterpret_cast<jmethodID>(static_cast<uintptr_t>(id));
    const LocalFrame frame(jni_, 8);
    if (const jclass declaring = catalog_.HolderOf(jni_, method)) {
      JvmtiClass holder(jvmti_, jni_, declaring);
      holder.ReadSourceFile(jvmti_, declaring);
      return MakeMethod(JvmtiMethod(jvmti_, method).texts(), MakeClass(holder.texts()));
    }
    if (std::optional<MethodInfo> info = catalog_.short_lived().Find(method)) {
      return std::move(*info);
    }
  }
  ++unloaded_;
  return UnnamedMethod(Text(Placeholder::kUnloadedClass));
}

const MethodInfo& MethodNames::Learn(const MethodRecord& record) {
  if (record.declaring == nullptr) {
    if (methods_.Find(record.id) == nullptr) ++unloaded_;
    return methods_.Set(record.id, {UnnamedMethod(Text(Placeholder::kNoMethodName)), chunk_}).info;
  }
  MethodInfo info = MakeMethod(record, ClassOf(*record.declaring));
  info.lines = ReadLines(record.lines(), unsigned5_bias_);
  return methods_.Set(record.id, {std::move(info), chunk_}).info;
}

std::shared_ptr<const ClassInfo> MethodNames::ClassOf(const ClassRecord& record) {
  if (record.number == 0) return MakeClass(record);
  if (const auto* known = classes_.Find(record.number)) return *known;
  return classes_.Set(record.number, MakeClass(record));
}

}  // namespace jprof
