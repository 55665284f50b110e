/* Places for files that an archive keeps: a folder of this machine (`file:/srv/archive`), or a
 * bucket of [store.object], below a path or not (`s3:BUCKET/path`).
 *
 * Invariants: a file is reported as written only if the disk (fsync, of it and of its folder) or
 * the service (a completed PUT whose digest it has checked) has it whole. A name says what is in
 * the file (place_name), so one that is written twice, or late, is the same.
 *
 * Threads: place_write from any; `done` runs on a thread of the places and must not block; the
 * others block.
 * Ownership: as said.
 */
#pragma once
#include "config/config.h"

#include <stdatomic.h>

typedef struct _PlaceFile PlaceFile;
struct _PlaceFile {
  char *place, *name;
  GBytes *content;
  atomic_int cancelled; /* may be set at any time */
  void (*done) (PlaceFile *file);
  gpointer data;
  /* set before DONE */
  char *why;       /* why it is not known to be written; NULL: it is */
  gint64 retry_ms; /* until another try makes sense */
};
void place_file_clear (PlaceFile *file);

/* Whether TEXT begins as a place does. One that is wrong: *WHY says why; NULL: it is none, or
 * right. */
gboolean place_is (const char *text, const char **why);
/* `FOLDER/RUN-STEP-DIGEST.jsonl.gz`: the digest is that of LINES, what the file unpacks to. g_free
 * it. */
char *place_name (const char *folder, const char *run_id, int step, const GString *lines);
/* Whether LINES are what the file NAME, or path, had when it was written. */
gboolean place_fits (const char *name, const GString *lines);

/* The place with the name: what the audit notes, and what place_read reads. g_free it. */
char *place_path (const char *place, const char *name);

/* Calls `done` of FILE exactly once. */
void place_write (const Config *config, PlaceFile *file);
/* What the file PATH has. NULL: it is not there, or cannot be read; ERROR names it. */
GBytes *place_read (const Config *config, const char *path, GError **error);
/* Whether a file can be written in PLACE: one is, and is removed again. */
gboolean place_probe (const Config *config, const char *place, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Waits for what is being written. Thread: main, after all others have ended. */
void places_stop (void);
