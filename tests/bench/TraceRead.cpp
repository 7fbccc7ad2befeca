//===- TraceRead.cpp - time to read, query and analyse a large trace ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// trace_read [EVENTS [FILE]]: makes a trace of that many events (1,000,000)
// unless FILE is given, and reads it. One JSON line a figure.
//
//===----------------------------------------------------------------------===//
#include "profiler/ChromeTraceReader.h"
#include "profiler/CriticalPath.h"
#include "profiler/Statistics.h"
#include "profiler/Utilisation.h"
#include "tests/bench/BenchLine.h"
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sys/resource.h>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::profiler;

/// Tasks on 64 cores, each waiting for one of a few before it, written as other
/// tools write them.
static void makeTrace(const std::string &path, uint64_t events) {
  std::ofstream file(path);
  std::mt19937 generator(1);
  std::vector<double> free(64, 0);
  file << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  char line[320];
  for (uint64_t i = 0; i < events; ++i) {
    uint32_t core = generator() % 64;
    double length = 1 + double(generator() % 9000) / 1000;
    std::snprintf(line, sizeof line,
                  "%s{\"name\":\"kernel_%u\",\"cat\":\"task\",\"ph\":\"X\","
                  "\"ts\":%.3f,\"dur\":%.3f,\"pid\":1,\"tid\":%u,\"args\":"
                  "{\"key\":\"f/op%u\",\"grid\":[%u,%u]}}",
                  i ? ",\n" : "", uint32_t(generator() % 40), free[core],
                  length, core, uint32_t(generator() % 40), uint32_t(i % 48),
                  uint32_t(i / 48 % 24));
    file << line;
    free[core] += length + double(generator() % 500) / 1000;
  }
  file << "\n]}\n";
}

int main(int argc, char **argv) {
  uint64_t events = argc > 1 ? std::stoull(argv[1]) : 1'000'000;
  std::string path =
      argc > 2 ? argv[2]
               : "/tmp/trace_read-" + std::to_string(getpid()) + ".json";
  if (argc <= 2)
    makeTrace(path, events);
  double megabytes = double(std::filesystem::file_size(path)) / 1e6;

  auto figure = [&](std::string name, const std::vector<double> &times) {
    bench::Line line;
    line.name = std::move(name);
    line.unit = "ms";
    line.measured(times);
    line.print();
    return line.value;
  };
  model::Diagnostic error;
  std::optional<TraceStore> store;
  std::vector<double> times;
  for (int round = 0; round < (megabytes > 500 ? 2 : 7); ++round) {
    store.reset();
    bench::Timer timer;
    store = readChromeTrace(path, error);
    times.push_back(timer.milliseconds());
    if (!store) {
      std::cerr << error.code << ": " << error.message << "\n";
      return 1;
    }
  }
  std::string size = std::to_string(store->size()) + " events";
  double read = figure("read " + size, times);
  bench::Line rate;
  rate.name = "read rate of " + size;
  rate.value = megabytes / read * 1000;
  rate.unit = "MB/s";
  rate.print();
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  bench::Line memory;
  memory.name = "peak memory of reading " + size;
  memory.value = double(usage.ru_maxrss) / 1024;
  memory.unit = "MiB";
  memory.print();

  auto timed = [&](auto work) {
    std::vector<double> rounds;
    for (int round = 0; round < 7; ++round) {
      bench::Timer timer;
      work();
      rounds.push_back(timer.milliseconds());
    }
    return rounds;
  };
  figure("draw all lanes of " + size + " at 1920 columns", timed([&] {
           for (uint32_t l = 0; l < store->lanes.size(); ++l)
             (void)store->buckets(l, store->range(), 1920);
         }));
  figure("utilisation of " + size, timed([&] { (void)utilisation(*store); }));
  figure("critical path of " + size,
         timed([&] { (void)criticalPath(*store); }));
  figure("kernel statistics of " + size,
         timed([&] { (void)kernelStatistics(*store); }));
  if (argc <= 2)
    std::filesystem::remove(path);
}
