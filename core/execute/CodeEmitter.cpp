//===- CodeEmitter.cpp - machine code from LLVM dialect modules -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/CodeEmitter.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

namespace tilewright::execute {

static model::Diagnostic failed(std::string what) {
  model::Diagnostic diagnostic;
  diagnostic.code = "TW0444";
  diagnostic.message = "no machine code can be made: " + std::move(what);
  return diagnostic;
}

static void initialiseTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

std::variant<std::string, model::Diagnostic>
emitCode(mlir::ModuleOp module, const CpuFeatures &cpu, CodeKind kind) {
  initialiseTargets();
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(cpu.triple, error);
  if (!target)
    return failed(error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      cpu.triple, cpu.cpu, cpu.features, options, llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return failed("LLVM does not know the machine " + cpu.triple);

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      mlir::translateModuleToLLVMIR(module, context, "kernels");
  if (!code)
    return failed("the kernels do not translate to LLVM IR");
  code->setTargetTriple(cpu.triple);
  code->setDataLayout(machine->createDataLayout());

  // Bit casts and address arithmetic that emission leaves double; loads that
  // loops repeat. Nothing here unrolls or makes versions of loops.
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(machine.get());
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(sccs);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager pipeline;
  if (llvm::Error bad = passes.parsePassPipeline(
          pipeline, "function(early-cse,loop-mssa(licm),early-cse)"))
    return failed(llvm::toString(std::move(bad)));
  pipeline.run(*code, modules);

  if (kind == CodeKind::Llvm) {
    std::string text;
    llvm::raw_string_ostream(text) << *code;
    return text;
  }
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager emission;
  auto fileType = kind == CodeKind::Object
                      ? llvm::CodeGenFileType::ObjectFile
                      : llvm::CodeGenFileType::AssemblyFile;
  if (machine->addPassesToEmitFile(emission, out, nullptr, fileType))
    return failed("LLVM cannot write files for " + cpu.triple);
  emission.run(*code);
  return std::string(bytes.begin(), bytes.end());
}

} // namespace tilewright::execute
