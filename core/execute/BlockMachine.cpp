//===- BlockMachine.cpp - one core that runs block code -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/BlockMachine.h"
#include "core/execute/RunError.h"
#include <algorithm>

namespace tilewright::execute {

[[noreturn]] static void fail(const StepCode &step, std::string code,
                              std::string message) {
  throw RunError(std::move(code), step.name + (": " + message), step.key);
}

const View &BlockMachine::operand(const StepCode &step, size_t i) const {
  const View &view = views[size_t(step.views[i])];
  if (!view.base && view.limit == 0 && view.count() != 0)
    fail(step, "TW0541",
         "operand " + std::to_string(i) + " is used before its buffer exists");
  checkBounds(step, view);
  return view;
}

int64_t BlockMachine::value(const IndexOperand &operand) const {
  return operand.reg >= 0 ? scalars[size_t(operand.reg)].i : operand.number;
}

//===----------------------------------------------------------------------===//
// Views and scalars
//===----------------------------------------------------------------------===//

void BlockMachine::subview(const StepCode &step) {
  const View &source = views[size_t(step.views[0])];
  View out = source;
  out.rank = 0;
  for (size_t d = 0; d < step.offsets.size(); ++d) {
    int64_t offset = value(step.offsets[d]), size = value(step.sizes[d]),
            stride = value(step.strides[d]);
    if (size < 0 || offset < 0 ||
        (size > 0 && offset + (size - 1) * stride >= source.sizes[d]))
      fail(step, "TW0541",
           "elements [" + std::to_string(offset) + ", " +
               std::to_string(offset + size) + ") of dimension " +
               std::to_string(d) + " are outside the shape " +
               extentText(source.shape()));
    out.offset += offset * source.strides[d];
    if (step.numbers[d])
      continue;
    out.sizes[size_t(out.rank)] = size;
    out.strides[size_t(out.rank)] = stride * source.strides[d];
    ++out.rank;
  }
  views[size_t(step.dest)] = out;
}

void BlockMachine::reshapeView(const StepCode &step) {
  const View &source = views[size_t(step.views[0])];
  View out = source;
  if (step.kind == 2) { // reinterpret_cast
    out.offset = value(step.offsets[0]);
    out.rank = int(step.sizes.size());
    for (size_t d = 0; d < step.sizes.size(); ++d) {
      out.sizes[d] = value(step.sizes[d]);
      out.strides[d] = value(step.strides[d]);
    }
    views[size_t(step.dest)] = out;
    return;
  }
  size_t wide = 0; // dimension on the side with more of them
  if (step.kind == 0) {
    out.rank = int(step.numbers.size());
    for (size_t group = 0; group < step.numbers.size(); ++group) {
      int64_t size = 1, stride = 1;
      for (int64_t i = 0; i < step.numbers[group]; ++i, ++wide) {
        size *= source.sizes[wide];
        if (source.sizes[wide] != 1 || i == 0)
          stride = source.strides[wide];
      }
      out.sizes[group] = size;
      out.strides[group] = stride;
    }
  } else {
    out.rank = int(step.sizes.size());
    // Of a single element there are no groups, and every size is 1.
    for (int d = 0; d < out.rank; ++d)
      out.sizes[d] = out.strides[d] = 1;
    for (size_t group = 0; group < step.numbers.size(); ++group) {
      size_t first = wide;
      wide += size_t(step.numbers[group]);
      int64_t stride = source.strides[group];
      for (size_t d = wide; d-- > first;) {
        out.sizes[d] = value(step.sizes[d]);
        out.strides[d] = stride;
        stride *= out.sizes[d];
      }
    }
  }
  views[size_t(step.dest)] = out;
}

void BlockMachine::alloc(const StepCode &step) {
  View &view = views[size_t(step.dest)];
  std::byte *base = nullptr;
  if (hasMemory)
    base = levels[size_t(step.level)].data() + step.offset;
  view = View::whole(base, step.element, step.numbers);
  view.level = step.level;
  view.address = step.offset;
  view.buffer = allocated++;
}

void BlockMachine::loadStore(const StepCode &step) {
  View element = operand(step, 0);
  size_t first = step.step == Step::Store ? 1 : 0;
  for (int d = 0; d < element.rank; ++d) {
    int64_t at = scalars[size_t(step.scalars[first + size_t(d)])].i;
    if (at < 0 || at >= element.sizes[size_t(d)])
      fail(step, "TW0541",
           "index " + std::to_string(at) + " in dimension " +
               std::to_string(d) + " is outside the shape " +
               extentText(element.shape()));
    element.offset += at * element.strides[size_t(d)];
  }
  element.rank = 0;
  if (step.step == Step::Store) {
    Scalar value = scalars[size_t(step.scalars[0])];
    if (sink)
      sink->instruction(step, {&element, 1}, {&value, 1});
    else
      storeElement(element, 0, value);
    return;
  }
  scalars[size_t(step.dest)] =
      sink ? sink->load(step, element) : loadElement(element, 0);
}

/// Executes an instruction or hands it on.
void BlockMachine::instruction(const StepCode &step) {
  operandViews.clear();
  operandScalars.clear();
  for (size_t i = 0; i < step.views.size(); ++i)
    operandViews.push_back(operand(step, i));
  if (step.generic)
    for (auto [outer, inner] : step.generic->captured)
      operandScalars.push_back(scalars[size_t(outer)]);
  else
    for (int reg : step.scalars)
      operandScalars.push_back(scalars[size_t(reg)]);
  if (sink)
    sink->instruction(step, operandViews, operandScalars);
  else
    unit.execute(step, operandViews, operandScalars);
}

void BlockMachine::affine(const StepCode &step) {
  std::vector<int64_t> inputs;
  for (int reg : step.scalars)
    inputs.push_back(scalars[size_t(reg)].i);
  int64_t result = step.map.evaluate(0, inputs);
  for (size_t i = 1; i < step.map.size(); ++i) {
    int64_t other = step.map.evaluate(i, inputs);
    result = step.step == Step::AffineMin ? std::min(result, other)
                                          : std::max(result, other);
  }
  scalars[size_t(step.dest)].i = result;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// All values are read before any is written: a loop may swap what it carries.
void BlockMachine::copy(const std::vector<std::pair<int, int>> &scalarPairs,
                        const std::vector<std::pair<int, int>> &viewPairs) {
  std::vector<Scalar> scalarValues;
  std::vector<View> viewValues;
  for (auto [from, to] : scalarPairs)
    scalarValues.push_back(scalars[size_t(from)]);
  for (auto [from, to] : viewPairs)
    viewValues.push_back(views[size_t(from)]);
  for (size_t i = 0; i < scalarPairs.size(); ++i)
    scalars[size_t(scalarPairs[i].second)] = scalarValues[i];
  for (size_t i = 0; i < viewPairs.size(); ++i)
    views[size_t(viewPairs[i].second)] = viewValues[i];
}

void BlockMachine::runFor(const RoutineCode &routine, const StepCode &step) {
  int64_t lower = scalars[size_t(step.scalars[0])].i,
          upper = scalars[size_t(step.scalars[1])].i,
          stride = scalars[size_t(step.scalars[2])].i;
  if (stride <= 0)
    fail(step, "TW0542",
         "a loop has the step " + std::to_string(stride) +
             "; it must be "
             "positive");
  copy(step.initScalars, step.initViews);
  int64_t turns = upper > lower ? (upper - lower - 1) / stride + 1 : 0;
  for (int64_t turn = 0; turn < turns; ++turn) {
    if (sink && !sink->enterTurn(step, turn, turns))
      continue;
    scalars[size_t(step.scalars[3])].i = lower + turn * stride;
    runBody(routine, step.body);
    copy(step.yieldScalars, step.yieldViews);
  }
  copy(step.resultScalars, step.resultViews);
}

void BlockMachine::runIf(const RoutineCode &routine, const StepCode &step) {
  bool first = scalars[size_t(step.scalars[0])].i != 0;
  if (sink)
    sink->branch(step, first);
  if (first) {
    runBody(routine, step.body);
    copy(step.yieldScalars, step.yieldViews);
  } else if (step.elseBody >= 0) {
    runBody(routine, step.elseBody);
    copy(step.elseScalars, step.elseViews);
  }
}

void BlockMachine::runBody(const RoutineCode &routine, int body) {
  for (const StepCode &step : routine.bodies[size_t(body)])
    runStep(routine, step);
}

void BlockMachine::runStep(const RoutineCode &routine, const StepCode &step) {
  switch (step.step) {
  case Step::Scalar:
    return evaluate(step.scalar, scalars.data());
  case Step::AffineApply:
  case Step::AffineMin:
  case Step::AffineMax:
    return affine(step);
  case Step::Dim: {
    const View &view = views[size_t(step.views[0])];
    int64_t d = scalars[size_t(step.scalars[0])].i;
    if (d < 0 || d >= view.rank)
      fail(step, "TW0542",
           "a buffer of rank " + std::to_string(view.rank) +
               " has no dimension " + std::to_string(d));
    scalars[size_t(step.dest)].i = view.sizes[size_t(d)];
    return;
  }
  case Step::Subview:
    return subview(step);
  case Step::Reshaped:
    return reshapeView(step);
  case Step::CopyView:
    views[size_t(step.dest)] = views[size_t(step.views[0])];
    return;
  case Step::Load:
  case Step::Store:
    return loadStore(step);
  case Step::Alloc:
    return alloc(step);
  case Step::For:
    return runFor(routine, step);
  case Step::If:
    return runIf(routine, step);
  case Step::Move:
  case Step::Fill:
  case Step::Unary:
  case Step::Binary:
  case Step::Cast:
  case Step::Compare:
  case Step::Select:
  case Step::Reduce:
  case Step::Matmul:
  case Step::Transpose:
  case Step::Reshape:
  case Step::Generic:
    return instruction(step);
  case Step::SetEvent:
  case Step::WaitEvent:
  case Step::Barrier:
    // In program order every event has happened.
    if (sink)
      sink->event(step);
    return;
  case Step::Buffer: {
    globals.emplace_back(size_t(step.bytes), std::byte(0xff));
    views[size_t(step.dest)] =
        View::whole(globals.back().data(), step.element, step.numbers);
    return;
  }
  case Step::Constant:
    // Read only: kernels that write it are refused by the verifier.
    views[size_t(step.dest)] =
        View::whole(const_cast<std::byte *>(step.constant->data()),
                    step.element, step.numbers);
    return;
  case Step::Dispatch: {
    std::vector<View> buffers;
    for (size_t i = 0; i < step.views.size(); ++i)
      buffers.push_back(operand(step, i));
    std::vector<int64_t> grid;
    for (const IndexOperand &size : step.dispatch->grid)
      grid.push_back(value(size));
    return dispatch(step, code.kernels[size_t(step.dispatch->kernel)],
                    std::move(buffers), std::move(grid));
  }
  }
}

void BlockMachine::enter(const RoutineCode &routine,
                         std::span<const View> buffers) {
  views.assign(size_t(routine.views), View());
  scalars.assign(size_t(routine.scalars), Scalar());
  std::ranges::copy(buffers, views.begin());
}

void BlockMachine::startKernel(const RoutineCode &kernel,
                               std::span<const View> buffers,
                               std::span<const int64_t> grid) {
  enter(kernel, buffers);
  for (size_t i = 0; i < buffers.size(); ++i) {
    views[i].buffer = -1 - int(i);
    if (hasMemory)
      views[i].address = int64_t(reinterpret_cast<intptr_t>(views[i].base));
  }
  for (size_t d = 0; d < grid.size(); ++d)
    scalars[d].i = grid[d];
  allocated = 0;
}

void BlockMachine::runKernel(const RoutineCode &kernel,
                             std::span<const View> buffers,
                             std::span<const int64_t> grid,
                             InstructionSink *to) {
  hasMemory = true;
  sink = to;
  startKernel(kernel, buffers, grid);
  levels.resize(code.levels.size());
  for (size_t level = 0; level < levels.size(); ++level)
    // assign() keeps the memory of the task before.
    levels[level].assign(size_t(kernel.levelBytes[level]), std::byte(0xff));
  runBody(kernel, 0);
}

void BlockMachine::traceKernel(const RoutineCode &kernel,
                               std::span<const View> buffers,
                               std::span<const int64_t> grid,
                               InstructionSink &to) {
  hasMemory = false;
  sink = &to;
  startKernel(kernel, buffers, grid);
  runBody(kernel, 0);
}

void BlockMachine::runProgram(const RoutineCode &program,
                              std::span<const View> arguments,
                              Dispatch onDispatch) {
  dispatch = std::move(onDispatch);
  sink = nullptr;
  enter(program, arguments);
  runBody(program, 0);
  globals.clear();
}

} // namespace tilewright::execute
