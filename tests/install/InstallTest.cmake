# Run by ctest, see CMakeLists.txt.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE STATUS OUTPUT_VARIABLE OUTPUT ERROR_VARIABLE OUTPUT)
  if(NOT STATUS EQUAL 0)
    string(REPLACE ";" " " COMMAND "${ARGN}")
    message(FATAL_ERROR "${COMMAND}\n${OUTPUT}")
  endif()
  set(OUTPUT "${OUTPUT}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${PREFIX} ${EXAMPLE_BUILD})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})
foreach(FILE include/tilewright/core/model/Graph.h share/tilewright/targets/cpu-generic.json
             share/tilewright/examples/swiglu_ffn.mlir)
  if(NOT EXISTS ${PREFIX}/${FILE})
    message(FATAL_ERROR "not installed: ${FILE}")
  endif()
endforeach()

# Installed programs find each other, their libraries and their data.
if(EXISTS ${PREFIX}/bin/tilewright-engine)
  run(${CMAKE_COMMAND} -E env --unset=TILEWRIGHT_RESOURCES --unset=TILEWRIGHT_ENGINE
      ${PREFIX}/bin/tilewright target --names)
  if(NOT OUTPUT MATCHES "ascend-a3")
    message(FATAL_ERROR "the installed tilewright knows only: ${OUTPUT}")
  endif()
endif()

# The source tree must not be needed: what is installed names no path in it.
file(GLOB_RECURSE PACKAGE ${PREFIX}/lib*/cmake/*.cmake)
foreach(FILE ${PACKAGE})
  file(READ ${FILE} TEXT)
  string(FIND "${TEXT}" "${SOURCE}/" FOUND)
  if(NOT FOUND EQUAL -1)
    message(FATAL_ERROR "${FILE} names the source tree")
  endif()
endforeach()

# Libraries built with sanitizers need them in the program too.
set(FLAGS "")
if(SANITIZE)
  set(FLAGS "-fsanitize=${SANITIZE}")
endif()
run(${CMAKE_COMMAND} -S ${EXAMPLE} -B ${EXAMPLE_BUILD} -G ${GENERATOR} -DCMAKE_CXX_FLAGS=${FLAGS}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${PREFIX})
run(${CMAKE_COMMAND} --build ${EXAMPLE_BUILD})
run(${CMAKE_COMMAND} -E env TILEWRIGHT_RESOURCES=${PREFIX}/share/tilewright
    ${EXAMPLE_BUILD}/example ${PREFIX}/share/tilewright/examples/matmul.mlir ascend-a3)
message("${OUTPUT}")
if(NOT OUTPUT MATCHES "tile/choose-tiles" OR NOT OUTPUT MATCHES "kernel ")
  message(FATAL_ERROR "the example printed something else")
endif()
