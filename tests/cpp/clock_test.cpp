// clock_test.cpp - threads that read the clock while another holds it and lets it go on.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "random_case.h"

namespace {

using namespace shoal;
using shoal::testing::check;
using shoal::testing::checks;

// More readers than cores: some are kept from theirs in the midst of a look. One that saw a pause, or a moment
// after that at which the clock stands, would see time go back at its next look.
void no_reader_sees_time_go_back(unsigned pauses) {
  std::atomic<bool> over{false}, back{false};
  std::vector<std::thread> readers;
  for (int thread = 0; thread < 8; ++thread) {
    readers.emplace_back([&] {
      for (double last = 0; !over;) {
        const double time = Clock::now();
        if (time < last) back = true;
        last = time;
      }
    });
  }
  for (unsigned pause = 0; pause < pauses; ++pause) {
    Clock::hold();
    const double stands = Clock::now();
    Clock::hold();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    check(Clock::now() == stands, "a held clock stands, held once or twice", pause);
    Clock::go_on();
    check(Clock::now() >= stands, "it goes on from where it stood", pause);
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  over = true;
  for (std::thread& reader : readers) reader.join();
  check(!back, "no reader sees time go back", pauses);
}

}  // namespace

int main(int argc, char** argv) {
  no_reader_sees_time_go_back(argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 500);
  std::printf("%d checks hold\n", checks);
}
