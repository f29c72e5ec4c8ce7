#include "sigsafe/os/chained_handler.h"

#include <gtest/gtest.h>

#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;

struct Seen {
  int simple_calls = 0;
  int info_calls = 0;
  int signal = 0;
  siginfo_t* info = nullptr;
  void* context = nullptr;
};
Seen g_seen;

void OnSimple(int signal) {
  ++g_seen.simple_calls;
  g_seen.signal = signal;
}

void OnInfo(int signal, siginfo_t* info, void* context) {
  ++g_seen.info_calls;
  g_seen.signal = signal;
  g_seen.info = info;
  g_seen.context = context;
}

struct sigaction Simple(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  return action;
}

struct sigaction WithInfo(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  return action;
}

class ChainedHandlerTest : public testing::Test {
 protected:
  ChainedHandlerTest() { g_seen = {}; }

  void Forward() {
    InSignal([&] { chain_.Forward(SIGPROF, &info_, this); });
  }

  ChainedHandler chain_;
  siginfo_t info_{};
};

TEST_F(ChainedHandlerTest, AHandlerThatWantsTheInfoGetsAllThreeArguments) {
  chain_.Set(WithInfo(OnInfo));
  Forward();
  EXPECT_EQ(g_seen.info_calls, 1);
  EXPECT_EQ(g_seen.signal, SIGPROF);
  EXPECT_EQ(g_seen.info, &info_);
  EXPECT_EQ(g_seen.context, this);
}

TEST_F(ChainedHandlerTest, ASimpleHandlerGetsTheSignal) {
  chain_.Set(Simple(OnSimple));
  Forward();
  EXPECT_EQ(g_seen.simple_calls, 1);
  EXPECT_EQ(g_seen.info_calls, 0);
  EXPECT_EQ(g_seen.signal, SIGPROF);
}

TEST_F(ChainedHandlerTest, TheDefaultActionAndIgnoreDoNothing) {
  for (void (*disposition)(int) : {SIG_DFL, SIG_IGN}) {
    chain_.Set(Simple(disposition));
    Forward();
  }
  EXPECT_EQ(g_seen.simple_calls + g_seen.info_calls, 0);
}

TEST_F(ChainedHandlerTest, WithoutAPreviousActionNothingIsCalled) {
  Forward();
  EXPECT_EQ(g_seen.simple_calls + g_seen.info_calls, 0);
  EXPECT_EQ(g_seen.signal, 0);
}

TEST_F(ChainedHandlerTest, OnlyTheLastActionSetIsCalled) {
  chain_.Set(WithInfo(OnInfo));
  chain_.Set(Simple(OnSimple));
  Forward();
  EXPECT_EQ(g_seen.info_calls, 0);
  EXPECT_EQ(g_seen.simple_calls, 1);
  chain_.Set(WithInfo(OnInfo));
  Forward();
  EXPECT_EQ(g_seen.simple_calls, 1);
  EXPECT_EQ(g_seen.info_calls, 1);
  chain_.Set(Simple(SIG_DFL));
  Forward();
  EXPECT_EQ(g_seen.simple_calls + g_seen.info_calls, 2);
}

}  // namespace
}  // namespace jprof
