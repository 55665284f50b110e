/* The two kinds of places (place.h).
 *
 * Threads: as in place.h. Ownership: as said.
 */
#pragma once
#include "store/place.h"

#define PLACE_FILE "file:"
#define PLACE_S3 "s3:"
#define PLACE_MOST_BYTES (1024 * 1024 * 1024) /* of a file that is read */

/* Ends FILE. WHY is taken; NULL: it is written. */
void place_done (PlaceFile *file, char *why, gint64 retry_ms);

/* CONTENT is in FOLDER under NAME, and so is FOLDER's entry. Why not (g_free it); NULL: it is. */
char *place_folder_put (const char *folder, const char *name, GBytes *content);
GBytes *place_folder_get (const char *path, GError **error);
/* Why no file can be written there; g_free it. */
char *place_folder_probe (const char *folder);

/* BUCKET: with the path behind it. */
void place_s3_write (const Config *config, const char *bucket, PlaceFile *file);
GBytes *place_s3_get (const Config *config, const char *path, GError **error);
char *place_s3_probe (const Config *config, const char *bucket);
void place_s3_stop (void);
