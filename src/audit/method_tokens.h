// MethodTokens gives the same number to a method that our walker has found and to a jmethodID if
// both have the same names: class, method and descriptor. The id of a walked method and a jmethodID
// have nothing else in common (docs/adr/0020).
//
// Bounded: when kMostMethods are known, all are forgotten. Numbers are hashes of the names, so
// they stay the same.
//
// Thread-safe. Called on attached threads, not in signal handlers; no lock is held during calls
// into the JVM.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

class MethodTokens {
 public:
  // Returns the tokens of the process, which are never freed: a callback of the JVM can still run
  // after the recording.
  static MethodTokens& OfProcess();

  // Returns the number of the method with these names: "package/Class.method(I)V".
  static uint64_t TokenOf(std::string_view names);

  // Returns the number of a walked method; 0 if its names cannot be read. `id` is the id that
  // LoadJavaMethod has made, and `method` is the address of the Method. REQUIRES: the method is on
  // the stack of the calling thread; faults of guarded loads are caught.
  uint64_t OfWalked(const HotspotLayout& vm, uint64_t id, uint64_t method);

  // Returns the number of a method in a stack of the JVM; 0 if the JVM does not name it.
  uint64_t OfJvm(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method);

  // Returns the names of the method with this number; "?" if they are forgotten or unknown.
  std::string TextOf(uint64_t token);

 private:
  static constexpr size_t kMostMethods = 20'000;
  using Tokens = std::unordered_map<uint64_t, uint64_t>;

  // Returns tokens[key]; 0 if there is none.
  uint64_t Find(const Tokens& tokens, uint64_t key);
  // Stores the number of `text` as tokens[key], and returns the number.
  uint64_t Learn(Tokens& tokens, uint64_t key, std::string text);

  std::mutex mutex_;                                 // guards all below
  Tokens walked_;                                    // keyed by id
  Tokens of_jvm_;                                    // keyed by jmethodID
  std::unordered_map<uint64_t, std::string> texts_;  // keyed by token
};

}  // namespace jprof
