# zbound-mpi, where MPI is found: the program's sources with another main().

option(ZB_MPI "build zbound-mpi where MPI is found" ON)
if(ZB_MPI)
  find_package(MPI COMPONENTS C QUIET)
endif()
if(NOT MPI_C_FOUND)
  message(STATUS "MPI was not found: there will be no zbound-mpi")
  return()
endif()
add_executable(zbound-mpi mpi/zbound_mpi.c mpi/transport.c)
target_link_libraries(zbound-mpi PRIVATE zbound_app zbound_static MPI::MPI_C m)

# What a letter costs (docs/scale.md): ninja bench_letters
add_executable(bench_letters mpi/letters.c mpi/transport.c)
target_include_directories(bench_letters PRIVATE src)
target_link_libraries(bench_letters PRIVATE zbound_static MPI::MPI_C m)
set_target_properties(bench_letters PROPERTIES
  OUTPUT_NAME letters RUNTIME_OUTPUT_DIRECTORY bench EXCLUDE_FROM_ALL ON)
