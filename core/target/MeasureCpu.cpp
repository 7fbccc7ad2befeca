//===- MeasureCpu.cpp - the machine at hand as a target -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/target/MeasureCpu.h"
#include "core/model/Json.h"
#include "core/target/CpuProbes.h"
#include "core/target/MatrixTiles.h"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <set>
#include <sstream>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tilewright::target {

/// Changes whenever the probes or what is derived from them change, so that
/// old caches are measured again.
static constexpr int probeVersion = 5;

//===----------------------------------------------------------------------===//
// What the system says
//===----------------------------------------------------------------------===//

static std::string firstLine(const fs::path &path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line;
}

static std::string cpuModel() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);)
    if (line.rfind("model name", 0) == 0)
      if (size_t colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown CPU";
}

static std::vector<std::string> cpuFeatures() {
  std::vector<std::string> features;
#if defined(__x86_64__)
#define TW_FEATURE(NAME)                                                       \
  if (__builtin_cpu_supports(NAME))                                            \
    features.push_back(NAME);
  TW_FEATURE("sse4.2")
  TW_FEATURE("avx")
  TW_FEATURE("avx2")
  TW_FEATURE("fma")
  TW_FEATURE("f16c")
  TW_FEATURE("avx512f")
  TW_FEATURE("avx512dq")
  TW_FEATURE("avx512bw")
  TW_FEATURE("avx512vl")
  TW_FEATURE("avx512bf16")
  TW_FEATURE("avx512fp16")
#undef TW_FEATURE
  if (mayUseMatrixTiles()) {
    features.push_back("amx-tile");
    features.push_back("amx-bf16");
  }
#endif
  return features;
}

/// CPUs this process may run on.
static std::vector<int> allowedCpus() {
  std::vector<int> cpus;
  // Large machines need a larger set than the fixed one.
  for (int size = 1024; size <= 1 << 20; size *= 4) {
    cpu_set_t *set = CPU_ALLOC(size);
    size_t bytes = CPU_ALLOC_SIZE(size);
    if (sched_getaffinity(0, bytes, set) == 0) {
      for (int cpu = 0; cpu < size; ++cpu)
        if (CPU_ISSET_S(cpu, bytes, set))
          cpus.push_back(cpu);
      CPU_FREE(set);
      break;
    }
    CPU_FREE(set);
  }
  if (cpus.empty())
    cpus.push_back(0);
  return cpus;
}

/// Reads "0-3,8" as the system writes sets of CPUs.
static std::set<int> parseCpuList(const std::string &text) {
  std::set<int> cpus;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    int first = 0, last = 0;
    int read = std::sscanf(part.c_str(), "%d-%d", &first, &last);
    if (read < 1)
      continue;
    for (int cpu = first; cpu <= (read == 2 ? last : first) && cpu < 1 << 20;
         ++cpu)
      cpus.insert(cpu);
  }
  return cpus;
}

namespace {
struct Cache {
  int64_t bytes = 0; ///< this core's share
  std::string source;
};
} // namespace

/// A data cache of the first allowed CPU, divided by the allowed CPUs that
/// share it.
static Cache readCache(int level, const std::vector<int> &cpus) {
  fs::path folder =
      "/sys/devices/system/cpu/cpu" + std::to_string(cpus[0]) + "/cache";
  for (int index = 0; index < 8; ++index) {
    fs::path entry = folder / ("index" + std::to_string(index));
    if (firstLine(entry / "level") != std::to_string(level) ||
        firstLine(entry / "type") == "Instruction")
      continue;
    std::istringstream size(firstLine(entry / "size"));
    int64_t bytes = 0;
    char unit = 0;
    size >> bytes >> unit;
    bytes *= unit == 'K' ? 1 << 10 : unit == 'M' ? 1 << 20 : 1;
    if (bytes <= 0)
      continue;
    std::set<int> sharing = parseCpuList(firstLine(entry / "shared_cpu_list"));
    int64_t sharers = std::count_if(
        cpus.begin(), cpus.end(), [&](int cpu) { return sharing.count(cpu); });
    sharers = std::max<int64_t>(sharers, 1);
    std::string source = "read from the system";
    if (sharers > 1)
      source += ", shared by " + std::to_string(sharers) + " cores";
    return {bytes / sharers, source};
  }
  long bytes =
      sysconf(level == 1 ? _SC_LEVEL1_DCACHE_SIZE : _SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0)
    return {bytes, "read from the C library"};
  return {level == 1 ? 32 << 10 : 256 << 10,
          "assumed: the system does not tell"};
}

