// clock.h - the wall time of searches, in seconds; it stands still while the process is paused.
//
// All of it is one number: the time that was lost while the clock was held, or, while it is held, the complement of
// the moment at which it stands. Readers look at it before and after they look at the system's clock: a thread that
// was stopped between the two would else see the whole pause at once, and end its search. For the same reason the
// moment of holding is taken after readers are made to wait for it: they never see time go back.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <thread>

namespace shoal {

class Clock {
 public:
  static double now() { return static_cast<double>(nanoseconds()) * 1e-9; }

  // To be called by one thread at a time, as go_on() is: the interpreter's lock sees to that.
  static void hold() {
    const std::int64_t lost = state().load();
    if (lost < 0) return;
    state().store(kUndecided);
    state().store(~(steady() - lost));
  }
  static void go_on() {
    if (const std::int64_t held = state().load(); held < 0) state().store(steady() - ~held);
  }

 private:
  static constexpr std::int64_t kUndecided = std::numeric_limits<std::int64_t>::min();

  static std::int64_t nanoseconds() {
    for (;;) {
      const std::int64_t held = state().load();
      if (held == kUndecided) {
        std::this_thread::yield();
      } else if (held < 0) {
        return ~held;
      } else if (const std::int64_t time = steady(); state().load() == held) {
        return time - held;
      }
    }
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
