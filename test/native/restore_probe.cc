// Native half of test/java/workloads/Restored.java. It returns as text those parts of a process
// that a profiler might change. It also acts as another profiler, which takes SIGPROF and an import
// slot.
#include <link.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "native/burner.h"
#include "support/imports_of.h"

extern "C" jlong BurnInThread(const char* name, jlong nanos);  // defined in the plugin

namespace {

using CreateFunction = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

constexpr std::string_view kNames[] = {"pthread_create", "thrd_create"};

std::string Hex(uintptr_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "%lx", static_cast<unsigned long>(number));
  return text;
}

// Calls visit(info) for each loaded object.
template <typename Visit>
void ForEachObject(Visit visit) {
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        (*static_cast<Visit*>(data))(*info);
        return 0;
      },
      &visit);
}

std::string Slots() {
  std::string text;
  ForEachObject([&](const dl_phdr_info& info) {
    for (const jprof::ImportSlot& slot : jprof::test::ImportsOf(info, kNames)) {
      text += std::string(info.dlpi_name) + ' ' + Hex(slot.address) + " -> " +
              Hex(*reinterpret_cast<uintptr_t*>(slot.address)) + '\n';
    }
  });
  return text;
}

// Returns the mappings of libraries. Others are left out because the JVM maps and unmaps files at
// any time.
std::string Protections() {
  std::ifstream maps("/proc/self/maps");
  std::string text;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(".so") != std::string::npos) text += line + '\n';
  }
  return text;
}

std::string Timers() {
  std::ifstream timers("/proc/self/timers");
  std::stringstream text;
  text << timers.rdbuf();
  return text.str();
}

std::string SignalActions() {
  std::string text;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0) continue;
    text += std::to_string(signal) + ' ' + Hex(reinterpret_cast<uintptr_t>(action.sa_sigaction)) +
            ' ' + Hex(static_cast<uintptr_t>(action.sa_flags));
    for (int other = 1; other < NSIG; ++other) {
      text += sigismember(&action.sa_mask, other) == 1 ? '1' : '0';
    }
    text += '\n';
  }
  return text;
}

// --- the other profiler ---

CreateFunction g_create_below = nullptr;
struct sigaction g_action_below {};
int g_creations = 0;
volatile sig_atomic_t g_signals = 0;

int OtherCreate(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                void* argument) {
  ++g_creations;
  return g_create_below(thread, attributes, routine, argument);
}

void OtherHandler(int, siginfo_t*, void*) { g_signals = g_signals + 1; }

// Returns the plugin's slot for pthread_create.
CreateFunction* Slot() {
  CreateFunction* slot = nullptr;
  ForEachObject([&](const dl_phdr_info& info) {
    const jprof::LoadedObject object(info);
    if (!object.Holds(reinterpret_cast<uintptr_t>(&BurnInThread), 1, PF_X)) return;
    for (const jprof::ImportSlot& found : jprof::test::ImportsOf(info, kNames)) {
      if (found.name == 0) slot = reinterpret_cast<CreateFunction*>(found.address);
    }
  });
  return slot;
}

}  // namespace

extern "C" {

JNIEXPORT jstring JNICALL Java_Restored_slots(JNIEnv* jni, jclass) {
  return jni->NewStringUTF(Slots().c_str());
}

JNIEXPORT jstring JNICALL Java_Restored_protections(JNIEnv* jni, jclass) {
  return jni->NewStringUTF(Protections().c_str());
}

JNIEXPORT jstring JNICALL Java_Restored_timers(JNIEnv* jni, jclass) {
  return jni->NewStringUTF(Timers().c_str());
}

JNIEXPORT jstring JNICALL Java_Restored_signalActions(JNIEnv* jni, jclass) {
  return jni->NewStringUTF(SignalActions().c_str());
}

JNIEXPORT void JNICALL Java_Restored_otherTakesSlot(JNIEnv*, jclass) {
  g_create_below = *Slot();
  *Slot() = OtherCreate;
}

// Restores the slot as most profilers do: writes the old value even if the slot has been changed
// since.
JNIEXPORT void JNICALL Java_Restored_otherGivesSlotBack(JNIEnv*, jclass) {
  *Slot() = g_create_below;
}

JNIEXPORT void JNICALL Java_Restored_otherTakesSignal(JNIEnv*, jclass) {
  struct sigaction action {};
  action.sa_sigaction = OtherHandler;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGPROF, &action, &g_action_below);
}

JNIEXPORT void JNICALL Java_Restored_otherGivesSignalBack(JNIEnv*, jclass) {
  sigaction(SIGPROF, &g_action_below, nullptr);
}

// Creates a thread that does nothing, through the plugin's slot.
JNIEXPORT void JNICALL Java_Restored_createThread(JNIEnv*, jclass) { BurnInThread("short", 0); }

JNIEXPORT void JNICALL Java_Restored_raiseSignal(JNIEnv*, jclass) { raise(SIGPROF); }

JNIEXPORT jint JNICALL Java_Restored_creationsSeenByOther(JNIEnv*, jclass) { return g_creations; }

JNIEXPORT jint JNICALL Java_Restored_signalsSeenByOther(JNIEnv*, jclass) { return g_signals; }

}  // extern "C"
