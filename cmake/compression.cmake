# xz and zstd input, where liblzma and libzstd are found. Each has a source that uses it
# and one that stands in for it: ZB_OPTIONAL_SOURCES, ZB_OPTIONAL_LIBRARIES (plain names,
# so that an installed archive needs no more than -l) and ZB_OPTIONAL_MODULES (pkg-config).

option(ZB_XZ "read xz by liblzma where it is found" ON)
option(ZB_ZSTD "read zstd by libzstd where it is found" ON)

find_package(PkgConfig QUIET)
set(ZB_OPTIONAL_SOURCES)
set(ZB_OPTIONAL_LIBRARIES)
set(ZB_OPTIONAL_MODULES)
function(optional_codec wanted name module)
  string(TOUPPER ${name} prefix)
  set(source src/io/optional/${name}_absent.c)
  if(wanted AND PkgConfig_FOUND)
    pkg_check_modules(ZB_${prefix}LIB QUIET ${module})
  endif()
  if(wanted AND ZB_${prefix}LIB_FOUND)
    set(source src/io/optional/${name}.c)
    set_source_files_properties(${source} PROPERTIES
      INCLUDE_DIRECTORIES "${ZB_${prefix}LIB_INCLUDE_DIRS}")
    set(ZB_OPTIONAL_LIBRARIES
        ${ZB_OPTIONAL_LIBRARIES} ${ZB_${prefix}LIB_LIBRARIES} PARENT_SCOPE)
    set(ZB_OPTIONAL_MODULES "${ZB_OPTIONAL_MODULES} ${module}" PARENT_SCOPE)
  else()
    message(STATUS "${module} is not used: ${name} files will be refused")
  endif()
  set(ZB_OPTIONAL_SOURCES ${ZB_OPTIONAL_SOURCES} ${source} PARENT_SCOPE)
endfunction()
optional_codec(${ZB_XZ} xz liblzma)
optional_codec(${ZB_ZSTD} zstd libzstd)
