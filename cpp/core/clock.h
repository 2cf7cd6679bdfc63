// clock.h - the wall time of searches, in seconds; it stands still while the process is paused.
//
// All of it is one number, so that readers on other threads never see time go back: time that was lost while the
// clock was held, or, while it is held, the complement of the moment at which it stands.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace shoal {

class Clock {
 public:
  static double now() { return static_cast<double>(nanoseconds()) * 1e-9; }

  static void hold() {
    if (state().load() >= 0) state().store(~nanoseconds());
  }
  static void go_on() {
    if (const std::int64_t held = state().load(); held < 0) state().store(steady() - ~held);
  }

 private:
  static std::int64_t nanoseconds() {
    const std::int64_t held = state().load(std::memory_order_relaxed);
    return held < 0 ? ~held : steady() - held;
  }
  static std::int64_t steady() {
    using std::chrono::nanoseconds, std::chrono::steady_clock;
    return std::chrono::duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
  }
  static std::atomic<std::int64_t>& state() {
    static std::atomic<std::int64_t> lost{0};
    return lost;
  }
};

}  // namespace shoal
