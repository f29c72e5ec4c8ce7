#include "formats/page/slow_requests.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hex_text.h"
#include "formats/credible_time.h"

namespace jprof {
namespace {

using profile::Sample;
using profile::SampleTable;
using profile::Weigh;

uint32_t SliceOf(const SampleTable& table, int64_t begin_ns) {
  if (table.slice_ns() == 0) return 0;
  const int64_t slice =
      (CredibleTime(begin_ns) - CredibleTime(table.start_ns())) / table.slice_ns();
  return static_cast<uint32_t>(std::clamp<int64_t>(slice, 0, table.slice_count() - 1));
}

using profile::Interval;
using profile::Profile;
using profile::Sample;
using profile::SpanLog;
using profile::SpanSums;

struct Request {
  std::string name = {};
  Interval times = {};
  int64_t duration_ns = 0;  // the sum of the durations if this stands for several requests
  std::vector<Sample> samples = {};
};

// Returns the span's id and all its labels except trace_id: "0123456789abcdef tenant=7".
std::string NameOf(const SpanSums& request) {
  std::string name = HexText(static_cast<uint64_t>(request.ids.span));
  for (const std::string& other : request.others) {
    if (!other.starts_with("trace_id=")) name += " " + other;
  }
  return name;
}

std::vector<Request> Slowest(const std::vector<SpanSums>& all) {
  std::vector<Request> requests;
  for (const SpanSums& sums : all) {
    if (requests.size() == SlowRequests::kMaxRequests) break;
    requests.push_back({NameOf(sums), sums.times, sums.duration_ns()});
  }
  return requests;
}

void AddSamples(const Profile& profile, const std::vector<SpanSums>& all,
                const profile::PackedSamples& samples, std::vector<Request>& requests) {
  std::unordered_map<int64_t, size_t> places;
  for (size_t i = 0; i < requests.size(); ++i) places[all[i].ids.span] = i;
  std::unordered_map<uint32_t, size_t> by_labels;
  samples.ForEach([&](const Sample& sample) {
    const auto [place, is_new] = by_labels.try_emplace(sample.labels, requests.size());
    if (is_new) {
      const auto found = places.find(SpanIdsOf(profile, sample.labels).request());
      if (found != places.end()) place->second = found->second;
    }
    if (place->second < requests.size()) requests[place->second].samples.push_back(sample);
  });
}

Request SumOfSlowest(const std::vector<Request>& requests) {
  const size_t count = std::min(requests.size(), SlowRequests::kTogether);
  Request all{"the " + std::to_string(count) + " slowest requests", requests.front().times};
  for (size_t i = 0; i < count; ++i) {
    const Request& one = requests[i];
    all.times.from_ns = std::min(all.times.from_ns, one.times.from_ns);
    all.times.to_ns = std::max(all.times.to_ns, one.times.to_ns);
    all.duration_ns += one.duration_ns;
    all.samples.insert(all.samples.end(), one.samples.begin(), one.samples.end());
  }
  return all;
}

void WriteRequest(const PageModel& page, const Request& request, profile::Weigh weigh,
                  JsonWriter& json) {
  const auto number = [&json](const char* name, int64_t value) {
    json.Number(name, static_cast<uint64_t>(std::max<int64_t>(value, 0)));
  };
  json.BeginObject();
  json.Text("method", request.name);
  number("startNs", CredibleTime(request.times.from_ns) - CredibleTime(page.profile.start_ns));
  number("durationNs", request.duration_ns);
  number("lengthNs", CredibleTime(request.times.to_ns) - CredibleTime(request.times.from_ns));
  json.Texts("cells", PartCells(page, request.samples, request.times.from_ns, weigh));
  json.EndObject();
}

}  // namespace

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

std::vector<std::string> PartCells(const PageModel& page, const std::vector<Sample>& samples,
                                   int64_t begin_ns, Weigh weigh) {
  const uint32_t slice = SliceOf(page.table, begin_ns);
  std::vector<PageCells::Group> groups;
  for (const Sample& sample : samples) {
    const uint32_t state = std::min(sample.state, SampleTable::kMaxStates - 1);
    groups.push_back(
        {sample.kind, page.threads.of_thread[sample.thread], page.states.place[state], slice});
  }
  PageCells cells(groups);
  for (size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    cells.Add(i, page.PlaceOf(sample.stack),
              {weigh == Weigh::kSamples ? sample.samples : sample.value, profile::kNotKnown});
  }
  cells.Sort();
  std::vector<std::string> texts;
  for (const uint32_t kind : page.kinds) texts.push_back(cells.Of(kind));
  return texts;
}

void SlowRequests::OnSample(const Sample& sample) {
  if (sample.labels == 0) return;
  spans_.OnSample(sample);
  if (samples_.size() < kMaxSamples) {
    samples_.Add(sample);
  } else {
    ++samples_left_out_;
  }
}

void SlowRequests::OnEvent(const profile::ProfileEvent& event) {
  if (SpanLog::IsSpan(event.event.type())) spans_.OnEvent(event);
}

Status SlowRequests::Write(const PageModel& page, JsonWriter& json) {
  const std::vector<SpanSums> all = spans_.Requests(page.profile);
  if (all.empty()) return {};
  std::vector<Request> requests = Slowest(all);
  AddSamples(page.profile, all, samples_, requests);
  json.Number("requestCount", all.size());
  json.Text("requestsNote",
            samples_left_out_ == 0
                ? ""
                : "The recording has too many samples: requests of its later part have none.");
  json.BeginArray("requests");
  if (requests.size() > 1) WriteRequest(page, SumOfSlowest(requests), weigh_, json);
  for (const Request& request : requests) WriteRequest(page, request, weigh_, json);
  json.EndArray();
  return {};
}

}  // namespace jprof
