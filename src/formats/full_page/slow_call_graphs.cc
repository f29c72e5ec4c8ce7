#include "formats/full_page/slow_call_graphs.h"

#include <algorithm>
#include <string>
#include <vector>

#include "formats/page/page_cells.h"

namespace jprof {
namespace {

using profile::Sample;
using profile::SampleTable;
using profile::SlowCall;
using profile::SlowCalls;
using profile::Weigh;

// All samples of a call are in the slice that it began in.
uint32_t SliceOf(const SampleTable& table, const SlowCall& call) {
  if (table.slice_ns() == 0) return 0;
  const int64_t slice = (call.time_ns - table.start_ns()) / table.slice_ns();
  return static_cast<uint32_t>(std::clamp<int64_t>(slice, 0, table.slice_count() - 1));
}

PageCells CellsOf(const PageModel& page, const SlowCall& call, Weigh weigh) {
  const uint32_t thread = page.threads.of_thread[call.thread];
  const uint32_t slice = SliceOf(page.table, call);
  std::vector<PageCells::Group> groups;
  for (const Sample& sample : call.samples) {
    const uint32_t state = std::min(sample.state, SampleTable::kMaxStates - 1);
    groups.push_back({sample.kind, thread, page.states.place[state], slice});
  }
  PageCells cells(groups);
  for (size_t i = 0; i < call.samples.size(); ++i) {
    const Sample& sample = call.samples[i];
    cells.Add(i, page.PlaceOf(sample.stack),
              {weigh == Weigh::kSamples ? sample.samples : sample.value, profile::kNotKnown});
  }
  cells.Sort();
  return cells;
}

}  // namespace

void SlowCallGraphs::OnEvent(const profile::ProfileEvent& event) {
  if (SlowCalls::IsOfCall(event.event.type())) calls_.OnEvent(event);
}

Status SlowCallGraphs::Write(const PageModel& page, JsonWriter& json) {
  const std::vector<SlowCall> calls = calls_.Take(page.profile);
  if (calls.empty()) return {};
  json.Number("callCount", calls_.count());
  json.Text("callsNote",
            calls_.has_all_samples()
                ? ""
                : "The recording has too many samples: calls of its later part have none.");
  json.BeginArray("calls");
  for (const SlowCall& call : calls) {
    const PageCells cells = CellsOf(page, call, weigh_);
    json.BeginObject();
    json.Text("method", call.method);
    json.Number("thread", page.threads.of_thread[call.thread]);
    json.Number("startNs",
                static_cast<uint64_t>(std::max<int64_t>(call.time_ns - page.profile.start_ns, 0)));
    json.Number("durationNs", static_cast<uint64_t>(std::max<int64_t>(call.duration_ns, 0)));
    json.Number("exception", call.has_thrown ? 1 : 0);
    std::vector<std::string> texts;
    for (const uint32_t kind : page.kinds) texts.push_back(cells.Of(kind));
    json.Texts("cells", texts);
    json.EndObject();
  }
  json.EndArray();
  return {};
}

}  // namespace jprof
