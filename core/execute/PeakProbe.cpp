//===- PeakProbe.cpp - how fast this machine can multiply and add ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/PeakProbe.h"
#include "core/execute/CodeEmitter.h"
#include "core/execute/CpuFeatures.h"
#include "core/execute/CpuLowering.h"
#include "core/execute/LoadedObject.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include <atomic>
#include <chrono>
#include <thread>

using namespace mlir;

namespace tilewright::execute {

/// Independent sums: enough to hide the latency of two units of 5 cycles.
static constexpr int64_t chains = 12;

/// void probe(ptr buffers, ptr grid, ptr scratch): grid[0] rounds of one
/// multiply-add on each of `chains` vectors, the sums stored to scratch.
static OwningOpRef<ModuleOp> probeModule(MLIRContext &context,
                                         const CpuFeatures &cpu) {
  Location loc = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder b(module->getBodyRegion());
  auto pointer = LLVM::LLVMPointerType::get(&context);
  auto f32 = b.getF32Type();
  auto vector = VectorType::get({cpu.lanes(4)}, f32);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&context),
                                          {pointer, pointer, pointer});
  auto function = b.create<LLVM::LLVMFuncOp>(loc, "probe", type);
  Block *entry = function.addEntryBlock(b);
  Block *body = b.createBlock(&function.getBody());
  Block *exit = b.createBlock(&function.getBody());
  b.setInsertionPointToStart(entry);
  auto constant = [&](double value) -> Value {
    return b.create<LLVM::ConstantOp>(
        loc, vector, DenseElementsAttr::get(vector, float(value)));
  };
  auto number = [&](int64_t value) -> Value {
    return b.create<LLVM::ConstantOp>(loc, b.getI64Type(),
                                      b.getI64IntegerAttr(value));
  };
  Value rounds =
      b.create<LLVM::LoadOp>(loc, b.getI64Type(), entry->getArgument(1));
  Value scale = constant(0.9999), shift = constant(0.0001);
  SmallVector<Value> start = {number(0)};
  for (int64_t i = 0; i < chains; ++i)
    start.push_back(constant(1 + 0.01 * double(i)));
  b.create<LLVM::BrOp>(loc, start, body);
  body->addArgument(b.getI64Type(), loc);
  for (int64_t i = 0; i < chains; ++i)
    body->addArgument(vector, loc);
  b.setInsertionPointToStart(body);
  SmallVector<Value> next = {
      b.create<LLVM::AddOp>(loc, body->getArgument(0), number(1))};
  for (int64_t i = 0; i < chains; ++i)
    next.push_back(b.create<LLVM::FMAOp>(loc, vector, body->getArgument(i + 1),
                                         scale, shift));
  Value more =
      b.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::slt, next[0], rounds);
  b.create<LLVM::CondBrOp>(loc, more, body, next, exit, ValueRange());
  b.setInsertionPointToStart(exit);
  for (int64_t i = 0; i < chains; ++i) {
    Value at =
        b.create<LLVM::GEPOp>(loc, pointer, vector, entry->getArgument(2),
                              ArrayRef<LLVM::GEPArg>{int32_t(i)});
    b.create<LLVM::StoreOp>(loc, next[size_t(i) + 1], at);
  }
  b.create<LLVM::ReturnOp>(loc, ValueRange());
  return module;
}

std::variant<double, model::Diagnostic> measurePeakGflops(int threads,
                                                          double seconds) {
  CpuFeatures cpu = hostCpu();
  DialectRegistry registry;
  registerCpuDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<LLVM::LLVMDialect>();
  OwningOpRef<ModuleOp> module = probeModule(context, cpu);
  auto object = emitCode(*module, cpu, CodeKind::Object);
  if (auto *diagnostic = std::get_if<model::Diagnostic>(&object))
    return std::move(*diagnostic);
  CompiledProgram program;
  const std::string &bytes = std::get<std::string>(object);
  program.object.resize(bytes.size());
  std::copy(bytes.begin(), bytes.end(),
            reinterpret_cast<char *>(program.object.data()));
  program.dispatches.emplace_back();
  program.dispatches.back().kernel = "probe";
  auto loaded = LoadedObject::load(program);
  if (auto *diagnostic = std::get_if<model::Diagnostic>(&loaded))
    return std::move(*diagnostic);
  KernelFunction probe = std::get<LoadedObject>(loaded).kernels()[0];

  using Clock = std::chrono::steady_clock;
  int count = threads > 0 ? threads : int(std::thread::hardware_concurrency());
  constexpr int64_t rounds = 200000;
  double flopOfOne = 2.0 * double(rounds * chains * cpu.lanes(4));
  std::atomic<int> waiting = count;
  std::vector<double> best(size_t(count), 0);
  auto measure = [&](int which) {
    alignas(64) std::byte scratch[chains * 64];
    int64_t grid[] = {rounds};
    waiting.fetch_sub(1);
    while (waiting.load() > 0)
      std::this_thread::yield();
    Clock::time_point start = Clock::now();
    while (std::chrono::duration<double>(Clock::now() - start).count() <
           seconds) {
      Clock::time_point begin = Clock::now();
      probe(nullptr, grid, scratch);
      double took = std::chrono::duration<double>(Clock::now() - begin).count();
      best[size_t(which)] =
          std::max(best[size_t(which)], flopOfOne / took / 1e9);
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < count; ++i)
    others.emplace_back(measure, i);
  measure(0);
  for (std::thread &thread : others)
    thread.join();
  double total = 0;
  for (double one : best)
    total += one;
  return total;
}

} // namespace tilewright::execute
