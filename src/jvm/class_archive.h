// RecordedClassArchive: whether this JVM records its classes for an archive, which a later JVM
// starts from: a dynamic archive of class data sharing (CDS), or an AOT cache.
//
// On a thread that is attached to the JVM, outside handlers.
#pragma once

#include <jni.h>

#include <optional>
#include <string>

#include "jvm/vm_structs.h"

namespace jprof {

// Returns the command line flag that asks for the archive, "-XX:AOTCacheOutput"; nullopt: the JVM
// records none.
std::optional<std::string> RecordedClassArchive(JNIEnv* jni, const VmStructs& structs);

}  // namespace jprof
