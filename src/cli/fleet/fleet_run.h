/* One command for many configurations: this program, once for each, several at a time.
 *
 * Threads: main only. Ownership: the list owns its members.
 */
#pragma once
#include <glib.h>
#include "base/json.h"

/* A configuration, and what the command said of it. */
typedef struct {
  char *name;   /* its file's, without .conf */
  char *path;   /* of the file */
  int code;     /* exit code; -1: it gave none */
  json_t *said; /* the objects on its standard output, as an array */
  char *error;  /* the last line on its standard error; NULL: none */
} FleetMember;

/* Runs `pruned -c FILE --json ARGUMENTS` for each FILE *.conf of FOLDER, and waits for all, for
 * each at most SECONDS. Variables PRUNED_* are not passed on: they would name one database for all.
 * FleetMembers in the order of their names. Errors: the folder cannot be read, or has no such file.
 * Unref it. */
GPtrArray *fleet_run (const char *folder, const char *const *arguments, guint seconds,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
