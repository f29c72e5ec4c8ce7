#include "formats/page/slow_call_graphs.h"

#include <algorithm>
#include <string>
#include <vector>

#include "formats/credible_time.h"
#include "formats/page/part_cells.h"

namespace jprof {

using profile::SlowCall;
using profile::SlowCalls;

void SlowCallGraphs::OnEvent(const profile::ProfileEvent& event) {
  if (SlowCalls::IsOfCall(event.event.type())) calls_.OnEvent(event);
}

std::string SlowCallGraphs::Note() const {
  std::string note;
  if (calls_.nested_calls() != 0) {
    note = std::to_string(calls_.nested_calls()) +
           " calls of the same methods inside these are counted alone.";
  }
  if (!calls_.has_all_samples()) {
    note += note.empty() ? "" : " ";
    note += "The recording has too many samples: calls have those of its first part only.";
  }
  return note;
}

Status SlowCallGraphs::Write(const PageModel& page, JsonWriter& json) {
  const std::vector<SlowCall> calls = calls_.Take(page.profile);
  if (calls.empty()) return {};
  json.Number("callCount", calls_.count());
  json.Text("callsNote", Note());
  json.BeginArray("calls");
  for (const SlowCall& call : calls) {
    json.BeginObject();
    json.Text("method", call.method);
    json.Number("thread", page.threads.of_thread[call.thread]);
    json.Number("startNs",
                static_cast<uint64_t>(std::max<int64_t>(
                    CredibleTime(call.time_ns) - CredibleTime(page.profile.start_ns), 0)));
    json.Number("durationNs", static_cast<uint64_t>(std::max<int64_t>(call.duration_ns, 0)));
    json.Number("exception", call.has_thrown ? 1 : 0);
    json.Texts("cells", PartCells(page, call.samples, call.time_ns, weigh_));
    json.EndObject();
  }
  json.EndArray();
  return {};
}

}  // namespace jprof
