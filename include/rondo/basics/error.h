/* Texts of errors. Part of rondo.h, which says how errors are reported.
 */
#ifndef RONDO_ERROR_H
#define RONDO_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Longest text, with its terminating zero, that Rondo_Error_string writes (bytes). */
#define RONDO_MAX_ERROR_STRING 1024

/* Returns the text of an error: that of the last error Rondo reported in this process if errorcode is its class, MPI's
 * text for the class otherwise. string: at least RONDO_MAX_ERROR_STRING bytes; resultlen: bytes without the zero.
 * Local. */
int Rondo_Error_string(int errorcode, char* string, int* resultlen);

#ifdef __cplusplus
}
#endif

#endif
