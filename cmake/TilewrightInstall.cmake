# cmake --install and find_package(Tilewright).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
