#include "audit/audit_report.h"

#include <cstdio>
#include <utility>

#include "audit/stack_audit.h"
#include "jfr/writer/jfr_events.h"

namespace jprof {

void AuditReport::Begin() const { StackAudit::Begin(share_); }

void AuditReport::End() { StackAudit::End(); }

std::string AuditReport::Total() { return "audit: " + AuditText(StackAudit::Counts()); }

std::vector<std::string> AuditReport::TakeNotes() {
  std::vector<std::string> notes = StackAudit::TakeExamples();
  for (std::string& note : notes) note.insert(0, "warning: audit: ");
  return notes;
}

void AuditReport::AddSettings(EventSettings& settings) const {
  char share[32];
  snprintf(share, sizeof share, "%g %%", share_ * 100);
  settings.Enable(JfrType::kAuditedStacks);
  settings.Set(JfrType::kAuditedStacks, "audit", share);
}

void AuditReport::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  const AuditCounts counts = StackAudit::Counts();
  const AuditCounts last = std::exchange(written_, counts);
  const auto since = [&](AuditResult result) { return counts[result] - last[result]; };
  using enum AuditResult;
  writer.Append(AuditedStacks{.time_ns = now_ns,
                              .compared = counts.compared() - last.compared(),
                              .equal = since(kEqual),
                              .missing = since(kMissing),
                              .extra = since(kExtra),
                              .wrong_method = since(kWrongMethod),
                              .wrong_index = since(kWrongIndex),
                              .wrong_order = since(kWrongOrder),
                              .cut = since(kCut),
                              .declared = since(kDeclared),
                              .not_compared = since(kNotCompared)});
}

}  // namespace jprof