std::string cpuIdentity() {
  std::vector<int> cpus = allowedCpus();
  std::string identity = cpuModel() + "; features";
  for (const std::string &feature : cpuFeatures())
    identity += " " + feature;
  identity += "; cores " + std::to_string(cpus.size());
  for (int level : {1, 2})
    identity += "; cache" + std::to_string(level) + " " +
                std::to_string(readCache(level, cpus).bytes);
  return identity + "; probe " + std::to_string(probeVersion);
}

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

static RegisterBlock chooseRegisterBlock() {
  switch (vectorUnit()) {
  case VectorUnit::Avx512:
    return {12, 32, 64,
            "24 accumulators of 16 f32 in 32 registers leave room for the "
            "operands"};
  case VectorUnit::Avx2Fma:
    return {6, 16, 32,
            "12 accumulators of 8 f32 in 16 registers leave room for the "
            "operands"};
  case VectorUnit::Sse:
    return {4, 8, 16,
            "8 accumulators of 4 f32 in 16 registers leave room for the "
            "operands and products"};
  case VectorUnit::Portable:
    break;
  }
  return {4, 8, 16, "assumed: 16 registers of 16 bytes"};
}

/// How products of bf16 are made, if that is faster than in f32; `peak` and
/// `bf16Peak` are flop/s of one core.
static RegisterBlock chooseBf16Block(double peak, double bf16Peak) {
  if (vectorUnit() != VectorUnit::Avx512 || bf16Peak < 1.2 * peak)
    return {};
  RegisterBlock block;
  block.vectorBytes = 64;
  block.columns = 32;
  if (bf16Unit() == Bf16Unit::MatrixTiles) {
    block.rows = 32;
    block.lhsGroup = block.multiple = 32;
    block.rhsGroup = 2;
    block.source = "AMX: 4 tiles of 16 x 16 f32 in 8 registers leave room for "
                   "2 of each operand; 32 steps of a row fill one of the left";
  } else {
    block.rows = 12;
    block.lhsGroup = block.rhsGroup = block.multiple = 2;
    block.source = "AVX512_BF16, measured faster than f32: 24 accumulators of "
                   "16 f32 in 32 registers; sums of 2 products";
  }
  return block;
}

static Level makeLevel(const char *name, const char *description,
                       const char *kind, double capacity, double usable,
                       std::string source, std::string usableSource) {
  Level level;
  level.name = name;
  level.description = description;
  level.core = std::string(name) == Target::globalMemory ? "" : "any";
  level.kind = kind;
  level.capacity = {capacity, std::move(source)};
  level.usable = {usable, std::move(usableSource)};
  level.alignment = 64;
  level.alignmentSource = "a cache line";
  return level;
}

static void addLevels(Target &target, const std::vector<int> &cpus) {
  double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                  static_cast<double>(sysconf(_SC_PAGESIZE));
  target.levels.push_back(makeLevel("GM", "main memory", "memory", memory,
                                    memory, "read from the C library",
                                    "read from the C library"));
  Cache cache2 = readCache(2, cpus);
  target.levels.push_back(
      makeLevel("cache2", "second-level cache", "cache",
                static_cast<double>(cache2.bytes),
                static_cast<double>(cache2.bytes / 2), cache2.source,
                "half of the capacity: the rest is for what streams through"));
  Cache cache1 = readCache(1, cpus);
  target.levels.push_back(
      makeLevel("cache1", "first-level data cache", "cache",
                static_cast<double>(cache1.bytes),
                static_cast<double>(cache1.bytes - cache1.bytes / 16),
                cache1.source, "the capacity but one sixteenth for the stack"));
  int64_t vectorBytes = target.registerBlock.vectorBytes;
  int64_t registers = vectorBytes == 64 ? 32 : 16;
  std::string source = std::to_string(registers) + " registers of " +
                       std::to_string(vectorBytes) + " bytes";
  target.levels.push_back(
      makeLevel("reg", "vector registers", "register",
                static_cast<double>(registers * vectorBytes),
                static_cast<double>(registers * vectorBytes), source, source));
  target.levels.back().alignment = vectorBytes;
  target.levels.back().alignmentSource = "a register";
}

static Figure roundedFigure(double value, std::string source) {
  // Three digits are more than a probe is good for.
  std::ostringstream text;
  text.precision(4);
  text << value;
  return {std::stod(text.str()), std::move(source)};
}

/// A byte copied is a byte read and a byte written.
static constexpr double movedPerCopied = 2;

