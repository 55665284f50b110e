/* Templates of job.conf: texts in which `{name}` stands for a value, such as `unique_key` and
 * `log`.
 *
 * Threads: any. Ownership: the caller g_frees the text.
 */
#pragma once
#include <glib.h>

/* Appends the value of NAME to TEXT, or nothing if there is none. */
typedef void (*TemplateValue) (GString *text, const char *name, gconstpointer data);
/* A brace that is not closed stands for itself. */
char *template_fill (const char *template, TemplateValue value, gconstpointer data);
