/* Prometheus' text format, line by line.
 *
 * Threads: any. Ownership: none.
 */
#pragma once
#include <glib.h>

/* HELP and TYPE of a metric; its values follow. */
void exposition_head (GString *body, const char *name, const char *kind, const char *help);
/* LABELS as `job="x",state="y"`; "": none. */
void exposition_value (GString *body, const char *name, const char *labels, double value);
/* `name="value"`, quoted as it has to be. g_free it. */
char *exposition_label (const char *name, const char *value);
