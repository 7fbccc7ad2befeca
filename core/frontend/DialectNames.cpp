//===- DialectNames.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A context cannot list what its dialects have registered, but the parsers of
// dialects tell MLIR's completion hook what they would take behind the dot.
// Texts asked about are of our own making, so that the hook's weakness behind
// errors does not matter.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/DialectNames.h"
#include "core/frontend/Dialects.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/CodeComplete.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"
#include <algorithm>

namespace tilewright::frontend {

namespace {

/// Keeps the words that could follow, and nothing else.
class ExpectedWords : public mlir::AsmParserCodeCompleteContext {
public:
  explicit ExpectedWords(llvm::SMLoc place)
      : AsmParserCodeCompleteContext(place) {}
  std::vector<std::string> words;

  void completeExpectedTokens(llvm::ArrayRef<llvm::StringRef> tokens,
                              bool) override {
    for (llvm::StringRef token : tokens)
      if (!token.empty() && isalpha(uint8_t(token.front())))
        words.push_back(token.str());
  }
  void completeDialectName(llvm::StringRef) override {}
  void completeOperationName(llvm::StringRef) override {}
  void appendSSAValueCompletion(llvm::StringRef, std::string) override {}
  void appendBlockCompletion(llvm::StringRef) override {}
  void completeAttribute(const llvm::StringMap<mlir::Attribute> &) override {}
  void completeDialectAttributeOrAlias(
      const llvm::StringMap<mlir::Attribute> &) override {}
  void completeType(const llvm::StringMap<mlir::Type> &) override {}
  void
  completeDialectTypeOrAlias(const llvm::StringMap<mlir::Type> &) override {}
};

/// What may stand behind `begun`, which is a type or an attribute.
std::vector<std::string> wordsBehind(mlir::MLIRContext &context,
                                     const std::string &begun) {
  std::string text = begun.substr(0, 1) + "alias = " + begun;
  llvm::SourceMgr manager;
  manager.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "c"),
                             llvm::SMLoc());
  llvm::StringRef buffer = manager.getMemoryBuffer(1)->getBuffer();
  ExpectedWords expected(llvm::SMLoc::getFromPointer(buffer.end()));
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  (void)mlir::parseAsmSourceFile(manager, module->getBody(), config, nullptr,
                                 &expected);
  return std::move(expected.words);
}

struct Names {
  std::vector<std::string> types, attributes;

  Names() {
    std::shared_ptr<mlir::MLIRContext> context = makeContext();
    mlir::ScopedDiagnosticHandler silent(
        context.get(), [](mlir::Diagnostic &) { return mlir::success(); });
    for (mlir::Dialect *dialect : context->getLoadedDialects()) {
      if (dialect->getNamespace().empty() ||
          dialect->getNamespace() == "builtin")
        continue;
      std::string name = dialect->getNamespace().str() + ".";
      add(*context, "!" + name, types);
      add(*context, "#" + name, attributes);
    }
    // LLVM's types have a parser that tells nothing.
    for (const char *name : {"array", "func", "ptr", "struct", "void"})
      if (context->getLoadedDialect("llvm"))
        types.push_back(std::string("!llvm.") + name);
    for (std::vector<std::string> *list : {&types, &attributes}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
  }

private:
  static void add(mlir::MLIRContext &context, const std::string &begun,
                  std::vector<std::string> &list) {
    // The long form, as the hook does not look behind the dot of the short one.
    std::string name = begun.substr(0, begun.size() - 1);
    for (const std::string &word : wordsBehind(context, name + "<"))
      list.push_back(begun + word);
  }
};

const Names &names() {
  static const Names all;
  return all;
}

} // namespace

const std::vector<std::string> &dialectTypes() { return names().types; }
const std::vector<std::string> &dialectAttributes() {
  return names().attributes;
}

} // namespace tilewright::frontend
