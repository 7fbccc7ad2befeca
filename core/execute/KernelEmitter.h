//===- KernelEmitter.h - one kernel as loops over vectors -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the body of one block.kernel into an llvm.func made of scf loops,
// vector, math and arith operations on registers, and llvm loads and stores.
// Each kind of instruction is a file of its own (…Emitter.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/execute/CpuFeatures.h"
#include "core/execute/Index.h"
#include "core/model/Diagnostic.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewright::execute {

/// A memref as the emitter sees it: where it starts and how it lies. Offset and
/// strides are in elements.
struct MemoryView {
  mlir::Value base; ///< !llvm.ptr
  Index offset = 0;
  llvm::SmallVector<Index, 4> sizes, strides;
  mlir::Type element;
  mlir::Value root; ///< the alloc or argument behind it, in the source kernel

  unsigned rank() const { return unsigned(sizes.size()); }
  Index innerStride() const {
    return strides.empty() ? Index(1) : strides.back();
  }
};

/// Bytes of a cache line. Levels and their buffers start at one.
inline constexpr int64_t lineBytes = 64;

/// Ends lowering of a kernel; caught in lowerKernel.
struct LoweringError {
  model::Diagnostic diagnostic;
};

class KernelEmitter {
public:
  KernelEmitter(mlir::OpBuilder &builder, const CpuFeatures &cpu)
      : b(builder), cpu(cpu), index(builder, loc),
        loc(builder.getUnknownLoc()) {}

  /// Emits `kernel` as a function of the same name at the builder's place and
  /// returns the bytes of scratch memory it needs. `aligned`: every dispatch
  /// passes buffers that start at a cache line. Throws LoweringError.
  int64_t emitKernel(block::KernelOp kernel, bool aligned);

private:
  mlir::OpBuilder &b;
  const CpuFeatures &cpu;
  IndexBuilder index;
  mlir::Location loc;

  mlir::Value scratch;
  bool alignedArguments = false;
  bool streams = false; ///< something was written past the caches
  mlir::Block *entry = nullptr;
  llvm::StringMap<int64_t> levelStart; ///< of each level in scratch
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::DenseMap<mlir::Value, MemoryView> views;
  /// Buffers that another buffer stands for, as a move into them copies nothing
  /// that changes: alloc -> the move.
  llvm::DenseMap<mlir::Value, block::MoveOp> standIns;
  llvm::DenseSet<mlir::Operation *> elided;
  /// Products that add to zeros, which are never stored: product -> the loop
  /// whose first step it is where they are zeros; null: it runs once.
  llvm::DenseMap<mlir::Operation *, mlir::scf::ForOp> zeroSums;
  llvm::DenseMap<mlir::Operation *, std::pair<mlir::Value, mlir::Value>>
      loopStarts; ///< of each loop being emitted: its variable and lower bound

  [[noreturn]] void fail(mlir::Operation *op, std::string code,
                         std::string message, std::string hint = "");

  //===--- the walk (KernelEmitter.cpp) -----------------------------------===//
  int64_t placeLevels(block::KernelOp kernel);
  void emitBlock(mlir::Block &block);
  void emitOperation(mlir::Operation *op);
  void emitScalar(mlir::Operation *op);
  void emitFor(mlir::scf::ForOp op);
  void emitIf(mlir::scf::IfOp op);
  bool emitViewOrScalar(mlir::Operation *op);
  mlir::Value scalar(mlir::Value value);
  Index indexOf(mlir::OpFoldResult value);
  llvm::SmallVector<Index> indicesOf(llvm::ArrayRef<mlir::OpFoldResult> values);
  MemoryView view(mlir::Value memref);
  mlir::Type scalarType(mlir::Type type);
  void findStandIns(block::KernelOp kernel);
  void findZeroSums(block::KernelOp kernel);

