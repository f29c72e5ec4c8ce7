// LibraryEvents: jdk.NativeLibrary of each library, once per file, as soon as it is met.
//
// The recorder's thread.
#pragma once

#include "recording/chunk_participant.h"
#include "recording/native_names.h"

namespace jprof {

class LibraryEvents final : public ChunkParticipant {
 public:
  explicit LibraryEvents(NativeNames& natives) : natives_(natives) {}

  void AddSettings(EventSettings& settings) const override {
    settings.Enable(JfrType::kNativeLibrary);
  }
  // Behind the samples: these name the libraries. Nothing is forgotten where no chunk can be
  // written: then no address is looked up, and so no library met.
  void AfterSamples(OpenChunk& chunk) override;
  void BeginFile() override { natives_.BeginFile(); }

 private:
  NativeNames& natives_;
};

}  // namespace jprof
