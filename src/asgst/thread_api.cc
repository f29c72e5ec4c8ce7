// The function of include/profiler/asgst.h that walks another thread.
#include "asgst/stored_iterator.h"
#include "asgst/thread_walks.h"
#include "profiler/asgst.h"
#include "sigsafe/asgst/exported.h"
#include "sigsafe/os/forked_child.h"

using namespace jprof::asgst;  // NOLINT(google-build-using-namespace): the entries of the library

extern "C" JPROF_EXPORTED int ASGST_RunWithIteratorOfThread(int tid, int32_t options,
                                                            ASGST_IteratorHandler fun,
                                                            void* argument) {
  if (jprof::InForkedChild()) return kForkedProcess;
  if (fun == nullptr || (options & ~kWithNonJava) != 0) return kWrongArgument;
  if (TheApiState() == nullptr) return kNotStarted;
  const int32_t own_options = (options & kWithNonJava) != 0 ? options | kWithOtherThreads : options;
  return ThreadWalks::OfProcess().Ask(jprof::Tid{tid}, own_options,
                                      [&](const ThreadRequests::Answer& answer) {
                                        const StoredIterator iterator(answer);
                                        fun(iterator.get(), argument);
                                      });
}
