/* JSON values are jansson's (pruned/json.h); here are the few functions that the project needs
 * besides.
 *
 * Ownership: jansson's rules (json_decref); `g_autoptr (json_t)` works.
 * Threads: any; a value belongs to one thread at a time.
 */
#pragma once
#include "pruned/json.h"

/* Parses a text of LEN bytes, which can be any JSON value. Duplicate keys are an error. An integer
 * beyond 64 bits becomes a real (so it fits no integer field); a number beyond a double is an
 * error. PRUNED_REJECT names line and column. */
json_t *json_parse (const char *text, gsize len, GError **error);

/* The same, but all digits stay: a number that is no integer of 64 bits becomes a string. */
json_t *json_parse_digits (const char *text, gsize len, GError **error);

/* The same, but each number keeps its value: one that neither an integer of 64 bits nor a double
 * holds is *exact*. json_text writes it as it was; for jansson it is an object. A number beyond a
 * double, or of more than 1,000 bytes, is an error. */
json_t *json_parse_exact (const char *text, gsize len, GError **error);

/* The number as it was written, if VALUE is an exact one; else NULL. */
const char *json_exact (const json_t *value);

/* Whether VALUE is an object, and not an exact number. */
gboolean json_is_plain_object (const json_t *value);

/* The JSON number TEXT as PostgreSQL's numeric writes it: without an exponent, `-12.50` for
 * -1.250e1. g_free it. */
char *json_numeric (const char *text);

/* VALUE as text on one line: no blanks, keys in insertion order, UTF-8 not escaped, reals with the
 * fewest digits that read back the same. g_free it. */
char *json_text (const json_t *value);

/* Appends the same text to OUT. */
void json_append (GString *out, const json_t *value);

/* The canonical form of ARGS, from which run ids are computed (docs/messages.md): keys sorted by
 * bytes, no blanks, UTF-8 escaped only where JSON demands it, reals as in json_text. NULL, JSON
 * null and {} give "{}". g_free it. */
char *json_canonical (const json_t *args);

/* The canonical form of a JSON *text*. Numbers stay as written (1.0, 12345678901234567890). The
 * text must be an object or null, nested at most 128 deep. PRUNED_REJECT. g_free it. */
char *json_canonical_text (const char *text, gsize len, GError **error);

/* Appends TEXT (valid UTF-8) as a JSON string. Escapes only `"`, `\\` and control characters.
 */
void json_append_quoted (GString *out, const char *text, gsize len);
