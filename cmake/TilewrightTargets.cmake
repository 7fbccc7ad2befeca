# tilewright_library(NAME FOLDER SOURCES ... DEPS ... [MLIR])
#
# A static library of one room of the house. DEPS are public. MLIR marks the rooms that may
# include LLVM and MLIR headers; tests/architecture checks that no others do.
function(tilewright_library NAME)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;DEPS" ${ARGN})
  add_library(${NAME} STATIC ${ARG_SOURCES})
  add_library(Tilewright::${NAME} ALIAS ${NAME})
  target_include_directories(${NAME} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>
    $<INSTALL_INTERFACE:include/tilewright>)
  target_link_libraries(${NAME} PUBLIC ${ARG_DEPS})
  set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_LIBRARIES ${NAME})
  if(ARG_MLIR)
    tilewright_use_mlir(${NAME})
  endif()
endfunction()

# tilewright_executable(NAME SOURCES ... DEPS ... [MLIR])
function(tilewright_executable NAME)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${ARG_DEPS})
  target_include_directories(${NAME} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  if(ARG_MLIR)
    tilewright_use_mlir(${NAME})
  endif()
endfunction()

# tilewright_test(NAME SOURCES ... DEPS ... [MLIR]): a Catch2 program registered with ctest.
function(tilewright_test NAME)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE TilewrightTestMain ${ARG_DEPS})
  target_include_directories(${NAME} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_definitions(${NAME} PRIVATE
    TILEWRIGHT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TILEWRIGHT_BINARY_DIR="${PROJECT_BINARY_DIR}")
  if(ARG_MLIR)
    tilewright_use_mlir(${NAME})
  endif()
  add_test(NAME ${NAME} COMMAND ${NAME})
endfunction()
