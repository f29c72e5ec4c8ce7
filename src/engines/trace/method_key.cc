#include "engines/trace/method_key.h"

#include <memory>

#include "engines/trace/traced_methods.h"
#include "recording/class_constants.h"

namespace jprof {

uint32_t MethodKey(uint32_t number, ConstantPools& pools) {
  const std::shared_ptr<const TracedMethod> method = TracedMethods::OfProcess().Find(number);
  if (method == nullptr) return 0;
  return pools.Method({ClassKey(*method->declaring, pools), method->name, method->descriptor,
                       method->modifiers, false});
}

}  // namespace jprof
