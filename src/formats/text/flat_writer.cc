#include "formats/text/flat_writer.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "formats/output_stream.h"
#include "formats/text/error_text.h"
#include "formats/text/text_writer.h"

namespace jprof {
namespace {

// Those with weight, the most self weight first.
std::vector<uint32_t> LabelsInOrder(const std::vector<MethodSum>& methods) {
  std::vector<uint32_t> labels;
  for (uint32_t label = 0; label < methods.size(); ++label) {
    if (methods[label].total != 0) labels.push_back(label);
  }
  std::ranges::sort(labels, [&methods](uint32_t a, uint32_t b) {
    return std::tuple(methods[b].self, methods[b].total, a) <
           std::tuple(methods[a].self, methods[a].total, b);
  });
  return labels;
}

class FlatWriter : public TextWriter {
 public:
  using TextWriter::TextWriter;

 protected:
  void WriteSums(const FrameSums& sums, const WeightText& weights,
                 OutputStream& out) const override {
    const uint64_t all = sums.total[0];
    const size_t width = std::max<size_t>(5, weights.Of(all).size());
    const auto cells = [&](const std::string& weight, const std::string& error,
                           const std::string& share) {
      return RightAligned(weight, width) + "  " +
             (sums.has_errors ? RightAligned(error, kErrorWidth) + "  " : std::string()) +
             RightAligned(share, kShareWidth) + "  ";
    };
    const auto cells_of = [&](uint64_t weight, double variance) {
      return cells(weights.Of(weight), ErrorText(static_cast<double>(weight), variance),
                   ShareText(weight, all));
    };
    out.Text(cells("self", "error", "share") + cells("total", "error", "share") +
             std::string(weights.unit()) + "\n");
    const std::vector<MethodSum> methods = MethodSumsOf(sums);
    for (const uint32_t label : LabelsInOrder(methods)) {
      const MethodSum& method = methods[label];
      out.Text(cells_of(method.self, method.self_variance) +
               cells_of(method.total, method.total_variance) + sums.texts[label] + "\n");
    }
  }
};

}  // namespace

std::unique_ptr<FormatWriter> MakeFlatWriter(const FormatOptions& options) {
  return std::make_unique<FlatWriter>(options);
}

}  // namespace jprof
