// workers.h - one node expander per thread, and tasks spread over them.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "core/node_expander.h"

namespace shoal {

class Workers {
 public:
  explicit Workers(std::vector<std::unique_ptr<NodeExpander>> expanders) : expanders_(std::move(expanders)) {}

  NodeExpander& first() { return *expanders_.front(); }

  // Calls task(i, expander) for every i below `tasks`. The first failure of any thread (memory can run out) ends
  // the search like one of the calling thread.
  template <class Task>
  void each(std::size_t tasks, const Task& task) {
    std::atomic<std::size_t> next{0};
    std::vector<std::exception_ptr> failures(expanders_.size());
    const auto work = [&](std::size_t thread) {
      try {
        for (std::size_t i; (i = next.fetch_add(1)) < tasks;) task(i, *expanders_[thread]);
      } catch (...) {
        failures[thread] = std::current_exception();
      }
    };
    std::vector<std::thread> helpers;
    for (std::size_t t = 1; t < std::min(expanders_.size(), tasks); ++t) helpers.emplace_back(work, t);
    work(0);
    for (std::thread& helper : helpers) helper.join();
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }

 private:
  std::vector<std::unique_ptr<NodeExpander>> expanders_;
};

}  // namespace shoal
