# zbound-mpi, where MPI is found: the program's sources with another main().

option(ZB_MPI "build zbound-mpi where MPI is found" ON)
if(ZB_MPI)
  find_package(MPI COMPONENTS C QUIET)
endif()
if(NOT MPI_C_FOUND)
  message(STATUS "MPI was not found: there will be no zbound-mpi")
  return()
endif()
add_executable(zbound-mpi mpi/zbound_mpi.c)
target_link_libraries(zbound-mpi PRIVATE zbound_app zbound_static MPI::MPI_C m)
