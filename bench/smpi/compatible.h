/* Before every file that smpicxx compiles: what the header of SimGrid 3.32 lacks of MPI's. */
#ifdef __cplusplus
#include <mpi.h>

/* The header names these types, and the library has them under other names: null types are equal to no type of a
 * message. */
#undef MPI_CXX_FLOAT_COMPLEX
#undef MPI_CXX_DOUBLE_COMPLEX
#undef MPI_CXX_LONG_DOUBLE_COMPLEX
#define MPI_CXX_FLOAT_COMPLEX MPI_DATATYPE_NULL
#define MPI_CXX_DOUBLE_COMPLEX MPI_DATATYPE_NULL
#define MPI_CXX_LONG_DOUBLE_COMPLEX MPI_DATATYPE_NULL

/* The status is const since MPI-3. */
inline int MPI_Get_elements_x(const MPI_Status* status, MPI_Datatype type, MPI_Count* elements) {
  MPI_Status copy = *status;
  return MPI_Get_elements_x(&copy, type, elements);
}
#endif
