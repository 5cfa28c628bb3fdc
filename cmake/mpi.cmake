# zbound-mpi, where MPI is found: the program's sources with another main().

option(ZB_MPI "build zbound-mpi where MPI is found" ON)
if(ZB_MPI)
  find_package(MPI COMPONENTS C QUIET)
endif()
if(NOT MPI_C_FOUND)
  message(STATUS "MPI was not found: there will be no zbound-mpi")
  return()
endif()
set(sources ${ZB_APP_SOURCES})
list(FILTER sources EXCLUDE REGEX "/app/zbound\\.c$")
add_executable(zbound-mpi mpi/zbound_mpi.c ${sources})
target_include_directories(zbound-mpi PRIVATE app)
target_link_libraries(zbound-mpi PRIVATE zbound_static MPI::MPI_C PkgConfig::JANSSON
                                         OpenMP::OpenMP_C m)
