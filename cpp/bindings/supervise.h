// supervise.h - runs a search of the core for a Python caller.
//
// A search runs on a thread of its own without the interpreter lock. The calling thread wakes every 50 ms,
// lets Python handle signals and hands on the progress; Ctrl-C therefore ends a search within a node.
#pragma once

#include <nanobind/nanobind.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "core/base/search.h"

namespace shoal::bindings {

// What the search thread says and the calling thread hands on.
struct Channel {
  std::mutex mutex;
  std::condition_variable changed;
  Progress latest;
  std::vector<Progress> trace;
  bool fresh = false, done = false;
  std::exception_ptr failure;
};

template <class Outcome>
struct Answer {
  Outcome outcome;
  bool interrupted = false;
  double seconds = 0;
  std::vector<Progress> trace;
};

// The options of a search that may end before its proof.
inline Options within(std::optional<double> seconds, std::optional<std::int64_t> nodes,
                      std::optional<double> gap = {}) {
  Options options;
  if (seconds) options.budget.seconds = *seconds;
  if (nodes) options.budget.nodes = *nodes;
  if (gap) options.budget.gap = *gap;
  return options;
}

// `search` takes the options, to which a flag that stops it and a place to report to are added here.
template <class Outcome, class Search>
Answer<Outcome> supervise(const Search& search, Options options, const nanobind::object& callback) {
  namespace nb = nanobind;
  Channel channel;
  std::atomic<bool> stop{false};
  options.stop = &stop;
  options.report = [&](const Progress& progress) {
    const std::lock_guard lock(channel.mutex);
    const bool news = channel.trace.empty() || channel.trace.back().cost != progress.cost ||
                      progress.seconds - channel.trace.back().seconds > 0.5;
    if (news) channel.trace.push_back(progress);
    channel.latest = progress;
    channel.fresh = true;
  };
  Answer<Outcome> answer;
  const double started = Clock::now();
  std::optional<nb::python_error> raised;
  {
    nb::gil_scoped_release released;
    std::thread worker([&] {
      try {
        answer.outcome = search(options);
      } catch (...) {
        channel.failure = std::current_exception();
      }
      const std::lock_guard lock(channel.mutex);
      channel.done = true;
      channel.changed.notify_one();
    });
    std::unique_lock lock(channel.mutex);
    while (!channel.changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return channel.done; })) {
      const bool fresh = std::exchange(channel.fresh, false);
      const Progress latest = channel.latest;
      lock.unlock();
      {
        nb::gil_scoped_acquire acquired;
        try {
          if (PyErr_CheckSignals() != 0) throw nb::python_error();
          if (fresh && !callback.is_none() && !raised)
            callback(latest.cost, latest.bound, latest.nodes, latest.seconds);
        } catch (nb::python_error& error) {
          stop = true;
          if (error.matches(PyExc_KeyboardInterrupt)) answer.interrupted = true;
          else raised.emplace(error);
        }
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (raised) throw std::move(*raised);
  if (channel.failure) std::rethrow_exception(channel.failure);
  answer.seconds = Clock::now() - started;
  answer.trace = std::move(channel.trace);
  return answer;
}

}  // namespace shoal::bindings
