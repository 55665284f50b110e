/* Prometheus' text format.
 *
 * Threads: any. Ownership: none.
 */
#pragma once
#include <glib.h>

/* The HELP and TYPE lines of a metric; its values follow. */
void exposition_head (GString *body, const char *name, const char *kind, const char *help);
/* A value line. LABELS are like `job="x",state="y"`; "": none. */
void exposition_value (GString *body, const char *name, const char *labels, double value);
/* A gauge without labels. */
void exposition_gauge (GString *body, const char *name, const char *help, double value);
/* `name="value"`, with the value escaped. g_free it. */
char *exposition_label (const char *name, const char *value);
