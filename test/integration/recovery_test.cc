// A recording survives its JVM, and a full disk.
#include "integration/recovery_fixture.h"

namespace jprof::test {
namespace {

class RecoveryShortTest : public RecoveryTest {};
JPROF_ON_EVERY_JDK(RecoveryShortTest);

TEST_P(RecoveryShortTest, AKilledJvmLosesAtMostOneChunk) { KillAndRead(8); }

TEST_P(RecoveryShortTest, AFullDiskLosesNoSealedChunk) { FillAndRead(1); }

}  // namespace
}  // namespace jprof::test
