# LLVM/MLIR 19 as shared libraries, one precompiled header for all rooms that use them, and the
# ODS generator.
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)

set(TILEWRIGHT_MLIR_INCLUDES ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
set(TILEWRIGHT_TBLGEN "${LLVM_TOOLS_BINARY_DIR}/mlir-tblgen")

add_library(TilewrightMlirPch STATIC ${PROJECT_SOURCE_DIR}/cmake/MlirPch.cpp)
target_include_directories(TilewrightMlirPch SYSTEM PRIVATE ${TILEWRIGHT_MLIR_INCLUDES})
target_precompile_headers(TilewrightMlirPch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/MlirPch.h)

# The shared libraries, so that no program carries a copy of LLVM.
find_library(TILEWRIGHT_MLIR_SO NAMES MLIR PATHS "${LLVM_LIBRARY_DIR}" NO_DEFAULT_PATH REQUIRED)
find_library(TILEWRIGHT_LLVM_SO NAMES LLVM-19 LLVM PATHS "${LLVM_LIBRARY_DIR}" REQUIRED)

function(tilewright_use_mlir NAME)
  target_include_directories(${NAME} SYSTEM PRIVATE ${TILEWRIGHT_MLIR_INCLUDES})
  target_link_libraries(${NAME} PUBLIC ${TILEWRIGHT_MLIR_SO} ${TILEWRIGHT_LLVM_SO})
  target_precompile_headers(${NAME} REUSE_FROM TilewrightMlirPch)
  # One header serves libraries and programs only if both are compiled alike.
  get_target_property(TYPE ${NAME} TYPE)
  if(TYPE STREQUAL "EXECUTABLE")
    set_target_properties(${NAME} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${NAME} PRIVATE -fPIC)
  endif()
endfunction()

# tilewright_tablegen(TARGET TD OUT ACTION...): OUT is made next to the same path in the build tree.
function(tilewright_tablegen TARGET TD)
  get_filename_component(DIR "${CMAKE_CURRENT_SOURCE_DIR}/${TD}" DIRECTORY)
  file(RELATIVE_PATH REL "${PROJECT_SOURCE_DIR}" "${DIR}")
  set(OUTDIR "${PROJECT_BINARY_DIR}/${REL}")
  file(MAKE_DIRECTORY "${OUTDIR}")
  file(GLOB TDS CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/core/dialect/*/*.td")
  set(OUTS)
  set(ARGS ${ARGN})
  while(ARGS)
    list(POP_FRONT ARGS OUT ACTION)
    string(REPLACE " " ";" ACTION "${ACTION}")
    add_custom_command(
      OUTPUT "${OUTDIR}/${OUT}"
      COMMAND ${TILEWRIGHT_TBLGEN} ${ACTION} -I ${PROJECT_SOURCE_DIR} -I ${MLIR_INCLUDE_DIRS}
              ${CMAKE_CURRENT_SOURCE_DIR}/${TD} -o ${OUTDIR}/${OUT} --write-if-changed
      COMMAND ${CMAKE_COMMAND} -E touch ${OUTDIR}/${OUT}.stamp
      BYPRODUCTS "${OUTDIR}/${OUT}.stamp"
      DEPENDS ${TDS} VERBATIM)
    list(APPEND OUTS "${OUTDIR}/${OUT}")
  endwhile()
  add_custom_target(${TARGET} DEPENDS ${OUTS})
  set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_TABLEGEN_TARGETS ${TARGET})
endfunction()
