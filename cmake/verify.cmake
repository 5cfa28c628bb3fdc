# zbound-verify, where Arb is found: it takes nothing from the library. verify_objects is
# all of it but main(), for the tests.

find_path(ARB_INCLUDE NAMES arb.h PATH_SUFFIXES flint) # in FLINT 3: flint/arb.h
find_library(ARB NAMES flint-arb arb flint) # by the first of these names
find_library(FLINT flint)
find_library(MPFR mpfr)
find_library(GMP gmp)
if(NOT ARB_INCLUDE OR NOT ARB OR NOT FLINT OR NOT MPFR OR NOT GMP)
  message(STATUS "Arb was not found: there will be no zbound-verify")
  return()
endif()

file(GLOB ZB_VERIFY_SOURCES CONFIGURE_DEPENDS verify/*.c)
list(FILTER ZB_VERIFY_SOURCES EXCLUDE REGEX "main\\.c$")
add_library(verify_objects OBJECT ${ZB_VERIFY_SOURCES})
target_link_libraries(verify_objects PUBLIC ${ARB} ${FLINT} ${MPFR} ${GMP} m)

add_executable(zbound-verify verify/main.c)
target_link_libraries(zbound-verify PRIVATE verify_objects ZLIB::ZLIB)
