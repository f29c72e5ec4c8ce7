// LibraryEvents: jdk.NativeLibrary for each library, once per file, when the library is first seen.
//
// The recorder's thread.
#pragma once

#include "chunks/chunk_participant.h"
#include "chunks/native_names.h"

namespace jprof {

class LibraryEvents final : public ChunkParticipant {
 public:
  explicit LibraryEvents(NativeNames& natives) : natives_(natives) {}

  void AddSettings(EventSettings& settings) const override {
    settings.Enable(JfrType::kNativeLibrary);
  }
  void BeforeSamples(OpenChunk& chunk) override;
  // After the samples, which refer to the libraries.
  void AfterSamples(OpenChunk& chunk) override;
  // The libraries are events of the next chunk.
  uint64_t Forget() override;
  void BeginFile() override { natives_.BeginFile(); }

 private:
  NativeNames& natives_;
};

}  // namespace jprof
