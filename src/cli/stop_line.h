/* The stop in force, as commands show it: the red line above their answer, and `{since, by,
 * reason}`.
 *
 * Threads: main only. Ownership: see each function.
 */
#pragma once
#include "cli/command.h"
#include "pg/pg.h"

/* {since, by, reason}; null if ROWS has none. New reference. */
json_t *stop_line_object (const PgRows *rows);
/* The red line; nothing if ROWS has none. */
void stop_line_say (Output *out, const PgRows *rows);
/* Reads the stop in force and writes the line. */
gboolean stop_line_show (Cli *cli, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same from what stop_line_object made. */
void stop_line_say_object (Output *out, const json_t *stop);
