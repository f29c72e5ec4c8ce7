// The words that compiled methods push below their frames: on AArch64, none.
#include "sigsafe/hotspot/pushed_words.h"

namespace jprof {

int LoweredWords(const CodeBlob&, uint64_t) { return 0; }
int PushedForCall(uint64_t) { return 0; }
int WordsBelowSavedPointer(uint64_t, uint64_t) { return 0; }

}  // namespace jprof
