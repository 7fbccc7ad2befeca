//===- CompileService.cpp - compiled states of open documents -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/CompileService.h"
#include "core/decision/PinChecks.h"
#include "core/target/TargetRegistry.h"
#include "lsp/engine/OverridesOnDisk.h"
#include "lsp/protocol/Uri.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stop_token>

namespace tilewright::engine {

/// Compiled states kept; each holds the bytecode of its snapshots.
static constexpr size_t maxKept = 8;

/// The pins at `path`; returns the file's text, empty if there is none.
static std::string readPins(const std::string &path, const std::string &uri,
                            target::TargetRegistry &targets,
                            std::vector<model::Pin> &pins,
                            std::vector<model::Diagnostic> &problems) {
  if (path.empty())
    return {};
  std::error_code failed;
  std::filesystem::file_status status = std::filesystem::status(path, failed);
  if (status.type() == std::filesystem::file_type::not_found)
    return {};
  auto unreadable = [&](const std::string &why) {
    model::Diagnostic problem;
    problem.code = "TW0219";
    problem.uri = lsp::uriFromPath(path);
    problem.message = path + " cannot be read: " + why +
                      "; no pin of this source is in force";
    problem.hint = "Make it a file that you may read, or take it away.";
    problems.push_back(std::move(problem));
    // Not that of a file: mended, it is another.
    return "\n" + why;
  };
  if (failed)
    return unreadable(failed.message());
  if (std::filesystem::is_directory(status))
    return unreadable("it is a folder");
  if (!std::filesystem::is_regular_file(status))
    return unreadable("it is no ordinary file");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return unreadable(std::strerror(errno));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  model::Diagnostic problem;
  if (auto read = decision::PinsFile::parse(text, problem)) {
    std::vector<std::string> names;
    for (const auto &summary : targets.list(folderOf(uri)))
      names.push_back(summary.name);
    problems = decision::checkPins(text, *read, names);
    pins = std::move(read->pins);
  } else {
    problems.push_back(std::move(problem));
  }
  for (model::Diagnostic &each : problems)
    each.uri = lsp::uriFromPath(path);
  return text;
}

CompileService::CompileService(std::shared_ptr<target::TargetRegistry> targets,
                               const EngineDocuments &documents)
    : targets(std::move(targets)), documents(documents),
      session(this->targets) {}

std::string folderOf(const std::string &uri) {
  if (!uri.starts_with("file:"))
    return {};
  return std::filesystem::path(lsp::pathFromUri(uri)).parent_path().string();
}

std::string CompileService::currentTarget() const {
  std::lock_guard lock(mutex);
  return current;
}

void CompileService::setCurrentTarget(const std::string &name) {
  model::Diagnostic error;
  bool found = targets->find(name, error) != nullptr;
  // It may be one beside an open source.
  for (const std::string &uri : documents.uris())
    if (model::Diagnostic other; !found)
      found = targets->find(name, other, folderOf(uri)) != nullptr;
  if (!found)
    throw lsp::RequestError(
        lsp::ResponseError::of(error, lsp::ErrorCode::InvalidParams));
  std::lock_guard lock(mutex);
  current = name;
}

std::shared_ptr<const Compilation>
CompileService::compile(const lsp::IncomingRequest &request,
                        const std::string &uri, const std::string &target) {
  return compilePart(request, uri, target, "", {});
}

std::shared_ptr<const Compilation> CompileService::compileFunction(
    const lsp::IncomingRequest &request, const std::string &uri,
    const std::string &target, const std::string &function) {
  auto whole = compilePart(request, uri, target, "", {});
  if (function.empty() || whole->complete())
    return whole;
  return compilePart(request, uri, target, function,
                     whole->stages().diagnostics);
}

std::shared_ptr<const Compilation>
CompileService::compilePart(const lsp::IncomingRequest &request,
                            const std::string &uri, const std::string &target,
                            const std::string &function,
                            std::vector<model::Diagnostic> elsewhere) {
  EngineDocuments::Text document = requireText(uri);
  CompileRequest wanted = wantedOf(uri, target, function, document);
  wanted.elsewhere = std::move(elsewhere);
  std::vector<model::Diagnostic> pinProblems;
  std::string pinsText =
      readPins(pinsPathOf(uri), uri, *targets, wanted.pins, pinProblems);
  StoredOverrides stored = readOverrides(uri);
  // A target's file may have changed since.
  model::Diagnostic noTarget; // told by the session
  std::shared_ptr<const target::Target> machine =
      targets->find(wanted.target, noTarget, wanted.sourceFolder);
  {
    std::lock_guard lock(mutex);
    for (auto it = kept.begin(); it != kept.end(); ++it)
      if (it->uri == uri && it->target == wanted.target &&
          it->function == function && it->version == document.version &&
          it->machine == machine && it->pins == pinsText &&
          it->overrides == stored.fingerprint) {
        kept.splice(kept.begin(), kept, it);
        return it->compilation;
      }
  }
  wanted.text = std::move(document.text);
  wanted.pinProblems = std::move(pinProblems);
  wanted.overrides = std::move(stored.overrides);
  for (auto &unreadable : stored.unreadable)
    wanted.overrideProblems.push_back(std::move(unreadable.problem));
  const std::string name = wanted.target;
  std::shared_ptr<const Compilation> compilation =
      run(request, std::move(wanted));
  std::lock_guard lock(mutex);
  // Older versions of the same document are of no more use.
  kept.remove_if([&](const Kept &entry) {
    return entry.uri == uri && entry.target == name &&
           entry.function == function;
  });
  kept.push_front({uri, name, function, document.version, pinsText,
                   stored.fingerprint, machine, compilation});
  while (kept.size() > maxKept)
    kept.pop_back();
  return compilation;
}

CompileRequest
CompileService::wantedOf(const std::string &uri, const std::string &target,
                         const std::string &function,
                         const EngineDocuments::Text &document) const {
  CompileRequest wanted;
  wanted.uri = uri;
  wanted.target = target.empty() ? currentTarget() : target;
  wanted.sourceFolder = folderOf(uri);
  wanted.documentVersion = document.version;
  wanted.function = function;
  return wanted;
}

EngineDocuments::Text
CompileService::requireText(const std::string &uri) const {
  std::optional<EngineDocuments::Text> document = documents.textOf(uri);
  if (document)
    return std::move(*document);
  model::Diagnostic error;
  error.code = "TW0605";
  error.uri = uri;
  error.message = "the document is not open";
  error.hint = "open it with textDocument/didOpen first";
  throw lsp::RequestError(
      lsp::ResponseError::of(error, lsp::ErrorCode::InvalidParams));
}

std::shared_ptr<const Compilation>
CompileService::compileWith(const lsp::IncomingRequest &request,
                            const std::string &uri, const std::string &target,
                            std::vector<model::Override> overrides) {
  EngineDocuments::Text document = requireText(uri);
  CompileRequest wanted = wantedOf(uri, target, "", document);
  readPins(pinsPathOf(uri), uri, *targets, wanted.pins, wanted.pinProblems);
  wanted.text = std::move(document.text);
  wanted.overrides = std::move(overrides);
  return run(request, std::move(wanted));
}

void CompileService::tryAgain(const std::string &uri,
                              const model::Override &override) {
  trials.forget(uri, override);
  // What was compiled without it is not what is wanted now.
  std::lock_guard lock(mutex);
  kept.remove_if([&](const Kept &entry) { return entry.uri == uri; });
}

std::shared_ptr<const Compilation>
CompileService::run(const lsp::IncomingRequest &request,
                    CompileRequest wanted) {
  std::map<std::string, model::Diagnostic> leftOut;
  OverrideTrials::Trial trial =
      trials.begin(wanted.uri, wanted.overrides, leftOut);
  for (auto &[name, problem] : leftOut)
    wanted.overrideProblems.push_back(std::move(problem));
  std::stop_source stop;
  request.cancel().onCancel([stop]() mutable { stop.request_stop(); });
  std::shared_ptr<const Compilation> compilation =
      session.compile(wanted, stop.get_token(),
                      [&](double fraction, const std::string &message) {
                        request.progress(message, fraction);
                      });
  if (!compilation)
    throw lsp::RequestError(lsp::ErrorCode::RequestCancelled,
                            "the request was cancelled");
  return compilation;
}

std::shared_ptr<const Compilation>
CompileService::compileWhole(const lsp::IncomingRequest &request,
                             const std::string &uri, const std::string &target,
                             const std::string &function) {
  std::shared_ptr<const Compilation> compilation =
      compileFunction(request, uri, target, function);
  if (compilation->complete())
    return compilation;
  for (const model::Diagnostic &diagnostic : compilation->stages().diagnostics)
    if (diagnostic.severity == model::Severity::Error)
      throw lsp::RequestError(lsp::ResponseError::of(diagnostic));
  model::Diagnostic error;
  error.code = "TW0611";
  error.uri = uri;
  error.message = "the compilation stopped without saying why";
  throw lsp::RequestError(lsp::ResponseError::of(error));
}

} // namespace tilewright::engine
