# The shared library exports the functions that zbound.h declares. Hidden visibility alone
# does not do: gcc makes the dispatchers of cloned functions visible whatever they are told.
# Where the linker knows no version scripts (macOS), there are no clones either.

set(header ${PROJECT_SOURCE_DIR}/include/zbound.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
file(READ ${header} text)
string(REGEX MATCHALL "zb_[a-z0-9_]+[ \n]*\\(" calls "${text}")
string(REGEX REPLACE "[ \n]*\\(" "" names "${calls}")
list(REMOVE_DUPLICATES names)
list(JOIN names "; " names)
file(CONFIGURE OUTPUT zbound.map CONTENT "{ global: @names@; local: *; };\n" @ONLY)
include(CheckLinkerFlag)
check_linker_flag(C -Wl,--version-script=${PROJECT_BINARY_DIR}/zbound.map
                  ZB_VERSION_SCRIPT)
if(ZB_VERSION_SCRIPT)
  target_link_options(zbound_shared PRIVATE
    -Wl,--version-script=${PROJECT_BINARY_DIR}/zbound.map)
  set_property(TARGET zbound_shared PROPERTY
    LINK_DEPENDS ${PROJECT_BINARY_DIR}/zbound.map)
endif()
