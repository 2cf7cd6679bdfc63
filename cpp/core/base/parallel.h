// parallel.h - tasks over threads that live as long as the call.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace shoal {

// Run task(i, worker) for every i below `tasks`, in no fixed order; workers are numbered from 0. The first failure of
// any thread (memory can run out) is thrown again in the calling one.
template <class Task>
void parallel(std::size_t tasks, int threads, const Task& task) {
  const std::size_t workers = std::min<std::size_t>(std::max(threads, 1), tasks);
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> failures(workers);
  const auto work = [&](std::size_t worker) {
    try {
      for (std::size_t i; (i = next.fetch_add(1)) < tasks;) task(i, worker);
    } catch (...) {
      failures[worker] = std::current_exception();
    }
  };
  std::vector<std::thread> helpers;
  for (std::size_t worker = 1; worker < workers; ++worker) helpers.emplace_back(work, worker);
  if (workers > 0) work(0);
  for (std::thread& helper : helpers) helper.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace shoal