  //===--- loops and memory (MemoryEmitter.cpp) ---------------------------===//
  using Body = llvm::function_ref<void(Index)>;
  using CarryingBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      Index, mlir::ValueRange)>;
  /// for (i = lower; i < upper; i += step); emitted straight when it runs once,
  /// not at all when it never runs.
  void loop(Index lower, Index upper, int64_t step, Body body);
  llvm::SmallVector<mlir::Value> loop(Index lower, Index upper, int64_t step,
                                      mlir::ValueRange init, CarryingBody body);
  /// Nested loops over `sizes`.
  void nest(llvm::ArrayRef<Index> sizes,
            llvm::function_ref<void(llvm::ArrayRef<Index>)> body);

  /// Emits `body` under the condition, and one of two lists of values by it.
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  llvm::SmallVector<mlir::Value>
  choose(mlir::Value condition,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> yes,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> no);
  /// Room for `count` elements on the stack, for the whole kernel; at most a
  /// few KiB.
  mlir::Value stackMemory(mlir::Type element, int64_t count);
  /// A mask of the lanes before `count`, which may be any number.
  mlir::Value lanesBelow(Index count, int64_t lanes);
  void prefetch(const MemoryView &view, Index element, bool forWriting);

  mlir::Value constant(mlir::Type element, double value);
  /// Vector of `lanes` elements, or the element itself for one lane.
  mlir::Type lanesOf(mlir::Type element, int64_t lanes);
  mlir::Value splat(mlir::Value scalar, int64_t lanes);
  mlir::Type storedType(mlir::Type element);
  /// What an element is computed in: f32 for f16 and bf16.
  mlir::Type computeType(mlir::Type element);
  mlir::Value address(const MemoryView &view, Index element);
  Index offsetOf(const MemoryView &view, llvm::ArrayRef<Index> at);
  /// `lanes` consecutive elements, in their own type.
  mlir::Value load(const MemoryView &view, Index element, int64_t lanes);
  void store(const MemoryView &view, Index element, mlir::Value value,
             int64_t lanes);
  /// The same past the caches, where whole vectors lie at their own size.
  void storePastCaches(const MemoryView &view, Index element, mlir::Value value,
                       int64_t lanes);
  /// Conversion between element types on scalars and vectors, rounding to
  /// nearest even.
  mlir::Value convert(mlir::Value value, mlir::Type to);
  MemoryView broadcast(const MemoryView &view, const MemoryView &to);
  static mlir::Type elementOf(mlir::Value value);
  static int64_t lanesIn(mlir::Value value);

  //===--- element by element (ElementwiseEmitter.cpp) --------------------===//
  struct Group;
  /// Whether a loop nest over elements may start with `op`, or go on with it.
  static bool startsGroup(mlir::Operation *op);
  /// Takes the longest run of instructions from `it` on that one loop nest can
  /// do, emitting the scalar operations between them.
  void collectGroup(mlir::Block::iterator &it, mlir::Block::iterator end,
                    Group &group);
  bool addStatement(mlir::Operation *op, Group &group);
  /// How many of the statements can share the loops, given which buffers lie in
  /// the same bytes; also finds what need not be stored.
  size_t usableStatements(Group &group, size_t count);
  void mergeDimensions(Group &group);
  void emitGroup(Group &group);
  /// Makes the group of an instruction a row of elements at least, and finds
  /// how many of them its innermost loop does at a time.
  void prepareGroup(Group &group);
  void emitRow(const Group &group, llvm::ArrayRef<Index> outer);
  /// Groups that go row by row together (RowNest.cpp).
  void emitGroups(mlir::Block::iterator &it, mlir::Block::iterator end);
  static bool sharesRows(const Group &earlier, const Group &later);
  static void askForNextRow(llvm::MutableArrayRef<Group> groups);
  /// What a row is multiplied by instead of being divided by one number.
  struct RowDivisor {
    mlir::Value scale, inverse; ///< null: it is divided
  };
  RowDivisor rowDivisor(mlir::Value divisor, mlir::Type result);
  /// `lanes` elements at `column` of the row `outer`.
  void emitElements(const Group &group, llvm::ArrayRef<Index> outer,
                    Index column, int64_t lanes,
                    llvm::ArrayRef<llvm::SmallVector<mlir::Value, 3>> uniform,
                    llvm::ArrayRef<RowDivisor> divisors,
                    llvm::MutableArrayRef<mlir::Value> accumulators);
  mlir::Value emitStatement(mlir::Operation *op, mlir::Type result,
                            llvm::ArrayRef<mlir::Value> operands,
                            int64_t lanes);
  mlir::Value unary(block::UnaryKind kind, mlir::Value x);
  /// e^x; with AVX-512 to one unit in the last place, denormals included
  /// (ExpEmitter.cpp).
  mlir::Value exponential(mlir::Value x);
  mlir::Value binary(block::BinaryKind kind, mlir::Value x, mlir::Value y);
  mlir::Value compare(block::ComparePredicate predicate, mlir::Value x,
                      mlir::Value y);

  //===--- reductions (ReduceEmitter.cpp) ---------------------------------===//
  void emitReduce(block::ReduceOp op);
  mlir::Value identity(block::ReduceKind kind, mlir::Type compute);
  mlir::Value combine(block::ReduceKind kind, mlir::Value x, mlir::Value y);
  /// All lanes of a vector combined.
  mlir::Value across(block::ReduceKind kind, mlir::Value vector);
  /// Ends a reduction of `count` elements: mean, accumulation, rounding, store.
  void finishReduce(block::ReduceOp op, const MemoryView &dest, Index element,
                    mlir::Value value, Index count, int64_t lanes);
  /// Where in `dest` the elements at source index `at` are reduced to.
  Index reducedOffset(block::ReduceOp op, const MemoryView &source,
                      const MemoryView &dest, llvm::ArrayRef<Index> at);

  //===--- matrices (MatmulEmitter.cpp, PackEmitter.cpp) ------------------===//
  void emitMatmul(block::MatmulOp op);
  void emitPackedMatmul(block::MatmulOp op);
  void emitPlainMatmul(block::MatmulOp op);
  void emitMicroKernel(block::MatmulOp op, const MemoryView &lhs,
                       const MemoryView &rhs, const MemoryView &dest,
                       mlir::Value edge, Index rowPanel, Index columnPanel,
                       int64_t columns, Index k, bool allRows, bool allColumns);
  bool inBlocks(block::MatmulOp op) const;
  int64_t rowBlockOf(block::MatmulOp op);
  int64_t columnBlockOf(block::MatmulOp op) const;
  /// A block of a result while its sums are made. Null `outside`: it is whole
  /// in the result.
  struct ResultBlock {
    MemoryView inDest, ///< what is valid of it, in the result
        own,           ///< memory of its own
        block;         ///< one of the two, where it is computed
    mlir::Value outside;
  };
  ResultBlock placeBlock(const MemoryView &dest, mlir::Value edge,
                         mlir::Type edgeElement, Index row, Index column,
                         int64_t rows, int64_t columns);
  void copyEdge(const ResultBlock &place, bool back, int64_t lanes);
  void multiplyPairs(llvm::MutableArrayRef<mlir::Value> acc,
                     llvm::ArrayRef<mlir::Value> lhs,
                     llvm::ArrayRef<mlir::Value> row, int64_t lanes);
  /// With the tile registers of AMX (MatrixTileEmitter.cpp).
  bool onMatrixTiles(block::MatmulOp op) const;
  void configureTiles();
  void releaseTiles();
  void emitTileKernel(block::MatmulOp op, const MemoryView &lhs,
                      const MemoryView &rhs, const MemoryView &dest,
                      mlir::Value edge, Index rowPanel, Index columnPanel,
                      int64_t columns, Index k);
  llvm::SmallVector<Index> blockAfter(const MemoryView &dest, Index row,
                                      Index column, int64_t rows,
                                      int64_t columns);
  void emitStreamedMatmul(block::MatmulOp op, const MemoryView &lhs,
                          const MemoryView &rhs, const MemoryView &dest,
                          Index k);
  void emitDotProducts(block::MatmulOp op, const MemoryView &lhs,
                       const MemoryView &rhs, const MemoryView &dest, Index k);
  void copyBlock(const MemoryView &from, const MemoryView &to, Index rows,
                 Index columns, int64_t lanes);
  /// Whether the sums of `op` are zeros that nobody wrote: nothing if they are
  /// not, else whether this is the step at which they are (null: always).
  std::optional<mlir::Value> firstStep(block::MatmulOp op);
  void emitPack(block::MoveOp op);
  void packRows(const MemoryView &source, const MemoryView &dest,
                int64_t block);
  void packGroups(const MemoryView &source, const MemoryView &dest,
                  tile::LayoutAttr layout);
  void interleaveRows(const MemoryView &source, const MemoryView &to,
                      Index step, Index column, Index at, int64_t lanes,
                      mlir::Value inside, bool second);
  mlir::Value squareRow(const MemoryView &source, Index row, Index column,
                        int64_t count, mlir::Type item, int64_t group);
  void turnSquares(const MemoryView &source, const MemoryView &to, Index row,
                   Index column, Index at, int64_t count, int64_t group = 1);
  void inGroups(Index items, int64_t few, Index steps,
                llvm::function_ref<void(Index, Index)> body);
  void packColumns(const MemoryView &source, const MemoryView &dest,
                   int64_t block);
  void fusedMultiplyAdd(mlir::Value &acc, mlir::Value x, mlir::Value y);

  //===--- rearrangement and regions (RearrangeEmitter.cpp) ---------------===//
  void emitTranspose(block::TransposeOp op);
  void emitReshape(block::ReshapeOp op);
  void emitGeneric(block::GenericOp op);
};

} // namespace tilewright::execute