static void addMoves(Target &target, int cores) {
  constexpr size_t memoryBytes = 32 << 20;
  size_t cache1 = target.capacityBytes("cache1"),
         cache2 = target.capacityBytes("cache2");
  auto figure = [](double value, size_t bytes) {
    return roundedFigure(movedPerCopied * value,
                         "measured: reading and writing " +
                             std::to_string(bytes >> 10) + " KiB on one core");
  };
  // Source and destination fill three quarters of the level.
  size_t inCache1 = cache1 * 3 / 8, inCache2 = cache2 * 3 / 8;
  Figure registers = figure(measureCopyBandwidth(inCache1, 1), inCache1);
  Figure first = figure(measureCopyBandwidth(inCache2, 1), inCache2);
  Figure memory = figure(measureCopyBandwidth(memoryBytes, 1), memoryBytes);
  auto add = [&](const char *outer, const char *inner, const Figure &rate) {
    target.moves.push_back({outer, inner, "any", "CORE", rate, {}, {}});
    target.moves.push_back({inner, outer, "any", "CORE", rate, {}, {}});
  };
  add("GM", "cache2", memory);
  add("cache2", "cache1", first);
  add("cache1", "reg", registers);
  target.levels[0].sharedBandwidth = roundedFigure(
      cores > 1 ? movedPerCopied *
                      measureCopyBandwidth(memoryBytes, std::min(cores, 16))
                : memory.value,
      "measured: reading and writing " + std::to_string(memoryBytes >> 20) +
          " MiB on each of " + std::to_string(std::min(cores, 16)) +
          " cores at once");
}

/// A cache that all cores share, if copying shows one: what the system says of
/// it is wrong on virtual machines, which own a part of a larger one, or none.
static void addSharedCache(Target &target, int cores) {
  constexpr size_t most = 64 << 20;
  constexpr double faster = 1.4; // than main memory, to be a level of its own
  double cache2 = target.level("cache2")->capacity.value;
  double memory =
      target.move(Target::globalMemory, "cache2")->bytesPerSecond.value;
  size_t holds = 0;
  double rate = 0;
  // Source and destination together; at the least what second caches do not
  // hold.
  for (size_t bytes = size_t(cache2) * 4; bytes <= most; bytes *= 2) {
    double measured = movedPerCopied * measureCopyBandwidth(bytes / 2, 1);
    if (measured < faster * memory)
      break;
    holds = bytes;
    rate = measured;
  }
  if (!holds)
    return;
  Level level = makeLevel(
      "cache3", "cache shared by all cores", "cache", double(holds),
      double(holds),
      "measured: twice as much is not copied faster than in main memory",
      "as measured");
  level.core = "";
  size_t each = holds / 2 / size_t(cores);
  level.sharedBandwidth = roundedFigure(
      cores > 1 ? movedPerCopied * measureCopyBandwidth(each, cores) : rate,
      "measured: reading and writing " + std::to_string(each >> 10) +
          " KiB on each of " + std::to_string(cores) + " cores at once");
  Figure figure =
      roundedFigure(rate, "measured: reading and writing " +
                              std::to_string(holds >> 11) + " KiB on one core");
  target.moves.push_back({"cache3", "cache2", "any", "CORE", figure, {}, {}});
  target.moves.push_back({"cache2", "cache3", "any", "CORE", figure, {}, {}});
  target.levels.insert(target.levels.begin() + 1, std::move(level));
}

static void addRates(Target &target, int cores) {
  double peak = measurePeakFlops(1);
  target.peakAllCores = roundedFigure(measurePeakFlops(cores),
                                      "measured: multiply-adds in registers, " +
                                          std::to_string(cores) + " threads");
  double stream = target.move("cache1", "reg")->bytesPerSecond.value;
  auto add = [&](const char *op, const char *dtype, double value,
                 std::string source) {
    ComputeRate rate;
    rate.op = op;
    rate.dtype = dtype;
    rate.core = "any";
    rate.pipe = "CORE";
    rate.perSecond = roundedFigure(value, std::move(source));
    target.rates.push_back(std::move(rate));
  };
  add("matmul", "f32", peak, "measured: multiply-adds in registers");
  double bf16Peak = measureBf16Flops();
  target.bf16Block = chooseBf16Block(peak, bf16Peak);
  if (target.bf16Block.rows)
    add("matmul", "bf16", bf16Peak,
        "measured: sums of products of bf16 in registers");
  add("matmul", "*", peak,
      "measured: multiply-adds in registers; 16-bit types are computed in f32");
  double perElement = movedPerCopied * sizeof(float);
  add("elementwise", "*", stream / perElement,
      "derived: copying f32 in the first-level cache, as measured");
  add("transcendental", "*", peak / 40,
      "derived: 20 multiply-adds an element at the measured peak");
  add("reduction", "*", stream / perElement,
      "derived: reading f32 from the first-level cache, as measured for "
      "copies");
  add("cast", "*", stream / perElement,
      "derived: copying f32 in the first-level cache, as measured");
}

