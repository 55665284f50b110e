/* JSON values are jansson's; this is the one place that includes its header, with the few
 * things the project needs beside it.
 *
 * Ownership: as jansson says (json_decref); `g_autoptr (json_t)` works.
 * Threads: any; a value belongs to one thread at a time.
 */
#pragma once
#include <glib.h>
#include <jansson.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

/* Parses a text of LEN bytes, of any JSON value. Duplicate keys are an error. An integer beyond 64
 * bits becomes a real (so it fits no integer field); a number beyond a double is an error.
 * PRUNED_REJECT with line and column. */
json_t *json_parse (const char *text, gsize len, GError **error);

/* One line without blanks, keys in the order they were set, UTF-8 not escaped, reals with the
 * fewest digits that read back the same. g_free it. */
char *json_text (const json_t *value);

/* The same, appended. */
void json_append (GString *out, const json_t *value);

/* The canonical form that run ids are made of (docs/messages.md): keys sorted by bytes, no blanks,
 * UTF-8 not escaped beyond what JSON demands, reals as in json_text. NULL, JSON null and {} give
 * "{}". g_free it. */
char *json_canonical (const json_t *args);

/* The canonical form of a JSON *text*, with numbers as they were written (1.0 stays 1.0,
 * 12345678901234567890 stays). The text must be an object or null, nested at most 128
 * deep. PRUNED_REJECT. g_free it. */
char *json_canonical_text (const char *text, gsize len, GError **error);

/* Appends TEXT (valid UTF-8) as a JSON string: escaped are only `"`, `\\` and control characters.
 */
void json_append_quoted (GString *out, const char *text, gsize len);
