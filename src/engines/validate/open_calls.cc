#include "engines/validate/open_calls.h"

namespace jprof {

void OpenCalls::Close(Method& method, const ThreadClocks& now) {
  if (--method.open != 0) return;
  method.sum.time.cpu_ns += now.cpu_ns - method.begin.cpu_ns;
  method.sum.time.elapsed_ns += now.elapsed_ns - method.begin.elapsed_ns;
}

void OpenCalls::EndInnermost(const ThreadClocks& now) {
  const uint32_t place = calls_.back();
  calls_.pop_back();
  if (place == kDropped) return;
  Close(methods_[place], now);
  Close(methods_[kAnyMethod], now);
}

void OpenCalls::Drop(uint32_t place, const ThreadClocks& now) {
  for (uint32_t& call : calls_) {
    if (call != place) continue;
    call = kDropped;
    Close(methods_[place], now);
    Close(methods_[kAnyMethod], now);
  }
}

void OpenCalls::Restart(const ThreadClocks& now) {
  for (Method& method : methods_) {
    method.sum = {};
    method.begin = now;
  }
}

void OpenCalls::Abandon() {
  calls_.clear();
  for (Method& method : methods_) method.open = 0;
}

void OpenCalls::AddTo(std::vector<MethodTime>& sums, const ThreadClocks& now) const {
  if (sums.size() < methods_.size()) sums.resize(methods_.size());
  for (size_t place = 0; place < methods_.size(); ++place) {
    const Method& method = methods_[place];
    MethodTime& sum = sums[place];
    sum.calls += method.sum.calls;
    sum.time.cpu_ns += method.sum.time.cpu_ns;
    sum.time.elapsed_ns += method.sum.time.elapsed_ns;
    if (method.open == 0) continue;
    sum.time.cpu_ns += now.cpu_ns - method.begin.cpu_ns;
    sum.time.elapsed_ns += now.elapsed_ns - method.begin.elapsed_ns;
  }
}

}  // namespace jprof
