#include "sampler/jvm_connection.h"

#include <jvmti.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvm_information.h"
#include "jvm/jvmti_ptr.h"
#include "jvm/libjvm.h"
#include "jvm/vm_flags.h"
#include "os/pages.h"
#include "sigsafe/os/safe_load.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {
namespace {

// The first release in which a jmethodID is a number (JDK-8268406); in earlier releases it is the
// address of a Method* (jdk-21+35 src/hotspot/share/oops/method.hpp, resolve_jmethod_id).
constexpr int kFirstWithNumbers = 26;

bool HasName(jvmtiEnv* jvmti, jmethodID method, std::string_view expected) {
  JvmtiPtr<char> name(jvmti);
  return jvmti->GetMethodName(method, name.out(), nullptr, nullptr) == JVMTI_ERROR_NONE &&
         name.get() == expected;
}

// Returns the address of the Method of jdk.internal.vm.Continuation.enterSpecial, with which a
// carrier mounts a virtual thread. Needed for JVMs that do not export where the code of this method
// is (JDK 21 to 24). The Method is never freed, because its class belongs to the boot loader.
// Returns 0 if this JVM has no virtual threads, if its method ids are not addresses (from JDK 26
// on), or if memory is short. Called on an attached thread, in the live phase; initialises no
// class.
uint64_t ContinuationEntryMethod(jvmtiEnv* jvmti, JNIEnv* jni) {
  const int release = JdkRelease(jvmti);
  if (release < kFirstJdkWithVirtualThreads || release >= kFirstWithNumbers) return 0;
  const LocalFrame frame(jni, 1);
  const jclass continuation = jni->FindClass("jdk/internal/vm/Continuation");
  ClearException(jni);
  jint count = 0;
  JvmtiPtr<jmethodID> methods(jvmti);
  if (continuation == nullptr ||
      jvmti->GetClassMethods(continuation, &count, methods.out()) != JVMTI_ERROR_NONE) {
    return 0;
  }
  for (jint i = 0; i < count; ++i) {
    if (HasName(jvmti, methods[i], "enterSpecial")) {
      return *reinterpret_cast<const uint64_t*>(methods[i]);
    }
  }
  return 0;
}

Result<void*> FindAsgct() {
  const Result<Libjvm> libjvm = Libjvm::Find();
  if (!libjvm) return libjvm.error();
  void* function = libjvm.value().Symbol("AsyncGetCallTrace");
  if (function == nullptr) {
    return NotExportedByJvm("AsyncGetCallTrace: a HotSpot JVM is needed");
  }
  return function;
}

VmStructs ReadStructs() {
  Result<VmStructs> structs = LoadVmStructs();
  if (!structs) {
    Log::Warn("%s; threads that were there before the recording have no Java stacks",
              structs.error().message().c_str());
    return {};
  }
  for (const std::string& sentence : structs.value().missing) Log::Debug("%s", sentence.c_str());
  return std::move(structs).value();
}

// Returns the release of Java: 8 for "1.8", 17 for "17"; 0 if it is not known.
int JavaRelease(jvmtiEnv* jvmti) {
  JvmtiPtr<char> text(jvmti);
  if (jvmti->GetSystemProperty("java.vm.specification.version", text.out()) != JVMTI_ERROR_NONE) {
    return 0;
  }
  const char* digits = text.get();
  if (strncmp(digits, "1.", 2) == 0) digits += 2;
  int release = 0;
  std::from_chars(digits, digits + strlen(digits), release);
  return release;
}

void WarnIfSafeLoadsAreForbidden() {
  if (ProbeSafeLoad() != SafeLoadOutcome::kForbidden) return;
  Log::Warn(
      "the system call process_vm_readv is forbidden here, by a seccomp filter perhaps: threads "
      "that were there before the recording have no Java stacks");
}

}  // namespace

JvmConnection::JvmConnection(JvmEvents& jvm_events, VmStructs vm_structs,
                             HotspotReading hotspot_reading, AsgctFunction asgct,
                             const JavaThreads& threads, SlotReserve& reserve,
                             JavaThreadFilter& filter, const PerfCounters& counters)
    : events(jvm_events),
      structs(std::move(vm_structs)),
      hotspot(std::move(hotspot_reading)),
      walking(structs, hotspot, asgct),
      java_threads(threads),
      slot_reserve(reserve),
      registry(reserve.slots(), filter),
      observation(registry, java_threads),
      sampled_classes(classes),
      gc_pauses(counters),
      heap(gc_pauses, SizeFlag(structs, "MaxHeapSize").value_or(0)) {}

Result<JvmConnection*> JvmConnection::Make(JvmEvents& events, JNIEnv* jni) {
  jvmtiEnv* const jvmti = events.jvmti();
  const Result<void*> asgct = FindAsgct();
  if (!asgct) return asgct.error();
  VmStructs structs = ReadStructs();
  const JavaThreads java_threads(jvmti, jni, structs);
  const ObjectFields fields(jni);
  HotspotReading hotspot =
      ReadHotspot(structs, java_threads.env_offset(), JavaRelease(jvmti), fields);
  if (hotspot.layout.continuation_return == nullptr) {
    hotspot.layout.continuation_entry = ContinuationEntryMethod(jvmti, jni);
  }
  if (hotspot.walk && !hotspot.layout.klass_number.exists()) {
    Log::Info("classes have no numbers in this JVM: methods are identified by their addresses");
  }
  // This is an error, because the offsets are read only once: an offset that is missing now would
  // be missing until the process ends.
  if (java_threads.ran_out_of_memory() || fields.ran_out_of_memory()) {
    return NoMemoryInJvm("in its heap to look at its own classes");
  }
  const Result<SlotReserve*> reserve = SlotReserve::Create();
  if (!reserve) return reserve.error();
  Result<Pages> filter_pages = Pages::Reserve(JavaThreadFilter::kRegionSize);
  if (!filter_pages) return filter_pages.error();
  auto* filter = new JavaThreadFilter(filter_pages.value().Leak());
  SetThreadSlots(&reserve.value()->slots());
  WarnIfSafeLoadsAreForbidden();
  const PerfCounters counters = PerfCounters::Open(structs.statics.perf_memory);
  if (!hotspot.virtual_threads) {
    Log::Info("samples of virtual threads belong to their carriers: %s",
              hotspot.virtual_threads.error().message().c_str());
  }
  auto* connection = new JvmConnection(events, std::move(structs), std::move(hotspot),
                                       reinterpret_cast<AsgctFunction>(asgct.value()), java_threads,
                                       *reserve.value(), *filter, counters);
  connection->classes.ExpectUnannounced(UnannouncedClasses(JdkRelease(jvmti), counters));
  return connection;
}

}  // namespace jprof
