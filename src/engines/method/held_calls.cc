#include "engines/method/held_calls.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "chunks/context_fields.h"
#include "chunks/sample_events.h"
#include "engines/method/call_report.h"

namespace jprof {

void HeldCalls::Outermost::Add(const Outermost& inner) {
  Add(inner.call);
  for (const Call& each : inner.inside) Add(each);
  if (inner.innermost) AddOther(*inner.innermost);
  counted += inner.counted;
}

void HeldCalls::Outermost::Add(const Call& inner) {
  const auto duration = [](const Call& each) { return each.event.duration_ns; };
  inside.insert(std::ranges::upper_bound(inside, duration(inner), std::ranges::greater(), duration),
                inner);
  if (inside.size() <= kMostInside) return;
  AddOther(inside.back());
  inside.pop_back();
}

void HeldCalls::Outermost::AddOther(const Call& inner) {
  if (!innermost) {
    innermost = inner;
    return;
  }
  if (inner.end_ns() < innermost->end_ns()) innermost = inner;
  ++counted;
}

void HeldCalls::Hold(const ResolvedSample& resolved) {
  const auto payload = resolved.sample.Payload<MethodPayload>();
  Outermost last;
  last.call.event.time_ns = payload.start_ns;
  last.call.event.duration_ns = static_cast<int64_t>(resolved.sample.weight);
  last.call.event.thread_key = resolved.thread_key;
  last.call.event.stack_key = resolved.stack_key;
  last.call.event.is_exception = payload.is_exception;
  last.call.event.thrown_key = resolved.classes.KeyOf(payload.thrown_class);
  last.call.number = payload.number;
  last.call.trace = resolved.sample.trace;
  last.call.context = resolved.sample.context;

  std::deque<Outermost>& calls = open_[{resolved.thread_key, payload.number}];
  // A virtual thread leaves its samples with several carriers, which are drained one by one: the
  // outer call can come first.
  if (!calls.empty() && calls.back().call.IsAround(last.call)) {
    held_ -= calls.back().written();
    std::swap(calls.back(), last);
    held_ += calls.back().written();
  }
  while (!calls.empty() && last.call.IsAround(calls.back().call)) {
    held_ -= calls.back().written();
    last.Add(calls.back());
    calls.pop_back();
  }
  held_ += last.written();
  calls.push_back(std::move(last));
  if (calls.size() <= kMostOpen) return;
  ended_.push_back(std::move(calls.front()));
  calls.pop_front();
}

void HeldCalls::EndAll() {
  for (auto& [key, calls] : open_) std::ranges::move(calls, std::back_inserter(ended_));
  open_.clear();
}

void HeldCalls::Write(OpenChunk& open) {
  if (open.is_last || held_ > kMostHeld) EndAll();
  const auto write = [&](Call call, uint64_t nested_calls) {
    call.event.method_key = MethodKey(call.number, open.writer.pools());
    call.event.nested_calls = nested_calls;
    open.writer.SetTrailing(open.contexts.ValuesOf(call.trace, call.context));
    open.writer.Append(call.event);
    open.writer.SetTrailing({});
  };
  for (const Outermost& outermost : ended_) {
    write(outermost.call, outermost.counted);
    for (const Call& call : outermost.inside) write(call, 0);
    if (outermost.innermost) write(*outermost.innermost, 0);
    held_ -= outermost.written();
  }
  ended_.clear();
}

uint64_t HeldCalls::Forget() {
  open_.clear();
  ended_.clear();
  return std::exchange(held_, 0);
}

}  // namespace jprof
