#include "chunks/library_events.h"

#include <string>

#include "base/modified_utf8.h"

namespace jprof {

void LibraryEvents::BeforeSamples(OpenChunk&) { natives_.LookAtLibraries(); }

uint64_t LibraryEvents::Forget() {
  natives_.LookAtLibraries();
  return 0;
}

void LibraryEvents::AfterSamples(OpenChunk& chunk) {
  for (const Library& library : natives_.TakeNewLibraries()) {
    const std::string path = Utf8FromModifiedUtf8(library.path);
    chunk.writer.Append(
        NativeLibrary{chunk.now_ns, path, library.base, library.top, library.build_id});
  }
}

}  // namespace jprof
