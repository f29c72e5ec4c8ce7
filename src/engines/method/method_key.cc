#include "engines/method/method_key.h"

#include <memory>

#include "chunks/class_constants.h"
#include "engines/method/traced_methods.h"

namespace jprof {

uint32_t MethodKey(uint32_t number, ConstantPools& pools) {
  const std::shared_ptr<const TracedMethod> method = TracedMethods::OfProcess().Find(number);
  if (method == nullptr) return 0;
  return pools.Method({ClassKey(*method->declaring, pools), method->name, method->descriptor,
                       method->modifiers, false});
}

}  // namespace jprof
