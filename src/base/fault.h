/* Fault points: places where the process may be made to die or to fail, compiled in with FAULTS=1
 * only. `PRUNED_FAULT=<point>:<action>[:<n>]` in the environment arms one: the n-th passage
 * (default 1) does the action: `kill` (SIGKILL to itself), `stop` (SIGSTOP), `sleep=<ms>`, `error`
 * (FAULT_ERROR only: the caller takes its error path). `<point>=<subject>` counts the passages
 * about that run (or lane) only (FAULT_ABOUT). `pruned version --faults` lists all points: they are
 * gathered by the linker, so a new one is listed without being registered.
 *
 * Threads: any.
 */
#pragma once
#include <glib.h>

#ifdef PRUNED_FAULTS
typedef struct {
  const char *name;
} FaultPoint;
void fault_pass (const char *name, const char *subject);
gboolean fault_error (const char *name);
#define FAULT_LISTED(text, id)                                                                     \
  static const FaultPoint id __attribute__ ((used, section ("fault_points"), aligned (8)))         \
  = { text }
#define FAULT_ID2(n) fault_point_##n
#define FAULT_ID(n) FAULT_ID2 (n)
#define FAULT(text) FAULT_ABOUT (text, NULL)
#define FAULT_ABOUT(text, subject)                                                                 \
  do {                                                                                             \
    FAULT_LISTED (text, FAULT_ID (__LINE__));                                                      \
    fault_pass (text, subject);                                                                    \
  } while (0)
#define FAULT_ERROR(text)                                                                          \
  ({                                                                                               \
    FAULT_LISTED (text, FAULT_ID (__LINE__));                                                      \
    fault_error (text);                                                                            \
  })
#else
#define FAULT(text) ((void)0)
#define FAULT_ABOUT(text, subject) ((void)0)
#define FAULT_ERROR(text) FALSE
#endif

/* The names of all points, sorted, NULL-terminated; empty in a build without faults. g_free the
 * array (names are static). */
const char **fault_list (void);
