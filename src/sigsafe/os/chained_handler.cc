#include "sigsafe/os/chained_handler.h"

namespace jprof {

void ChainedHandler::Set(const struct sigaction& previous) {
  SimpleHandler simple = nullptr;
  InfoHandler with_info = nullptr;
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    with_info = previous.sa_sigaction;
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    simple = previous.sa_handler;
  }
  simple_.store(simple, std::memory_order_release);
  with_info_.store(with_info, std::memory_order_release);
}

void ChainedHandler::Forward(int signal, siginfo_t* info, void* context) const {
  if (const InfoHandler handler = with_info_.load(std::memory_order_acquire)) {
    handler(signal, info, context);
  } else if (const SimpleHandler plain = simple_.load(std::memory_order_acquire)) {
    plain(signal);
  }
}

}  // namespace jprof
