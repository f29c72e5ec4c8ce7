// Tests the slow requests on the page of a recording with synthetic spans.
#include "formats/page/slow_requests.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <regex>
#include <string>
#include <vector>

#include "base/scoped_fd.h"
#include "formats/convert_to.h"
#include "formats/page/page_writer.h"
#include "profile/span_recording.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kMillis = 1'000'000;

struct Request {
  std::string name, duration_ns, length_ns, cells;
};

class SlowRequestsTest : public ::testing::Test {
 protected:
  void Sample(int64_t at_ms, int thread, int64_t span, int64_t root) {
    recording_.Sample(at_ms, {.span = span, .root = root}, thread);
  }
  void Scope(int64_t from_ms, int64_t to_ms, int64_t span, int64_t root) {
    recording_.Scope(from_ms, to_ms, {.span = span, .root = root});
  }

  std::string Page() {
    recording_.Seal(5000);
    const ScopedFd fd(memfd_create("page", MFD_CLOEXEC));
    const auto report = test::ConvertTo(path_, *AgentFormats().Named("html"), fd.get(), {});
    EXPECT_TRUE(report.ok()) << report.error().message();
    std::string text(static_cast<size_t>(lseek(fd.get(), 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(fd.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }

  static std::vector<Request> Requests(const std::string& page) {
    static const std::regex row(
        R"re(\{"method":"([^"]*)","startNs":\d+,"durationNs":(\d+),"lengthNs":(\d+),"cells":\["([^"]*)"\]\})re");
    std::vector<Request> requests;
    for (std::sregex_iterator at(page.begin(), page.end(), row), end; at != end; ++at) {
      requests.push_back({(*at)[1], (*at)[2], (*at)[3], (*at)[4]});
    }
    return requests;
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
  test::SpanRecording recording_{path_};
};

std::vector<std::string> Texts(const std::vector<Request>& requests) {
  std::vector<std::string> texts;
  for (const Request& request : requests) {
    texts.push_back(request.name + " " + request.duration_ns + " " + request.length_ns);
  }
  return texts;
}

// A request consists of a root span and of all spans, in any thread, that have it as local root.
TEST_F(SlowRequestsTest, AreTheLongestRootsWithSamplesOfTheirSpans) {
  Scope(100, 400, 1, 1);
  Scope(1000, 1900, 5, 5);
  Sample(150, 1, 1, 1);
  Sample(160, 2, 2, 1);
  Sample(1100, 1, 6, 5);
  Sample(2000, 1, 0, 0);
  const std::string page = Page();
  const std::vector<Request> requests = Requests(page);
  EXPECT_THAT(Texts(requests), ElementsAre("the 2 slowest requests 1200000000 1800000000",
                                           "0000000000000005 900000000 900000000",
                                           "0000000000000001 300000000 300000000"));
  EXPECT_THAT(page, HasSubstr("\"requestCount\":2"));
  // requests[1] has one cell of one sample, and requests[2] one cell for each of two threads.
  // requests[0], the summary, has all three cells.
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_LT(requests[1].cells.size(), requests[2].cells.size());
  EXPECT_LT(requests[2].cells.size(), requests[0].cells.size());
}

TEST_F(SlowRequestsTest, AreMissingWithoutSpans) {
  Sample(150, 1, 0, 0);
  EXPECT_THAT(Page(), Not(HasSubstr("\"requests\":")));
}

TEST_F(SlowRequestsTest, KeepsTheLongestAndCountsTheOthers) {
  const auto most = static_cast<int64_t>(SlowRequests::kMaxRequests);
  Sample(1, 1, 0, 0);
  for (int64_t span = 1; span <= most + 20; ++span) Scope(0, 10 * span, span, span);
  const std::string page = Page();
  const std::vector<Request> requests = Requests(page);
  ASSERT_EQ(requests.size(), SlowRequests::kMaxRequests + 1);
  EXPECT_EQ(requests[0].name, "the 10 slowest requests");
  EXPECT_EQ(requests[1].duration_ns, std::to_string(10 * (most + 20) * kMillis));
  EXPECT_THAT(page, HasSubstr("\"requestCount\":" + std::to_string(most + 20)));
}

}  // namespace
}  // namespace jprof
