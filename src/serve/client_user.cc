#include "serve/client_user.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>

#include "os/read_file.h"

namespace jprof {
namespace {

// TCP_ESTABLISHED (Linux v6.1 include/net/tcp_states.h). The listed user is right only in this
// state: the kernel lists a closed socket as root's.
constexpr std::string_view kEstablished = "01";

// Returns an address as the kernel writes it (Linux v6.1 net/ipv4/tcp_ipv4.c, get_tcp4_sock).
std::string Listed(const sockaddr_in& address) {
  char text[32];
  std::snprintf(text, sizeof text, "%08X:%04X", address.sin_addr.s_addr, ntohs(address.sin_port));
  return text;
}

}  // namespace

std::optional<uid_t> ClientUser(int connection) {
  sockaddr_in client = {};
  sockaddr_in server = {};
  socklen_t client_bytes = sizeof client;
  socklen_t server_bytes = sizeof server;
  if (getpeername(connection, reinterpret_cast<sockaddr*>(&client), &client_bytes) != 0 ||
      getsockname(connection, reinterpret_cast<sockaddr*>(&server), &server_bytes) != 0) {
    return std::nullopt;
  }
  // An IPv6 socket that is connected to an IPv4 address is in the second list, where its addresses
  // have more digits at their start.
  for (const char* const list : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    const Result<std::string> text = ReadFile(list);
    if (!text) continue;
    std::istringstream lines(text.value());
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string number;
      std::string from;
      std::string to;
      std::string state;
      std::string skipped;
      uid_t user = 0;
      words >> number >> from >> to >> state;
      if (!from.ends_with(Listed(client)) || !to.ends_with(Listed(server))) continue;
      if (state != kEstablished) return std::nullopt;
      // Skips the columns of the queues, the timer and the retransmissions.
      if (words >> skipped >> skipped >> skipped >> user) return user;
    }
  }
  return std::nullopt;
}

}  // namespace jprof
