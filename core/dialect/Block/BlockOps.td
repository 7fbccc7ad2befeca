//===- BlockOps.td - operations of the Block graph ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_BLOCK_OPS
#define TILEWRIGHT_BLOCK_OPS

include "core/dialect/Block/BlockDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Block_Op<string mnemonic, list<Trait> traits = []>
    : Op<Block_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Kernels and programs
//===----------------------------------------------------------------------===//

def Block_KernelOp : Block_Op<"kernel",
    [FunctionOpInterface, IsolatedFromAbove, AutomaticAllocationScope]> {
  let summary = "what one core runs for one point of a grid";
  let description = [{
    Arguments: memrefs in global memory first, then `grid_rank` grid
    coordinates of type index. No results: outputs are written through
    arguments. `core` is the kind of core it needs ("cube", "vector", "any").

    ```mlir
    block.kernel @add(%a: memref<64x64xf32, #block.level<"GM">>, %i: index)
        attributes {core = "vector", grid_rank = 1 : i64} { block.return }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs,
                       StrAttr:$core, I64Attr:$grid_rank);
  let regions = (region AnyRegion:$body);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
                                 "::llvm::StringRef":$core, "int64_t":$gridRank)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// Number of memref arguments, before the grid coordinates.
    unsigned getNumBuffers() { return getNumArguments() - getGridRank(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Block_ProgramOp : Block_Op<"program",
    [FunctionOpInterface, IsolatedFromAbove, AutomaticAllocationScope]> {
  let summary = "buffers in global memory and the dispatches over them, in order";
  let description = [{
    Arguments: the operator's inputs, then `result_count` output buffers, all
    memrefs in global memory. The body holds `block.buffer` (intermediates),
    `block.dispatch`, constants, and ends in `block.return`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs, I64Attr:$result_count);
  let regions = (region AnyRegion:$body);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
                                 "int64_t":$resultCount)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Block_ReturnOp : Block_Op<"return", [Pure, Terminator]> {
  let summary = "ends a kernel or a program";
  let assemblyFormat = "attr-dict";
}

def Block_BufferOp : Block_Op<"buffer", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a buffer in global memory that lives for the run of the program";
  let results = (outs AnyStaticShapeMemRef:$memref);
  let assemblyFormat = "attr-dict `:` type($memref)";
}

def Block_ConstantOp : Block_Op<"constant", [Pure]> {
  let summary = "a constant tensor in global memory, read only";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeMemRef:$memref);
  let assemblyFormat = "$value attr-dict `:` type($memref)";
  let hasVerifier = 1;
}

def Block_DispatchOp : Block_Op<"dispatch", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "runs a kernel once for every point of a grid";
  let description = [{
    One task for each point; tasks of one dispatch are independent. `access` has
    one entry per argument (see #block.access); `dependencies` is set by
    `build-tasks`. Grid sizes are static, or index operands where not.

    ```mlir
    block.dispatch @add grid [4, 8] (%a, %b, %c) : memref<...>, memref<...>, memref<...>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Index>:$dynamic_grid,
                       DenseI64ArrayAttr:$static_grid, Variadic<AnyMemRef>:$buffers,
                       OptionalAttr<TypedArrayAttrBase<Block_AccessAttr, "accesses">>:$access,
                       OptionalAttr<TypedArrayAttrBase<Block_DependencyAttr, "dependencies">>:$dependencies);
  let assemblyFormat = [{
    $kernel `grid` custom<DynamicIndexList>($dynamic_grid, $static_grid)
    `(` $buffers `)` attr-dict `:` type($buffers)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Inside a kernel
//===----------------------------------------------------------------------===//

def Block_AllocOp : Block_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "an on-chip buffer";
  let description = [{
    `offset` (bytes from the start of its level) is set by `allocate-onchip`.
    Lives from its first to its last use.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs AnyStaticShapeMemRef:$memref);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` type($memref)";
  let hasVerifier = 1;
}

/// An instruction: reads its sources, writes `dest`, runs on `pipe` (a name of
/// the target; absent before it is chosen). Each pipe has a queue that it works
/// through in order, one instruction after the other; between its start and its
/// end an instruction reads and writes at any time, and the other pipes go on.
/// Only events and barriers order instructions of different pipes.
class Block_Instruction<string mnemonic, list<Trait> traits = []>
    : Block_Op<mnemonic, traits # [MemoryEffects<[MemRead, MemWrite]>]>;

def Block_MoveOp : Block_Instruction<"move"> {
  let summary = "moves a tile between memory levels";
  let description = [{
    Copies `source` to `dest`, converting the element type if they differ. With
    `layout` `packed` the destination has the physical shape given at
    #tile.layout and is filled, padding with zeros up to its full extent along
    the packed axis. Without layout both have the same shape.
  }];
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$dest,
                       OptionalAttr<Tile_LayoutAttr>:$layout, OptionalAttr<StrAttr>:$pipe);
  let assemblyFormat = [{
    $source `to` $dest (`layout` $layout^)? (`on` $pipe^)? attr-dict `:` type($source) `to` type($dest)
  }];
  let hasVerifier = 1;
}

def Block_FillOp : Block_Instruction<"fill"> {
  let summary = "sets every element";
  let arguments = (ins TypedAttrInterface:$value, AnyMemRef:$dest, OptionalAttr<StrAttr>:$pipe);
  let assemblyFormat = "$value `,` $dest (`on` $pipe^)? attr-dict `:` type($dest)";
  let hasVerifier = 1;
}

def Block_UnaryOp : Block_Instruction<"unary"> {
  let summary = "dest = f(source), element by element, computed in f32 for 16-bit types";
  let arguments = (ins Block_UnaryKindAttr:$kind, AnyMemRef:$source, AnyMemRef:$dest,
                       OptionalAttr<StrAttr>:$pipe);
  let assemblyFormat = [{
    $kind $source `into` $dest (`on` $pipe^)? attr-dict `:` type($source) `into` type($dest)
  }];
  let hasVerifier = 1;
}

def Block_BinaryOp : Block_Instruction<"binary"> {
  let summary = "dest = f(lhs, rhs) with numpy broadcasting of static 1 dimensions";
  let arguments = (ins Block_BinaryKindAttr:$kind, AnyMemRef:$lhs, AnyMemRef:$rhs, AnyMemRef:$dest,
                       OptionalAttr<StrAttr>:$pipe);
  let assemblyFormat = [{
    $kind $lhs `,` $rhs `into` $dest (`on` $pipe^)? attr-dict
    `:` type($lhs) `,` type($rhs) `into` type($dest)
  }];
  let hasVerifier = 1;
}

def Block_CastOp : Block_Instruction<"cast"> {
  let summary = "converts the element type, rounding to nearest even";
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$dest, OptionalAttr<StrAttr>:$pipe);
  let assemblyFormat =
      "$source `into` $dest (`on` $pipe^)? attr-dict `:` type($source) `into` type($dest)";
  let hasVerifier = 1;
}

def Block_CompareOp : Block_Instruction<"compare"> {
  let summary = "dest (i1) = lhs <predicate> rhs, broadcasting";
  let arguments = (ins Block_ComparePredicateAttr:$predicate, AnyMemRef:$lhs, AnyMemRef:$rhs,
                       AnyMemRef:$dest, OptionalAttr<StrAttr>:$pipe);
  let assemblyFormat = [{
    $predicate $lhs `,` $rhs `into` $dest (`on` $pipe^)? attr-dict
    `:` type($lhs) `,` type($rhs) `into` type($dest)
  }];
  let hasVerifier = 1;
}

def Block_SelectOp : Block_Instruction<"select"> {
  let summary = "dest = condition ? lhs : rhs, broadcasting";
  let arguments = (ins AnyMemRef:$condition, AnyMemRef:$lhs, AnyMemRef:$rhs, AnyMemRef:$dest,
                       OptionalAttr<StrAttr>:$pipe);
  let assemblyFormat = [{
    $condition `,` $lhs `,` $rhs `into` $dest (`on` $pipe^)? attr-dict
    `:` type($condition) `,` type($lhs) `,` type($rhs) `into` type($dest)
  }];
  let hasVerifier = 1;
}

def Block_ReduceOp : Block_Instruction<"reduce"> {
  let summary = "reduces the given axes; dest keeps them as 1 or drops them";
  let description = [{
    Sums of 16-bit types accumulate in f32. `accumulate` combines with what dest
    holds instead of overwriting it (not for mean).
  }];
  let arguments = (ins Block_ReduceKindAttr:$kind, AnyMemRef:$source, AnyMemRef:$dest,
                       DenseI64ArrayAttr:$axes, UnitAttr:$accumulate, OptionalAttr<StrAttr>:$pipe);
  let assemblyFormat = [{
    $kind $source `into` $dest `axes` $axes (`accumulate` $accumulate^)? (`on` $pipe^)? attr-dict
    `:` type($source) `into` type($dest)
  }];
  let hasVerifier = 1;
}

def Block_MatmulOp : Block_Instruction<"matmul"> {
  let summary = "dest (+)= lhs x rhs, accumulating in f32";
  let description = [{
    lhs is m x k (k x m with `transpose_lhs`), rhs k x n (n x k with
    `transpose_rhs`), dest m x n. Packed operands (see #tile.layout) have their
    physical shape: lhs `packed<axis=0, block=r>`: ceil(m/r) x k x r; rhs
    `packed<axis=1, block=c>`: ceil(n/c) x k x c. Where they group steps of k,
    both are padded to the same multiple. With packed operands the
    underlying buffer of dest has room for whole r x c blocks (its rows and
    columns rounded up), and the padding may be written. `k` is the number of
    valid steps where the operands' buffers hold more (a tail).
  }];
  let arguments = (ins AnyMemRef:$lhs, AnyMemRef:$rhs, AnyMemRef:$dest, Optional<Index>:$k,
                       OptionalAttr<Tile_LayoutAttr>:$lhs_layout,
                       OptionalAttr<Tile_LayoutAttr>:$rhs_layout,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs, UnitAttr:$accumulate,
                       OptionalAttr<StrAttr>:$pipe);
  let assemblyFormat = [{
    $lhs (`layout` $lhs_layout^)? (`transposed` $transpose_lhs^)? `,`
    $rhs (`layout` $rhs_layout^)? (`transposed` $transpose_rhs^)? `into` $dest
    (`k` $k^)? (`accumulate` $accumulate^)? (`on` $pipe^)? attr-dict
    `:` type($lhs) `,` type($rhs) `into` type($dest)
  }];
  let hasVerifier = 1;
}

def Block_TransposeOp : Block_Instruction<"transpose"> {
  let summary = "dimension d of dest is dimension permutation[d] of source";
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$dest, DenseI64ArrayAttr:$permutation,
                       OptionalAttr<StrAttr>:$pipe);
  let assemblyFormat = [{
    $source `into` $dest `permutation` $permutation (`on` $pipe^)? attr-dict
    `:` type($source) `into` type($dest)
  }];
  let hasVerifier = 1;
}

def Block_ReshapeOp : Block_Instruction<"reshape"> {
  let summary = "copies elements in row-major order into another shape of the same size";
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$dest, OptionalAttr<StrAttr>:$pipe);
  let assemblyFormat =
      "$source `into` $dest (`on` $pipe^)? attr-dict `:` type($source) `into` type($dest)";
  let hasVerifier = 1;
}

def Block_GenericOp : Block_Instruction<"generic", [AttrSizedOperandSegments,
    SingleBlockImplicitTerminator<"::tilewright::block::YieldOp">]> {
  let summary = "an instruction given by its region, as linalg.generic";
  let description = [{
    For upstream operations that have no named instruction: indexing maps,
    iterator types and region as in `linalg.generic` over buffers. Outputs are
    read too where the region uses them.
  }];
  let arguments = (ins Variadic<AnyMemRef>:$inputs, Variadic<AnyMemRef>:$outputs,
                       AffineMapArrayAttr:$indexing_maps, StrArrayAttr:$iterator_types,
                       OptionalAttr<StrAttr>:$pipe);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `maps` $indexing_maps `iterators` $iterator_types
    (`ins` `(` $inputs^ `:` type($inputs) `)`)? `outs` `(` $outputs `:` type($outputs) `)`
    (`on` $pipe^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Block_YieldOp : Block_Op<"yield", [Pure, ReturnLike, Terminator,
                                       ParentOneOf<["::tilewright::block::GenericOp"]>]> {
  let summary = "values of one element of a block.generic";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Block_SetEventOp : Block_Op<"set_event", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "pipe `from` signals event `id` to pipe `to` once its earlier instructions are done";
  let description = [{
    Stands in the queue of pipe `from`, and happens when all before it there is
    done. An event (from, to, id) is one signal: it is clear when a kernel
    starts, must be clear when one ends, and must not be set while it is set.
  }];
  let arguments = (ins StrAttr:$from, StrAttr:$to, I64Attr:$id);
  let assemblyFormat = "$from `to` $to `id` $id attr-dict";
}

def Block_WaitEventOp : Block_Op<"wait_event", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "pipe `to` waits for event `id` from pipe `from` before its later instructions";
  let description = [{
    Stands in the queue of pipe `to`: what is behind it there starts once the
    event is set, which clears it. The n-th wait for an event meets its n-th
    set. The other pipes go on.
  }];
  let arguments = (ins StrAttr:$from, StrAttr:$to, I64Attr:$id);
  let assemblyFormat = "$from `to` $to `id` $id attr-dict";
}

def Block_BarrierOp : Block_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all pipes of the core wait for each other";
  let description = [{
    Stands in the queues of all pipes that the kernel uses; none passes before
    all have come to it.
  }];
  let assemblyFormat = "attr-dict";
}

#endif
