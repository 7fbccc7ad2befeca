//===- TileRegisters.cpp - AMX's tile registers in software ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TileRegisters.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <cstring>
#include <mutex>

using namespace mlir;

namespace tilewright::test {
namespace {

constexpr int registers = 8, mostRows = 16, rowBytes = 64;

struct Form {
  int rows = 0, bytes = 0; ///< of a row
};

/// Of one thread. Without a form there are none.
struct Registers {
  bool inUse = false;
  Form forms[registers];
  alignas(64) unsigned char data[registers][mostRows * rowBytes];
};
thread_local Registers own;

std::mutex faultsMutex;
std::string faults;

void fault(const std::string &what) {
  std::lock_guard lock(faultsMutex);
  if (faults.size() < 1000)
    faults += what + "\n";
}

/// Whether register `i` can be used.
bool usable(int8_t i, const char *what) {
  if (own.inUse && i >= 0 && i < registers && own.forms[i].rows)
    return true;
  fault(std::string(what) + " of register " + std::to_string(i) +
        ", which has no form");
  return false;
}

void loadForm(const unsigned char *form) {
  if (form[0] != 1)
    return fault("a form of palette " + std::to_string(form[0]));
  own = Registers();
  own.inUse = true;
  for (int i = 0; i < registers; ++i) {
    uint16_t bytes;
    std::memcpy(&bytes, form + 16 + 2 * i, 2);
    if (bytes > rowBytes || form[48 + i] > mostRows)
      fault("a form of " + std::to_string(form[48 + i]) + " rows of " +
            std::to_string(bytes) + " bytes");
    own.forms[i] = {form[48 + i], bytes};
  }
}

void release() {
  if (!own.inUse)
    fault("a release of registers not in use");
  own.inUse = false;
}

void zero(int8_t i) {
  if (usable(i, "a zero"))
    std::memset(own.data[i], 0, sizeof own.data[i]);
}

void load(int8_t i, const char *from, int64_t stride) {
  if (!usable(i, "a load"))
    return;
  for (int row = 0; row < own.forms[i].rows; ++row)
    std::memcpy(own.data[i] + row * rowBytes, from + row * stride,
                size_t(own.forms[i].bytes));
}

void store(int8_t i, char *to, int64_t stride) {
  if (!usable(i, "a store"))
    return;
  for (int row = 0; row < own.forms[i].rows; ++row)
    std::memcpy(to + row * stride, own.data[i] + row * rowBytes,
                size_t(own.forms[i].bytes));
}

float wide(uint16_t half) {
  uint32_t bits = uint32_t(half) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

void multiplyAdd(int8_t sums, int8_t lhs, int8_t rhs) {
  if (!usable(sums, "a product") || !usable(lhs, "a product") ||
      !usable(rhs, "a product"))
    return;
  if (sums == lhs || sums == rhs || lhs == rhs)
    return fault("a product of a register with itself");
  for (int m = 0; m < own.forms[sums].rows; ++m)
    for (int k = 0; k < own.forms[lhs].bytes / 4; ++k)
      for (int n = 0; n < own.forms[sums].bytes / 4; ++n) {
        float sum;
        uint16_t x[2], y[2];
        unsigned char *at = own.data[sums] + m * rowBytes + n * 4;
        std::memcpy(&sum, at, 4);
        std::memcpy(x, own.data[lhs] + m * rowBytes + k * 4, 4);
        std::memcpy(y, own.data[rhs] + k * rowBytes + n * 4, 4);
        sum += wide(x[0]) * wide(y[0]);
        sum += wide(x[1]) * wide(y[1]);
        std::memcpy(at, &sum, 4);
      }
}

void *functionFor(StringRef name) {
  if (name == "llvm.x86.ldtilecfg")
    return reinterpret_cast<void *>(loadForm);
  if (name == "llvm.x86.tilerelease")
    return reinterpret_cast<void *>(release);
  if (name == "llvm.x86.tilezero")
    return reinterpret_cast<void *>(zero);
  if (name == "llvm.x86.tileloadd64")
    return reinterpret_cast<void *>(load);
  if (name == "llvm.x86.tilestored64")
    return reinterpret_cast<void *>(store);
  if (name == "llvm.x86.tdpbf16ps")
    return reinterpret_cast<void *>(multiplyAdd);
  return nullptr;
}

} // namespace

int playTileRegisters(ModuleOp kernels) {
  SmallVector<LLVM::CallIntrinsicOp> calls;
  kernels.walk([&](LLVM::CallIntrinsicOp call) {
    if (functionFor(call.getIntrin()))
      calls.push_back(call);
  });
  MLIRContext *context = kernels.getContext();
  for (LLVM::CallIntrinsicOp call : calls) {
    OpBuilder builder(call);
    Value address = builder.create<LLVM::ConstantOp>(
        call.getLoc(), builder.getI64Type(),
        builder.getI64IntegerAttr(
            reinterpret_cast<intptr_t>(functionFor(call.getIntrin()))));
    SmallVector<Value> operands = {builder.create<LLVM::IntToPtrOp>(
        call.getLoc(), LLVM::LLVMPointerType::get(context), address)};
    llvm::append_range(operands, call.getArgs());
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(context),
        SmallVector<Type>(call.getArgs().getTypes()));
    builder.create<LLVM::CallOp>(call.getLoc(), type, operands);
    call.erase();
  }
  return int(calls.size());
}

void TileRegisterFaults::clear() {
  std::lock_guard lock(faultsMutex);
  faults.clear();
}

std::string TileRegisterFaults::text() {
  std::lock_guard lock(faultsMutex);
  return faults;
}

} // namespace tilewright::test
