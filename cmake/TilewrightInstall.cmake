# cmake --install and find_package(Tilewright).
#
# Components: Development is the C++ API (headers, libraries, package files), Runtime all else.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(TILEWRIGHT_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/Tilewright")

# Libraries. Studio's are no part of the API (they are under another licence), nor are the insides
# of our own programs.
get_property(LIBRARIES GLOBAL PROPERTY TILEWRIGHT_LIBRARIES)
foreach(LIBRARY ${LIBRARIES})
  get_target_property(FOLDER ${LIBRARY} SOURCE_DIR)
  if(FOLDER MATCHES "/(lsp/server|lsp/engine|core/tools)(/|$)")
    list(REMOVE_ITEM LIBRARIES ${LIBRARY})
  endif()
endforeach()
install(TARGETS ${LIBRARIES} EXPORT TilewrightTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilewright COMPONENT Development)
install(EXPORT TilewrightTargets NAMESPACE Tilewright::
  DESTINATION ${TILEWRIGHT_PACKAGE_DIR} COMPONENT Development)

# Headers that need no MLIR: `#include "core/model/Graph.h"` below include/tilewright.
foreach(ROOM core/model core/target core/pipeline viz profiler lsp/protocol lsp/client)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${ROOM}/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilewright/${ROOM} COMPONENT Development
    FILES_MATCHING PATTERN "*.h")
endforeach()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/TilewrightConfig.cmake.in
  ${PROJECT_BINARY_DIR}/TilewrightConfig.cmake
  INSTALL_DESTINATION ${TILEWRIGHT_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TilewrightConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TilewrightConfig.cmake
              ${PROJECT_BINARY_DIR}/TilewrightConfigVersion.cmake
  DESTINATION ${TILEWRIGHT_PACKAGE_DIR} COMPONENT Development)

# Programs, data, licences.
foreach(PROGRAM tilewright tilewright-lsp tilewright-engine tilewright-opt tilewright-studio)
  if(TARGET ${PROGRAM})
    install(TARGETS ${PROGRAM} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Runtime)
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright COMPONENT Runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT Runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/LICENSES
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT Runtime)
