//===- CompiledProgram.cpp - a program as code and plain data -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/CompiledProgram.h"
#include "core/execute/Element.h"
#include <cerrno>
#include <cstring>
#include <fstream>

namespace tilewright::execute {

/// First bytes of a program file.
static constexpr char magic[8] = {'T', 'W', 'P', 'R', 'O', 'G', '0', '1'};

int64_t CompiledProgram::tasks() const {
  int64_t count = 0;
  for (const ProgramDispatch &dispatch : dispatches)
    count += dispatch.tasks();
  return count;
}

static model::Diagnostic fileError(const std::string &path,
                                   const std::string &what) {
  model::Diagnostic diagnostic;
  diagnostic.code = "TW0530";
  diagnostic.message = path + ": " + what;
  return diagnostic;
}

std::optional<model::Diagnostic>
CompiledProgram::write(const std::string &path) const {
  nlohmann::json header = {{"schema", schema},
                           {"version", version},
                           {"name", name},
                           {"target", target},
                           {"buffers", buffers},
                           {"dispatches", dispatches},
                           {"matrixTiles", matrixTiles},
                           {"constantBytes", constants.size()},
                           {"objectBytes", object.size()}};
  std::string text =
      header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::ofstream out(path, std::ios::binary);
  uint64_t size = text.size();
  out.write(magic, sizeof magic);
  out.write(reinterpret_cast<const char *>(&size), sizeof size);
  out << text;
  out.write(reinterpret_cast<const char *>(constants.data()),
            std::streamsize(constants.size()));
  out.write(reinterpret_cast<const char *>(object.data()),
            std::streamsize(object.size()));
  out.close();
  if (!out)
    return fileError(path, std::string("the compiled program cannot be "
                                       "written: ") +
                               std::strerror(errno));
  return std::nullopt;
}

std::variant<CompiledProgram, model::Diagnostic>
CompiledProgram::read(const std::string &path) try {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in)
    return fileError(path, std::strerror(errno));
  uint64_t total = uint64_t(in.tellg());
  in.seekg(0);
  char start[sizeof magic];
  uint64_t size = 0;
  if (!in.read(start, sizeof start) ||
      std::memcmp(start, magic, sizeof magic) ||
      !in.read(reinterpret_cast<char *>(&size), sizeof size) ||
      size > total - sizeof magic - sizeof size)
    return fileError(path, "this is no compiled program");
  std::string text(size, '\0');
  in.read(text.data(), std::streamsize(size));
  nlohmann::json header = nlohmann::json::parse(text);
  CompiledProgram program;
  program.name = header.at("name");
  program.target = header.at("target");
  program.matrixTiles = header.value("matrixTiles", false);
  program.buffers = header.at("buffers").get<std::vector<ProgramBuffer>>();
  program.dispatches =
      header.at("dispatches").get<std::vector<ProgramDispatch>>();
  uint64_t constantBytes = header.at("constantBytes"),
           objectBytes = header.at("objectBytes");
  uint64_t rest = total - sizeof magic - sizeof size - text.size();
  if (constantBytes > rest || objectBytes != rest - constantBytes)
    return fileError(path, "the compiled program is cut off");
  program.constants.resize(constantBytes);
  program.object.resize(objectBytes);
  in.read(reinterpret_cast<char *>(program.constants.data()),
          std::streamsize(constantBytes));
  in.read(reinterpret_cast<char *>(program.object.data()),
          std::streamsize(objectBytes));
  if (!in)
    return fileError(path, "the compiled program cannot be read");
  if (std::string what = program.inconsistency(); !what.empty())
    return fileError(path, what);
  return program;
} catch (const std::exception &error) {
  return fileError(path,
                   std::string("this is no compiled program: ") + error.what());
}

std::string CompiledProgram::inconsistency() const {
  bool argumentsEnd = false, resultsEnd = false;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const ProgramBuffer &buffer = buffers[i];
    std::string name = "buffer " + std::to_string(i);
    std::optional<Element> element = elementNamed(buffer.dtype);
    if (!element)
      return name + " has the unknown element type \"" + buffer.dtype + "\"";
    int64_t bytes = bytesOf(*element);
    for (int64_t size : buffer.shape)
      if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes))
        return name + " has no valid shape";
    if (bytes != buffer.bytes)
      return name + " has " + std::to_string(buffer.bytes) +
             " bytes, its "
             "shape needs " +
             std::to_string(bytes);
    using Kind = ProgramBuffer::Kind;
    if ((buffer.kind == Kind::Argument && argumentsEnd) ||
        (buffer.kind == Kind::Result && resultsEnd))
      return name + " is out of order";
    argumentsEnd |= buffer.kind != Kind::Argument;
    resultsEnd |= buffer.kind != Kind::Argument && buffer.kind != Kind::Result;
    if (buffer.kind == Kind::Constant &&
        (buffer.constantOffset < 0 ||
         buffer.constantOffset > int64_t(constants.size()) ||
         buffer.bytes > int64_t(constants.size()) - buffer.constantOffset))
      return name + " lies outside the constants";
  }
  int64_t total = 0;
  for (size_t i = 0; i < dispatches.size(); ++i) {
    const ProgramDispatch &dispatch = dispatches[i];
    std::string name = "dispatch " + std::to_string(i);
    int64_t tasks = 1;
    if (dispatch.grid.size() > maxGridRank)
      return name + " has a grid of more than " + std::to_string(maxGridRank) +
             " dimensions";
    for (int64_t size : dispatch.grid)
      if (size < 0 || __builtin_mul_overflow(tasks, size, &tasks))
        return name + " has no valid grid";
    if (dispatch.strip < 1)
      return name + " has no valid order";
    if (__builtin_add_overflow(total, tasks, &total) ||
        total > (int64_t(1) << 31))
      return name + " brings the program to more than 2^31 tasks";
    if (dispatch.scratchBytes < 0)
      return name + " needs a negative amount of memory";
    for (const BufferReference &reference : dispatch.buffers)
      if (reference.buffer < 0 || reference.buffer >= int64_t(buffers.size()) ||
          reference.byteOffset < 0 ||
          reference.byteOffset > buffers[size_t(reference.buffer)].bytes)
        return name + " refers to memory that does not exist";
    for (const ProgramDependency &dependency : dispatch.dependencies) {
      if (dependency.producer < 0 || dependency.producer >= int64_t(i))
        return name + " depends on a dispatch that is not before it";
      size_t rank = dispatches[size_t(dependency.producer)].grid.size();
      for (const IndexMap *map : {&dependency.lower, &dependency.upper})
        if (map->size() != rank ||
            map->inputCount() > int64_t(dispatch.grid.size()))
          return name + " has a dependency that does not fit its producer";
    }
  }
  return "";
}

} // namespace tilewright::execute
