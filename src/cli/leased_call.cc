#include "cli/leased_call.h"

namespace jprof {

// An agent loaded by an older jprof may not know the lease, or not for this command.
Outcome<AgentAnswer> ExecuteLeased(const std::string& options, const std::optional<Lease>& lease,
                                   Nanos wait_ns, AgentCall& call) {
  if (!lease) return call.Execute(options, Deadline::In(wait_ns));
  Outcome<AgentAnswer> answer =
      call.Execute(options + ",lease=" + lease->path(), Deadline::In(wait_ns));
  if (answer || answer.error().message().find("'lease") == std::string::npos) return answer;
  return call.Execute(options, Deadline::In(wait_ns));
}

}  // namespace jprof
