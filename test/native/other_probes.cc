// Native half of test/java/workloads/OtherAgent.java: adds that agent's probes to a class file.
#include <jni.h>

#include <vector>

#include "instrument/add_probes.h"

extern "C" JNIEXPORT jbyteArray JNICALL Java_OtherAgent_addProbes(JNIEnv* jni, jclass,
                                                                  jbyteArray class_file) {
  std::vector<uint8_t> bytes(static_cast<size_t>(jni->GetArrayLength(class_file)));
  const auto size = static_cast<jsize>(bytes.size());
  jni->GetByteArrayRegion(class_file, 0, size, reinterpret_cast<jbyte*>(bytes.data()));
  const auto probed = jprof::instrument::AddProbes(
      bytes, {.class_name = "OtherAgent"},
      [](const jprof::instrument::MethodToProbe&) { return 1; }, nullptr);
  if (!probed || probed.value().empty()) return nullptr;
  const auto new_size = static_cast<jsize>(probed.value().size());
  const jbyteArray made = jni->NewByteArray(new_size);
  jni->SetByteArrayRegion(made, 0, new_size, reinterpret_cast<const jbyte*>(probed.value().data()));
  return made;
}
