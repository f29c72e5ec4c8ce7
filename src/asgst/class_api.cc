// The functions of include/profiler/asgst.h about unloaded classes.
#include "asgst/class_unloads.h"
#include "profiler/asgst.h"
#include "sigsafe/asgst/exported.h"
#include "sigsafe/asgst/stack_iterator.h"
#include "sigsafe/os/forked_child.h"

using namespace jprof::asgst;  // NOLINT(google-build-using-namespace): the entries of the library

extern "C" {

JPROF_EXPORTED int ASGST_RegisterClassUnloadHandler(ASGST_ClassUnloadHandler handler,
                                                    void* argument) {
  if (jprof::InForkedChild()) return kForkedProcess;
  if (handler == nullptr) return kWrongArgument;
  return ClassUnloads::OfProcess().Add(handler, argument) ? kMore : kNotStarted;
}

JPROF_EXPORTED bool ASGST_DeregisterClassUnloadHandler(ASGST_ClassUnloadHandler handler,
                                                       void* argument) {
  return !jprof::InForkedChild() && ClassUnloads::OfProcess().Remove(handler, argument);
}

}  // extern "C"
