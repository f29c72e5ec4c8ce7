#include "engines/trace/retransformation.h"

#include <algorithm>

#include "base/modified_utf8.h"
#include "jvm/jvm_information.h"
#include "jvm/jvmti_ptr.h"
#include "jvm/vm_flags.h"

namespace jprof {
namespace {

// JDK-8324241, OpenJDK 23.
constexpr int kFirstWithDependencies = 23;

std::string_view NameIn(std::string_view signature) {
  const bool is_class = signature.size() > 2 && signature.front() == 'L';
  return is_class ? signature.substr(1, signature.size() - 2) : std::string_view();
}

// A JVM that records its classes for an archive (-XX:ArchiveClassesAtExit) reads methods of lambda
// expressions that a redefinition has freed: SystemDictionaryShared::dumptime_classes_do, jdk-17.
// Seen in 17; 21 and later do not.
constexpr int kFirstWithSafeArchives = 21;

bool CrashesOnRedefinedClasses(int release) {
  if (release >= kFirstWithSafeArchives) return false;
  const Result<VmStructs> structs = LoadVmStructs();
  return structs && BoolFlag(structs.value(), "DynamicDumpSharedSpaces").value_or(false);
}

// Before it is redefined a class is linked; where that fails JVMTI has no word for it
// (VM_RedefineClasses::load_new_class_versions in src/hotspot/share/prims/jvmtiRedefineClasses.cpp:
// INTERNAL in jdk-17+35, INVALID_CLASS in jdk-25+36).
bool CouldNotLink(jvmtiError error) {
  return error == JVMTI_ERROR_INTERNAL || error == JVMTI_ERROR_INVALID_CLASS;
}

}  // namespace

Result<RetransformTerms> AllowRetransformation(jvmtiEnv* jvmti) {
  const int release = JdkRelease(jvmti);
  if (CrashesOnRedefinedClasses(release)) {
    return Error(
        "this JVM records its classes for an archive (-XX:ArchiveClassesAtExit) and would crash "
        "where some have been traced: trace in a run without an archive, or JDK 21 or later");
  }
  jvmtiCapabilities now{};
  jvmti->GetCapabilities(&now);
  if (now.can_retransform_classes != 0) return RetransformTerms{};
  jvmtiCapabilities wanted{};
  wanted.can_retransform_classes = 1;
  const jvmtiError error = jvmti->AddCapabilities(&wanted);
  if (error != JVMTI_ERROR_NONE) {
    return Error("this JVM does not let classes be retransformed (JVMTI error " +
                 std::to_string(error) + "), so no method can be traced");
  }
  return RetransformTerms{release < kFirstWithDependencies};
}

std::string ClassName(jvmtiEnv* jvmti, jclass clazz) {
  JvmtiPtr<char> signature(jvmti);
  if (jvmti->GetClassSignature(clazz, signature.out(), nullptr) != JVMTI_ERROR_NONE) return {};
  return Utf8FromModifiedUtf8(NameIn(signature.get()));
}

std::string DottedName(std::string internal_name) {
  std::ranges::replace(internal_name, '/', '.');
  return internal_name;
}

bool IsPrepared(jvmtiEnv* jvmti, jclass clazz) {
  jint status = 0;
  return jvmti->GetClassStatus(clazz, &status) == JVMTI_ERROR_NONE &&
         (status & JVMTI_CLASS_STATUS_PREPARED) != 0;
}

uint64_t IdentityOf(jvmtiEnv* jvmti, std::string_view name, jobject loader) {
  constexpr int kHashBits = 32;
  jint of_loader = 0;
  if (loader != nullptr) static_cast<void>(jvmti->GetObjectHashCode(loader, &of_loader));
  return std::hash<std::string_view>()(name) ^
         (uint64_t{static_cast<uint32_t>(of_loader)} << kHashBits);
}

Result<std::vector<jclass>> LoadedClasses(jvmtiEnv* jvmti, JNIEnv* jni,
                                          const std::function<bool(std::string_view)>& wanted) {
  jint count = 0;
  JvmtiPtr<jclass> all(jvmti);
  const jvmtiError error = jvmti->GetLoadedClasses(&count, all.out());
  if (error != JVMTI_ERROR_NONE) {
    return Error("the JVM refused GetLoadedClasses (JVMTI error " + std::to_string(error) + ")");
  }
  std::vector<jclass> found;
  for (jint i = 0; i < count; ++i) {
    const std::string name = ClassName(jvmti, all[i]);
    if (!name.empty() && wanted(name)) {
      found.push_back(all[i]);
    } else {
      jni->DeleteLocalRef(all[i]);
    }
  }
  return found;
}

std::vector<RefusedClass> Retransform(jvmtiEnv* jvmti, std::span<const jclass> classes) {
  if (classes.empty()) return {};
  const jvmtiError error =
      jvmti->RetransformClasses(static_cast<jint>(classes.size()), classes.data());
  if (error == JVMTI_ERROR_NONE) return {};
  if (classes.size() == 1) return {{classes.front(), error}};
  const size_t half = classes.size() / 2;
  std::vector<RefusedClass> refused = Retransform(jvmti, classes.first(half));
  const std::vector<RefusedClass> others = Retransform(jvmti, classes.subspan(half));
  refused.insert(refused.end(), others.begin(), others.end());
  return refused;
}

std::string RefusalText(jvmtiError error) {
  const char* reason = error == JVMTI_ERROR_FAILS_VERIFICATION   ? "it fails verification"
                       : error == JVMTI_ERROR_UNMODIFIABLE_CLASS ? "the JVM keeps it as it is"
                       : error == JVMTI_ERROR_OUT_OF_MEMORY      ? "the JVM is out of memory"
                       : CouldNotLink(error)                     ? "the JVM could not link it"
                                                                 : "the JVM refused it";
  return std::string(reason) + " (JVMTI error " + std::to_string(error) + ")";
}

}  // namespace jprof
