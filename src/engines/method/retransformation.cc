#include "engines/method/retransformation.h"

#include <jni.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/modified_utf8.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvm_information.h"
#include "jvm/jvmti_ptr.h"
#include "jvm/vm_flags.h"
#include "jvm/vm_structs.h"

namespace jprof {
namespace {

// True if the JVM records an archive of its classes. Asks the function that the JDK's own code
// calls (jdk/internal/misc/CDS.java, jdk-17+35 and jdk-25+36). The flags are not enough: with
// -XX:+AutoCreateSharedArchive, a JVM records only if there is no valid archive.
bool IsDumpingArchive(JNIEnv* jni) {
  const LocalFrame frame(jni, 1);
  const jclass cds = jni->FindClass("jdk/internal/misc/CDS");
  const jmethodID is_dumping =
      cds == nullptr ? nullptr : jni->GetStaticMethodID(cds, "isDumpingArchive", "()Z");
  const bool answer =
      is_dumping != nullptr && jni->CallStaticBooleanMethod(cds, is_dumping) != JNI_FALSE;
  if (jni->ExceptionCheck() == JNI_FALSE) return answer;
  jni->ExceptionClear();
  return false;
}

// Returns the flag that makes the JVM record. Tests ArchiveClassesAtExit last, because with
// AutoCreateSharedArchive the JVM sets ArchiveClassesAtExit by itself.
std::string FlagOf(const VmStructs& structs) {
  for (const char* name : {"AOTCacheOutput", "AOTConfiguration"}) {
    if (HasTextFlag(structs, name)) return std::string("-XX:") + name;
  }
  for (const char* name : {"RecordDynamicDumpInfo", "AutoCreateSharedArchive"}) {
    if (BoolFlag(structs, name).value_or(false)) return std::string("-XX:+") + name;
  }
  return "-XX:ArchiveClassesAtExit";
}

// Returns the command line flag that requests an archive of the JVM's classes, such as
// "-XX:AOTCacheOutput". A later JVM starts from the archive, which is a dynamic archive of class
// data sharing (CDS), or an AOT cache. Returns nullopt if the JVM records no archive.
std::optional<std::string> RecordedClassArchive(JNIEnv* jni, const VmStructs& structs) {
  // JDK 13 to 15 lack the class jdk.internal.misc.CDS. They have the flag DynamicDumpSharedSpaces,
  // which is set if the JVM records.
  if (!IsDumpingArchive(jni) && !BoolFlag(structs, "DynamicDumpSharedSpaces").value_or(false)) {
    return std::nullopt;
  }
  return FlagOf(structs);
}

// The first release that does not deoptimise all code when the capability to retransform is
// requested: OpenJDK 23 (JDK-8324241).
constexpr int kFirstWithDependencies = 23;

// The first release of which it is known that VM_RedefineClasses::doit adjusts the other classes once
// (jdk-17+35 src/hotspot/share/prims/jvmtiRedefineClasses.cpp). In jdk-11+28, redefine_single_class
// does it for each class.
constexpr int kFirstWithOneAdjustment = 17;

std::string_view NameIn(std::string_view signature) {
  const bool is_class = signature.size() > 2 && signature.front() == 'L';
  return is_class ? signature.substr(1, signature.size() - 2) : std::string_view();
}

// Returns the internal name of the class with this signature; empty if `signature` is nullptr or
// not that of a class.
std::string NameOf(const char* signature) {
  return signature == nullptr ? std::string() : Utf8FromModifiedUtf8(NameIn(signature));
}

// True if the error might mean that the JVM failed to link the class before it redefined the class.
// JVMTI has no separate error for a failure to link (VM_RedefineClasses::load_new_class_versions in
// src/hotspot/share/prims/jvmtiRedefineClasses.cpp: INTERNAL in jdk-17+35, INVALID_CLASS in
// jdk-25+36).
bool CouldNotLink(jvmtiError error) {
  return error == JVMTI_ERROR_INTERNAL || error == JVMTI_ERROR_INVALID_CLASS;
}

}  // namespace

Result<RetransformTerms> AllowRetransformation(jvmtiEnv* jvmti) {
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
  return RetransformTerms{JdkRelease(jvmti) < kFirstWithDependencies};
}

bool RetransformsOneByOne(jvmtiEnv* jvmti) { return JdkRelease(jvmti) < kFirstWithOneAdjustment; }

// The JVM leaves a redefined class and all of its subclasses out of an archive
// (SystemDictionaryShared::check_self_exclusion in jdk-25+36, check_for_exclusion_impl in
// jdk-17+35), even after the probes were taken out of the class. At its end, the JVM then crashes
// if the archive needs the class. A JVM of JDK 17 also reads methods of lambda expressions that the
// redefinition has freed (SystemDictionaryShared::dumptime_classes_do).
Status CheckNoArchiveIsRecorded(JNIEnv* jni, const VmStructs& structs) {
  if (jni == nullptr) return {};
  const std::optional<std::string> flag = RecordedClassArchive(jni, structs);
  if (!flag) return {};
  return Error(
      "this JVM records its classes for an archive (" + *flag +
      "), which probes in them would spoil: leave out lock, trace and the methods of begin "
      "and end, or record a run without that flag");
}

std::string ClassName(jvmtiEnv* jvmti, jclass clazz) {
  JvmtiPtr<char> signature(jvmti);
  static_cast<void>(jvmti->GetClassSignature(clazz, signature.out(), nullptr));
  return NameOf(signature.get());
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
  const Status listed =
      CheckAccepted(jvmti->GetLoadedClasses(&count, all.out()), "GetLoadedClasses");
  if (!listed) return listed.error();
  std::vector<jclass> found;
  for (jint i = 0; i < count; ++i) {
    JvmtiPtr<char> signature(jvmti);
    if (jvmti->GetClassSignature(all[i], signature.out(), nullptr) == JVMTI_ERROR_OUT_OF_MEMORY) {
      return NoMemoryInJvm("for the names of its classes");
    }
    const std::string name = NameOf(signature.get());
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
