#include "formats/text/flat_writer.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "formats/output_stream.h"
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
    const auto write_line = [&](const std::string& self, const std::string& self_share,
                                const std::string& total, const std::string& total_share,
                                const std::string& text) {
      out.Text(RightAligned(self, width) + "  " + RightAligned(self_share, kShareWidth) + "  " +
               RightAligned(total, width) + "  " + RightAligned(total_share, kShareWidth) + "  " +
               text + "\n");
    };
    write_line("self", "share", "total", "share", std::string(weights.unit()));
    const std::vector<MethodSum> methods = MethodSumsOf(sums);
    for (const uint32_t label : LabelsInOrder(methods)) {
      const MethodSum& method = methods[label];
      write_line(weights.Of(method.self), ShareText(method.self, all), weights.Of(method.total),
                 ShareText(method.total, all), sums.texts[label]);
    }
  }
};

}  // namespace

std::unique_ptr<FormatWriter> MakeFlatWriter(const FormatOptions& options) {
  return std::make_unique<FlatWriter>(options);
}

}  // namespace jprof
