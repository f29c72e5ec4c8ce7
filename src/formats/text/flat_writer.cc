#include "formats/text/flat_writer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "formats/output_stream.h"
#include "formats/text/error_text.h"
#include "formats/text/frame_sums.h"
#include "formats/text/method_sums.h"
#include "formats/text/text_writer.h"

namespace jprof {
namespace {

class FlatWriter : public TextWriter {
 public:
  using TextWriter::TextWriter;

  profile::StackUse UseOfStacks() const override { return profile::StackUse::kUntilForgotten; }
  void OnStacksForgotten(const profile::Profile& profile) override {
    table().Finish();
    sums_.Add(profile, table());
    table().Clear();
  }

 protected:
  void WriteSums(const profile::Profile& profile, uint32_t kind, const WeightText& weights,
                 OutputStream& out) override {
    sums_.Add(profile, table());
    const MethodSums::OfKind sums = sums_.Of(profile.kinds[kind], kind);
    const bool has_errors = table().HasErrors(profile.kinds[kind]);
    const size_t width = std::max<size_t>(5, weights.Of(sums.all).size());
    const auto cells = [&](const std::string& weight, const std::string& error,
                           const std::string& share) {
      return RightAligned(weight, width) + "  " +
             (has_errors ? RightAligned(error, kErrorWidth) + "  " : std::string()) +
             RightAligned(share, kShareWidth) + "  ";
    };
    const auto cells_of = [&](uint64_t weight, double variance) {
      return cells(weights.Of(weight), ErrorText(static_cast<double>(weight), variance),
                   ShareText(weight, sums.all));
    };
    out.Text(cells("self", "error", "share") + cells("total", "error", "share") +
             std::string(weights.unit()) + "\n");
    // The most self weight first; of equals the first in the order of texts.
    std::vector<const std::pair<const std::string, MethodSum>*> methods;
    for (const auto& method : sums.methods) methods.push_back(&method);
    std::ranges::stable_sort(methods, [](const auto* a, const auto* b) {
      return std::pair(a->second.self, a->second.total) >
             std::pair(b->second.self, b->second.total);
    });
    for (const auto* method : methods) {
      const auto& [text, sum] = *method;
      out.Text(cells_of(sum.self, sum.self_variance) + cells_of(sum.total, sum.total_variance) +
               text + "\n");
    }
  }

 private:
  MethodSums sums_;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeFlatWriter(const FormatOptions& options) {
  return std::make_unique<FlatWriter>(options);
}

}  // namespace jprof
