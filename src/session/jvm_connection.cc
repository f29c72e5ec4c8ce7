#include "session/jvm_connection.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "jvm/chunk_layout_reader.h"
#include "jvm/hotspot_layout_reader.h"
#include "jvm/jvmti_ptr.h"
#include "jvm/libjvm.h"
#include "jvm/virtual_thread_reader.h"
#include "os/pages.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/stack/asgct_walker.h"

namespace jprof {
namespace {

Status FindWalker() {
  const Result<Libjvm> libjvm = Libjvm::Find();
  if (!libjvm) return libjvm.error();
  void* function = libjvm.value().Symbol("AsyncGetCallTrace");
  if (function == nullptr) {
    return Error("this JVM does not export AsyncGetCallTrace: a HotSpot JVM is needed");
  }
  AsgctWalker::SetFunction(reinterpret_cast<AsgctWalker::Function>(function));
  return {};
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

// "1.8" is release 8, "17" is 17.
int JavaRelease(jvmtiEnv* jvmti) {
  JvmtiPtr<char> text(jvmti);
  if (jvmti->GetSystemProperty("java.vm.specification.version", text.out()) != JVMTI_ERROR_NONE) {
    return 0;
  }
  const char* digits = text.get();
  if (strncmp(digits, "1.", 2) == 0) digits += 2;
  return atoi(digits);
}

Result<HotspotLayout> ReadLayout(jvmtiEnv* jvmti, const VmStructs& structs,
                                 const JavaThreads& threads, const ObjectFields& fields) {
  if (!threads.env_offset()) return Error("this JVM does not say where a JNIEnv is");
  const int release = JavaRelease(jvmti);
  if (release == 0) return Error("this JVM does not say which release of Java it is");
  Result<HotspotLayout> layout = ReadHotspotLayout(structs, *threads.env_offset(), release);
  if (layout) layout.value().chunk = ReadChunkLayout(structs, fields);
  return layout;
}

// A JVM without virtual threads says nothing of them, and lacks nothing.
Result<VirtualThreadLayout> ReadVirtualThreads(jvmtiEnv* jvmti, const VmStructs& structs,
                                               const JavaThreads& threads,
                                               const ObjectFields& fields) {
  if (JavaRelease(jvmti) < kFirstReleaseWithVirtualThreads) return VirtualThreadLayout{};
  if (!threads.env_offset()) return Error("this JVM does not say where a JNIEnv is");
  Result<VirtualThreadLayout> layout =
      ReadVirtualThreadLayout(structs, *threads.env_offset(), fields);
  if (!layout) {
    Log::Info("samples of virtual threads belong to their carriers: %s",
              layout.error().message().c_str());
  }
  return layout;
}

}  // namespace

JvmConnection::JvmConnection(JvmEvents& jvm_events, VmStructs vm_structs,
                             Result<HotspotLayout> vm_layout,
                             Result<VirtualThreadLayout> virtual_layout, const JavaThreads& threads,
                             RecordReserve& reserve, JavaThreadFilter& filter,
                             const PerfCounters& counters)
    : events(jvm_events),
      structs(std::move(vm_structs)),
      layout(std::move(vm_layout)),
      virtual_threads(std::move(virtual_layout)),
      java_threads(threads),
      records(reserve),
      registry(reserve.records(), filter),
      observation(registry, java_threads),
      gc_pauses(counters) {}

Result<JvmConnection*> JvmConnection::Make(JvmEvents& events, JNIEnv* jni) {
  jvmtiEnv* const jvmti = events.jvmti();
  const Status walker = FindWalker();
  if (!walker) return walker.error();
  const Result<RecordReserve*> records = RecordReserve::Create();
  if (!records) return records.error();
  Result<Pages> filter_pages = Pages::Reserve(JavaThreadFilter::kRegionSize);
  if (!filter_pages) return filter_pages.error();
  auto* filter = new JavaThreadFilter(filter_pages.value().Leak());
  SetThreadRecords(&records.value()->records());
  VmStructs structs = ReadStructs();
  const JavaThreads java_threads(jvmti, jni, structs.layout);
  const ObjectFields fields(jni);
  const PerfCounters counters = PerfCounters::Open(structs.statics.perf_memory);
  Result<HotspotLayout> layout = ReadLayout(jvmti, structs, java_threads, fields);
  Result<VirtualThreadLayout> virtual_threads =
      ReadVirtualThreads(jvmti, structs, java_threads, fields);
  auto* connection =
      new JvmConnection(events, std::move(structs), std::move(layout), std::move(virtual_threads),
                        java_threads, *records.value(), *filter, counters);
  if (connection->virtual_threads) UseVirtualThreadLayout(&connection->virtual_threads.value());
  return connection;
}

}  // namespace jprof
