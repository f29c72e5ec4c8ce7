// The user who connected to this machine's loopback interface. Thread-safe: no state.
#pragma once

#include <sys/types.h>

#include <optional>

namespace jprof {

// The user of the socket at the other end of the TCP connection, as the kernel lists it; nullopt if
// it does not, or that end was closed or shut down since.
std::optional<uid_t> ClientUser(int connection);

}  // namespace jprof