static void addPlacements(Target &target) {
  Placement matmul;
  matmul.op = "matmul";
  matmul.core = "any";
  matmul.operands = {{{"GM", "row_major"}, {"cache2", "packed"}},
                     {{"GM", "row_major"}, {"cache2", "packed"}}};
  matmul.result = {{"cache2", "row_major"}, {"GM", "row_major"}};
  matmul.tileLevels = {
      {"cache2", {"cache2"}}, {"cache1", {"cache1"}}, {"reg", {"reg"}}};
  Placement other;
  other.op = "*";
  other.core = "any";
  other.operands = {{{"GM", "row_major"}, {"cache2", "row_major"}}};
  other.result = {{"cache2", "row_major"}, {"GM", "row_major"}};
  other.tileLevels = {{"cache2", {"cache2"}}};
  target.placements = {matmul, other};
}

Target measureCpu() {
  std::vector<int> cpus = allowedCpus();
  int cores = static_cast<int>(cpus.size());
  Target target;
  target.name = "cpu";
  target.cpu = cpuModel();
  target.description = "This machine: " + target.cpu + ", " +
                       std::to_string(cores) +
                       (cores == 1 ? " core" : " cores");
  target.features = cpuFeatures();
  target.clock =
      roundedFigure(measureClock(), "measured: a chain of dependent additions");
  target.cores = {{"any",
                   {static_cast<double>(cores), "CPUs this process may run on"},
                   {},
                   {{"CORE", "the whole core"}}}};
  target.registerBlock = chooseRegisterBlock();
  addLevels(target, cpus);
  addMoves(target, cores);
  addSharedCache(target, cores);
  addRates(target, cores);
  addPlacements(target);
  target.streamingBytes = {
      16 * static_cast<double>(target.capacityBytes("cache2")),
      "16 times the second-level cache: beyond what a core's share of a larger "
      "one keeps"};
  target.scheduling.launch = {5e-6, "assumed"};
  target.scheduling.coreStart = {1e-6, "assumed"};
  target.scheduling.dispatch = {1e-6, "assumed: one task of the runtime"};
  target.scheduling.event = {0, "one pipe: nothing waits"};
  return target;
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

/// Processes that want to run, for each core, over the last minute.
static double loadPerCore() {
  double load = 0;
  if (getloadavg(&load, 1) != 1)
    return 0;
  return load / static_cast<double>(allowedCpus().size());
}

/// Rates measured on a busy machine are too low, but they stay: default tiles
/// follow from them, and would else change from one command to the next.
static void noteBusy(Target &target, const fs::path &file) {
  target.description += "; measured while it was busy (delete " +
                        file.string() + " to measure again)";
}

static std::optional<Target> readCachedCpu(const fs::path &file,
                                           const std::string &identity) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  model::Diagnostic ignored;
  std::optional<nlohmann::json> json = model::parseJson(text.str(), ignored);
  if (!json || !json->is_object() || !json->contains("identity") ||
      (*json)["identity"] != identity)
    return std::nullopt;
  std::optional<Target> target = readTarget(text.str(), ignored);
  if (!target || target->name != "cpu")
    return std::nullopt;
  if (json->value("busy", false))
    noteBusy(*target, file);
  return target;
}

static void writeCachedCpu(const fs::path &file, const Target &target,
                           const std::string &identity, bool busy) {
  nlohmann::json json = target;
  json["identity"] = identity;
  json["busy"] = busy;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  // Through a file of our own, so that a reader never sees half of it.
  fs::path temporary = file;
  temporary += "." + std::to_string(getpid());
  {
    std::ofstream stream(temporary, std::ios::binary);
    stream << model::writeJson(json, 2) << '\n';
    if (!stream.flush()) {
      fs::remove(temporary, error);
      return;
    }
  }
  fs::rename(temporary, file, error);
  if (error)
    fs::remove(temporary, error);
}

Target cachedCpu(const fs::path &folder) {
  std::string identity = cpuIdentity();
  if (folder.empty())
    return measureCpu();
  fs::path file = folder / "cpu.json";
  if (std::optional<Target> cached = readCachedCpu(file, identity))
    return std::move(*cached);
  bool busy = loadPerCore() > 1;
  Target target = measureCpu();
  writeCachedCpu(file, target, identity, busy);
  if (busy)
    noteBusy(target, file);
  return target;
}

} // namespace tilewright::target
