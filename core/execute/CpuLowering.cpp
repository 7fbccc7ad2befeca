//===- CpuLowering.cpp - kernels as LLVM dialect functions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/CpuLowering.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/execute/KernelEmitter.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tilewright::block;

namespace tilewright::execute {

void registerCpuDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                  cf::ControlFlowDialect, vector::VectorDialect,
                  func::FuncDialect, LLVM::LLVMDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

static void loadCpuDialects(MLIRContext *context) {
  DialectRegistry registry;
  registerCpuDialects(registry);
  context->appendDialectRegistry(registry);
  context->loadDialect<arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                       cf::ControlFlowDialect, vector::VectorDialect,
                       func::FuncDialect, LLVM::LLVMDialect>();
}

/// Kernels that are passed a part of a buffer somewhere: it may start anywhere.
static llvm::StringSet<> kernelsOnParts(ModuleOp source) {
  llvm::StringSet<> kernels;
  source.walk([&](DispatchOp dispatch) {
    for (Value buffer : dispatch.getBuffers())
      while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
        if (!isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
                 memref::TransposeOp>(view))
          kernels.insert(dispatch.getKernel());
        buffer = view.getViewSource();
      }
  });
  return kernels;
}

std::variant<LoweredKernels, model::Diagnostic>
emitKernels(ModuleOp source, const CpuFeatures &cpu) {
  loadCpuDialects(source.getContext());
  LoweredKernels lowered;
  lowered.module = ModuleOp::create(source.getLoc());
  OpBuilder builder(lowered.module->getBodyRegion());
  llvm::StringSet<> onParts = kernelsOnParts(source);
  try {
    for (auto kernel : source.getOps<KernelOp>()) {
      builder.setInsertionPointToEnd(lowered.module->getBody());
      lowered.scratchBytes[kernel.getSymName().str()] =
          KernelEmitter(builder, cpu)
              .emitKernel(kernel, !onParts.contains(kernel.getSymName()));
    }
  } catch (LoweringError &error) {
    return std::move(error.diagnostic);
  }
  return lowered;
}

/// Emitted kernels to nothing but the LLVM dialect.
static LogicalResult convertToLlvm(ModuleOp module) {
  MLIRContext *context = module.getContext();
  {
    // exp, tanh, erf … of f32 as polynomials on vectors: several times faster
    // than a call for each lane, to a few units in the last place.
    RewritePatternSet patterns(context);
    populateMathPolynomialApproximationPatterns(patterns);
    GreedyRewriteConfig config;
    config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
    if (failed(
            applyPatternsAndFoldGreedily(module, std::move(patterns), config)))
      return failure();
  }
  LLVMTypeConverter types(context);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  target
      .addLegalDialect<func::FuncDialect>(); // declarations of libm's functions
  auto convert = [&](bool withLibm) {
    RewritePatternSet patterns(context);
    populateSCFToControlFlowConversionPatterns(patterns);
    vector::populateVectorBroadcastLoweringPatterns(patterns);
    populateVectorToLLVMConversionPatterns(types, patterns);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    if (withLibm) {
      populateMathToLibmConversionPatterns(patterns);
      return applyFullConversion(module, target, std::move(patterns));
    }
    populateMathToLLVMConversionPatterns(types, patterns);
    return applyPartialConversion(module, target, std::move(patterns));
  };
  // Calls only for what LLVM has no intrinsic for.
  if (failed(convert(/*withLibm=*/false)))
    return failure();
  bool left =
      module
          .walk([&](Operation *op) {
            return isa<LLVM::LLVMDialect>(op->getDialect()) || isa<ModuleOp>(op)
                       ? WalkResult::advance()
                       : WalkResult::interrupt();
          })
          .wasInterrupted();
  if (left && failed(convert(/*withLibm=*/true)))
    return failure();
  // Calls to libm that came as func.call.
  OpBuilder builder(context);
  SmallVector<func::CallOp> calls;
  module.walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : calls) {
    builder.setInsertionPoint(call);
    auto made =
        builder.create<LLVM::CallOp>(call.getLoc(), call.getResultTypes(),
                                     call.getCallee(), call.getOperands());
    call.replaceAllUsesWith(made.getResults());
    call.erase();
  }
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    builder.setInsertionPoint(function);
    auto type = LLVM::LLVMFunctionType::get(function.getResultTypes()[0],
                                            function.getArgumentTypes());
    builder.create<LLVM::LLVMFuncOp>(function.getLoc(), function.getSymName(),
                                     type);
    function.erase();
  }
  return success();
}

std::variant<LoweredKernels, model::Diagnostic>
lowerKernels(ModuleOp source, const CpuFeatures &cpu) {
  auto emitted = emitKernels(source, cpu);
  if (std::holds_alternative<model::Diagnostic>(emitted))
    return emitted;
  std::string what;
  ScopedDiagnosticHandler handler(source.getContext(),
                                  [&](mlir::Diagnostic &diagnostic) {
                                    if (what.empty())
                                      what = diagnostic.str();
                                    return success();
                                  });
  if (failed(convertToLlvm(*std::get<LoweredKernels>(emitted).module))) {
    model::Diagnostic diagnostic;
    diagnostic.code = "TW0443";
    diagnostic.message = "a kernel cannot be lowered to LLVM: " + what;
    return diagnostic;
  }
  return emitted;
}

namespace {

/// Replaces what the module holds by its kernels, emitted or lowered.
template <typename Derived>
struct KernelPass : PassWrapper<Derived, OperationPass<ModuleOp>> {
  KernelPass() = default;
  KernelPass(const KernelPass &other)
      : PassWrapper<Derived, OperationPass<ModuleOp>>(other) {}

  Pass::Option<std::string> cpu{*this, "cpu",
                                llvm::cl::desc("host, generic or amx"),
                                llvm::cl::init("generic")};

  void getDependentDialects(DialectRegistry &registry) const override {
    registerCpuDialects(registry);
  }
  void replaceBy(std::variant<LoweredKernels, model::Diagnostic> result) {
    ModuleOp module = this->getOperation();
    if (auto *diagnostic = std::get_if<model::Diagnostic>(&result)) {
      module.emitError() << diagnostic->message << " [" << diagnostic->code
                         << "]";
      return this->signalPassFailure();
    }
    module.getBodyRegion().takeBody(
        std::get<LoweredKernels>(result).module->getBodyRegion());
  }
  CpuFeatures features() const {
    return cpu == "host" ? hostCpu() : cpu == "amx" ? amxCpu() : genericCpu();
  }
};

struct EmitPass : KernelPass<EmitPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitPass)
  StringRef getArgument() const final { return "emit-cpu-kernels"; }
  StringRef getDescription() const final {
    return "kernels as loops over vectors for a CPU";
  }
  void runOnOperation() final {
    replaceBy(emitKernels(getOperation(), features()));
  }
};

struct LowerPass : KernelPass<LowerPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerPass)
  StringRef getArgument() const final { return "lower-cpu-kernels"; }
  StringRef getDescription() const final {
    return "kernels in the LLVM dialect for a CPU";
  }
  void runOnOperation() final {
    replaceBy(lowerKernels(getOperation(), features()));
  }
};

} // namespace

void registerCpuPasses() {
  PassRegistration<EmitPass>();
  PassRegistration<LowerPass>();
}

} // namespace tilewright::execute
