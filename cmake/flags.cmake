# Warnings, floating point, sanitizers: for every target.

add_compile_definitions(_GNU_SOURCE)
add_compile_options(-Wall -Wextra -Wconversion -Wshadow)
if(CMAKE_C_COMPILER_ID MATCHES "Clang") # a loop that instrumented code leaves scalar
  add_compile_options(-Wno-pass-failed)
endif()

# The first two let loops with choices and square roots become vector code; the third
# forbids fused multiply-adds, with which results would depend on the machine, as they
# would with the 80 bits of old 32-bit code. Never fast-math: it breaks infinities, which
# are our zeros.
add_compile_options(-fno-math-errno -fno-trapping-math -ffp-contract=off)
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "86")
  add_compile_options(-msse2 -mfpmath=sse)
endif()

# Clones for AVX-512 use all of its registers' bits; other code has no such registers.
include(CheckCCompilerFlag)
check_c_compiler_flag(-mprefer-vector-width=512 ZB_VECTORS_OF_512)
if(ZB_VECTORS_OF_512)
  add_compile_options(-mprefer-vector-width=512)
endif()

if(ZB_WERROR STREQUAL "AUTO")
  string(REGEX MATCH "^[0-9]+" major ${CMAKE_C_COMPILER_VERSION})
  if("${CMAKE_C_COMPILER_ID}-${major}" MATCHES "^(GNU-12|Clang-14)$")
    add_compile_options(-Werror)
  endif()
elseif(ZB_WERROR)
  add_compile_options(-Werror)
endif()

if(ZB_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "ZB_FUZZ needs clang: configure with CC=clang")
  endif()
  set(ZB_SANITIZE address,undefined)
  add_compile_options(-fsanitize=fuzzer-no-link)
  # kernels are hundreds of inlined loops: minutes to instrument, and no reader's concern
  foreach(kernel log lin sum)
    set_source_files_properties(src/pass/kernel_${kernel}.c PROPERTIES COMPILE_OPTIONS -O0)
  endforeach()
endif()
if(ZB_SANITIZE)
  set(CMAKE_C_FLAGS_RELEASE "-O1")
  add_compile_options(-fsanitize=${ZB_SANITIZE} -fno-sanitize-recover=all -g
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ZB_SANITIZE})
  add_compile_definitions(ZB_NO_CLONES)
endif()
