// The view `calls` shows the longest calls to traced methods. For each call, it shows what the
// calling thread was doing: the samples of this thread during the call.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profile/analysis/slow_calls.h"
#include "views/table_view.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::Sample;
using profile::SampleKind;
using profile::SlowCall;
using profile::SlowCalls;
using profile::Weigh;

constexpr size_t kMaxCalls = 10'000;

class CallsView : public TableView {
 public:
  explicit CallsView(const FormatOptions& options)
      : TableView(options.table), weigh_(options.total.value_or(Weigh::kValue)) {}

  bool WantsEvents(const profile::RecordedType& type) override { return SlowCalls::IsOfCall(type); }
  void OnChunk(const profile::JfrSchema& declared) override { calls_.OnChunk(declared); }
  void OnSample(const Sample& sample) override { calls_.OnSample(sample); }
  profile::StackUse UseOfStacks() const override { return profile::StackUse::kNone; }
  void OnEvent(const profile::ProfileEvent& event) override { calls_.OnEvent(event); }

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext&) override {
    const std::vector<SlowCall> calls = calls_.Take(profile);
    Table table{.title = std::to_string(calls_.count()) + " recorded calls"};
    table.if_empty = "There are none: record with --trace METHOD:TIME, for calls that take longer.";
    if (calls_.nested_calls() != 0) {
      table.title += " and " + std::to_string(calls_.nested_calls()) +
                     " of the same methods inside them, which are counted alone";
    }
    if (!calls_.has_all_samples()) table.title += ", with samples of the first part only";
    table.not_kept = calls_.count() - calls.size();
    table.columns.push_back({"duration", "duration", ValueForm::kDuration});
    const std::vector<uint32_t> kinds = KindsOf(profile, calls);
    for (const uint32_t kind : kinds) {
      const SampleKind& row = profile.kinds[kind];
      table.columns.push_back({row.name, row.name, FormOf(row, weigh_)});
      if (HasErrors(row)) table.columns.push_back({row.name + "Error", "", FormOf(row, weigh_)});
    }
    if (HasNested()) table.columns.push_back({"nestedCalls", "inside", ValueForm::kNumber});
    table.columns.push_back({"exception", "ended by"});
    table.columns.push_back({"method", "method", ValueForm::kText, Cut::kFront});
    table.columns.push_back({"thread", "thread"});
    table.columns.push_back({"startTime", "time", ValueForm::kTime});
    for (const SlowCall& call : calls) table.rows.push_back(RowOf(profile, kinds, call));
    return table;
  }

 private:
  bool HasNested() const { return calls_.nested_calls() != 0; }

  bool HasErrors(const SampleKind& kind) const {
    return weigh_ == Weigh::kValue && kind.HasError();
  }

  // Returns the kinds of the samples that were taken during the calls.
  static std::vector<uint32_t> KindsOf(const Profile& profile, const std::vector<SlowCall>& calls) {
    std::vector<bool> has(profile.kinds.size());
    for (const SlowCall& call : calls) {
      for (const Sample& sample : call.samples) has[sample.kind] = true;
    }
    std::vector<uint32_t> kinds = profile.KindsInOrder();
    std::erase_if(kinds, [&has](uint32_t kind) { return !has[kind]; });
    return kinds;
  }

  std::vector<Cell> RowOf(const Profile& profile, const std::vector<uint32_t>& kinds,
                          const SlowCall& call) const {
    std::map<uint32_t, Weight> sums;
    for (const Sample& sample : call.samples) {
      Weight& sum = sums[sample.kind];
      sum.value += static_cast<double>(weigh_ == Weigh::kSamples ? sample.samples : sample.value);
      sum.variance += sample.variance;
    }
    std::vector<Cell> row = {
        NumberCell(ValueForm::kDuration, static_cast<double>(call.duration_ns))};
    for (const uint32_t kind : kinds) {
      const SampleKind& of_kind = profile.kinds[kind];
      const Weight& sum = sums[kind];
      row.push_back(NumberCell(FormOf(of_kind, weigh_), sum.value));
      if (HasErrors(of_kind)) {
        row.push_back(ErrorCell(sum.value, of_kind.VarianceOf(sum.value, sum.variance)));
      }
    }
    if (HasNested()) {
      row.push_back(NumberCell(ValueForm::kNumber, static_cast<double>(call.nested_calls)));
    }
    row.push_back(TextCell(call.has_thrown ? "exception" : "return"));
    row.push_back(TextCell(call.method));
    row.push_back(TextCell(profile.ThreadText(call.thread)));
    row.push_back(NumberCell(ValueForm::kTime, static_cast<double>(call.time_ns)));
    return row;
  }

  const Weigh weigh_;
  SlowCalls calls_{kMaxCalls};
};

}  // namespace

std::unique_ptr<FormatWriter> MakeCallsView(const FormatOptions& options) {
  return std::make_unique<CallsView>(options);
}

}  // namespace jprof
