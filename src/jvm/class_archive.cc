#include "jvm/class_archive.h"

#include "jvm/jvmti_ptr.h"
#include "jvm/vm_flags.h"

namespace jprof {
namespace {

// Asks the JVM as its own library does (jdk/internal/misc/CDS.java, jdk-17+35 and jdk-25+36). The
// flags do not tell: with -XX:+AutoCreateSharedArchive only a JVM without a valid archive records.
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

// ArchiveClassesAtExit comes last: with AutoCreateSharedArchive the JVM sets it by itself.
std::string FlagOf(const VmStructs& structs) {
  for (const char* name : {"AOTCacheOutput", "AOTConfiguration"}) {
    if (HasTextFlag(structs, name)) return std::string("-XX:") + name;
  }
  for (const char* name : {"RecordDynamicDumpInfo", "AutoCreateSharedArchive"}) {
    if (BoolFlag(structs, name).value_or(false)) return std::string("-XX:+") + name;
  }
  return "-XX:ArchiveClassesAtExit";
}

}  // namespace

std::optional<std::string> RecordedClassArchive(JNIEnv* jni, const VmStructs& structs) {
  // JDK 13 to 15, which have no such class, have the flag; it is set where the JVM records.
  if (!IsDumpingArchive(jni) && !BoolFlag(structs, "DynamicDumpSharedSpaces").value_or(false)) {
    return std::nullopt;
  }
  return FlagOf(structs);
}

}  // namespace jprof
