// MethodIds has the JVM make the jmethodIDs of all methods, while AsyncGetCallTrace walks the
// stacks.
//
// AsyncGetCallTrace cannot make ids in a signal handler, so they have to be made when a class is
// prepared. This is a large part of the cost of loading a class. Our own walker needs no jmethodIDs
// (sigsafe/hotspot/java_method.h). So ids are made from the start of a recording whose stacks
// AsyncGetCallTrace walks, or from the moment at which our walker is given up.
#pragma once

#include <jni.h>

#include <mutex>
#include <vector>

#include "chunks/chunk_participant.h"
#include "sampler/jvm_connection.h"

namespace jprof {

class MethodIds final : public ChunkParticipant {
 public:
  explicit MethodIds(JvmConnection& jvm) : jvm_(jvm) {}

  // Makes the ids of all loaded classes, and from now on of each class that is prepared. Does
  // nothing after the first call, or after End. Called on an attached thread.
  Status Begin(JNIEnv* jni);

  // Ends this. Called before the use of the walker ends.
  void End();

  // Calls Begin if our walker has been given up (walking/walking.h).
  void BeforeSamples(OpenChunk& open) override;

 private:
  JvmConnection& jvm_;
  std::mutex mutex_;  // guards all below
  bool has_begun_ = false;
  std::vector<JvmEvents::Subscription> subscriptions_;
};

}  // namespace jprof
