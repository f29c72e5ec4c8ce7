#include "formats/text/text_writer.h"

namespace jprof {

using profile::SampleTable;

TextWriter::TextWriter(const FormatOptions& options)
    : table_(options.total.value_or(profile::Weigh::kSamples), SampleTable::Slices::kOne) {}

Status TextWriter::Write(const profile::Profile& profile, const FormatContext& context,
                         OutputStream& out) {
  table_.Finish();
  WriteHeading(profile, context, out);
  if (!context.kind) return {};
  const WeightText weights(profile.kinds[*context.kind], table_.weigh());
  WriteSums(profile, *context.kind, weights, out);
  return {};
}

}  // namespace jprof
