/* Reading JSON texts. jansson knows integers of 64 bits and doubles; for other numbers the text is
 * rewritten before jansson reads it. */
#include "base/error.h"
#include "base/json_private.h"
#include <math.h>
#include <pthread.h>
#include <string.h>

#define LONGEST 1000 /* bytes of an exact number: PostgreSQL's numeric holds more than that */
#define EASY 15      /* a double holds every number of so many digits */

typedef struct {
  GString *out;
  char *refused; /* the first number that cannot be held at all; NULL: none */
  guint n_exact;
} Rewritten;

/* The end of the string that begins at AT. */
static const char *
skip_string (const char *at, const char *end)
{
  for (at++; at < end && *at != '"'; at++)
    if (*at == '\\' && at + 1 < end)
      at++;
  return at < end ? at + 1 : end;
}

static gboolean
fits_64_bits (const char *token, gboolean *overflows)
{
  gint64 value;
  g_autoptr (GError) error = NULL;
  gboolean fits = g_ascii_string_to_signed (token, 10, G_MININT64, G_MAXINT64, &value, &error);
  *overflows = g_error_matches (error, G_NUMBER_PARSER_ERROR, G_NUMBER_PARSER_ERROR_OUT_OF_BOUNDS);
  return fits;
}

/* An integer beyond 64 bits gets a fraction, so that jansson reads a real. */
static void
add_as_real (Rewritten *to, const char *token)
{
  gboolean overflows;
  g_string_append (to->out, token);
  if (!fits_64_bits (token, &overflows) && overflows)
    g_string_append (to->out, ".0");
}

static const char *
skip_digits (const char *at)
{
  while (g_ascii_isdigit (*at))
    at++;
  return at;
}

/* As JSON writes numbers. */
static gboolean
is_number (const char *token)
{
  const char *at = *token == '-' ? token + 1 : token, *start = at;
  at = skip_digits (at);
  if (at == start || (*start == '0' && at != start + 1))
    return FALSE;
  if (*at == '.') {
    start = at + 1;
    at = skip_digits (start);
    if (at == start)
      return FALSE;
  }
  if (*at == 'e' || *at == 'E') {
    start = at[1] == '+' || at[1] == '-' ? at + 2 : at + 1;
    at = skip_digits (start);
    if (at == start)
      return FALSE;
  }
  return *at == '\0';
}

static void
add_as_text (Rewritten *to, const char *token)
{
  gboolean overflows, text = is_number (token) && !fits_64_bits (token, &overflows);
  g_string_append_printf (to->out, text ? "\"%s\"" : "%s", token);
}

/* --- exact numbers --- */

/* jansson has no such numbers: each is an object with this one member. A text that has such objects
 * itself is refused, and its name is never told. */
static char exact_name[64];

static void
make_exact_name (void)
{
  g_autofree char *random = g_uuid_string_random ();
  g_snprintf (exact_name, sizeof exact_name, "exact number %s", random);
}

static const char *
name_of_exact (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, make_exact_name);
  return exact_name;
}

const char *
json_exact (const json_t *value)
{
  if (!json_is_object (value) || json_object_size (value) != 1)
    return NULL;
  return json_string_value (json_object_get (value, name_of_exact ()));
}

gboolean
json_is_plain_object (const json_t *value)
{
  return json_is_object (value) && json_exact (value) == NULL;
}

/* The exact numbers in VALUE. */
static guint
count_exact (const json_t *value)
{
  const char *name;
  json_t *member;
  guint n = json_exact (value) != NULL ? 1 : 0;
  json_object_foreach ((json_t *)value, name, member)
    n += count_exact (member);
  for (gsize i = 0; i < json_array_size (value); i++)
    n += count_exact (json_array_get (value, i));
  return n;
}

/* Whether TEXT may name the member. Its letters can be escaped. */
static gboolean
may_forge (const char *text, gsize len)
{
  return g_strstr_len (text, (gssize)len, name_of_exact ()) != NULL
         || g_strstr_len (text, (gssize)len, "\\u") != NULL;
}

/* The value of a number, the same however it is written: `-125e-2` for -1.250. */
static char *
value_of (const char *token)
{
  GString *digits = g_string_new (NULL);
  gint64 exponent = 0, fraction = 0;
  const char *at = *token == '-' ? token + 1 : token;
  for (; *at != '\0' && *at != 'e' && *at != 'E'; at++)
    if (*at == '.')
      fraction = 1;
    else {
      exponent -= fraction;
      if (digits->len > 0 || *at != '0')
        g_string_append_c (digits, *at);
    }
  if (*at != '\0')
    exponent += CLAMP (g_ascii_strtoll (at + 1, NULL, 10), -G_MAXINT32, G_MAXINT32);
  for (; digits->len > 0 && digits->str[digits->len - 1] == '0'; exponent++)
    g_string_truncate (digits, digits->len - 1);
  if (digits->len == 0)
    return g_string_free (g_string_assign (digits, "0"), FALSE);
  if (*token == '-')
    g_string_prepend_c (digits, '-');
  g_string_append_printf (digits, "e%" G_GINT64_FORMAT, exponent);
  return g_string_free (digits, FALSE);
}

/* The double nearest to TOKEN is written as the same number. */
static gboolean
is_held (const char *token, double nearest)
{
  g_autoptr (GString) written = g_string_new (NULL);
  json_append_real (written, nearest);
  g_autofree char *is = value_of (written->str), *wanted = value_of (token);
  return g_str_equal (is, wanted);
}

static void
add_exact (Rewritten *to, const char *token)
{
  gboolean overflows; /* such an integer is always exact */
  double nearest = g_ascii_strtod (token, NULL);
  if (!is_number (token) || fits_64_bits (token, &overflows)
      || (!overflows && isfinite (nearest) && is_held (token, nearest)))
    g_string_append (to->out, token);
  else if (isfinite (nearest) && nearest != 0 && strlen (token) <= LONGEST) {
    g_string_append_printf (to->out, "{\"%s\":\"%s\"}", name_of_exact (), token);
    to->n_exact++;
  } else if (to->refused == NULL)
    to->refused = g_strdup (token);
}

/* --- */

typedef void (*AddNumber) (Rewritten *to, const char *token);

/* A number cannot be a key: it stays, so that jansson refuses it. */
static gboolean
is_key (const char *behind, const char *end)
{
  while (behind < end && g_ascii_isspace (*behind))
    behind++;
  return behind < end && *behind == ':';
}

static const char *
skip_number (const char *at, const char *end)
{
  while (at < end && (g_ascii_isalnum (*at) || strchr ("+-.", *at) != NULL))
    at++;
  return at;
}

static const char *
copy_number (Rewritten *to, const char *at, const char *end, AddNumber add)
{
  const char *start = at;
  at = skip_number (at, end);
  g_autofree char *token = g_strndup (start, at - start);
  if (is_key (at, end))
    g_string_append (to->out, token);
  else
    add (to, token);
  return at;
}

static Rewritten
with_numbers (const char *text, gsize len, AddNumber add)
{
  Rewritten to = { g_string_sized_new (len + 16), NULL, 0 };
  for (const char *at = text, *end = text + len; at < end;) {
    const char *start = at;
    if (*at == '-' || g_ascii_isdigit (*at)) {
      at = copy_number (&to, at, end, add);
      continue;
    }
    at = *at == '"' ? skip_string (at, end) : at + 1;
    g_string_append_len (to.out, start, at - start);
  }
  return to;
}

static json_t *
load (const char *text, gsize len, json_error_t *problem)
{
  return json_loadb (text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, problem);
}

/* VALUE, which was read of TEXT, if it has N_EXACT exact numbers and no objects like them. */
static json_t *
unforged (json_t *value, const char *text, gsize len, guint n_exact, GError **error)
{
  if (value == NULL || !may_forge (text, len) || count_exact (value) == n_exact)
    return value;
  json_decref (value);
  return error_null (error, PRUNED_REJECT, "a member whose name is reserved");
}

static json_t *
told (json_t *value, const json_error_t *problem, GError **error)
{
  if (value == NULL) {
    g_autofree char *why = g_utf8_make_valid (problem->text, -1);
    g_set_error (error, PRUNED_ERROR, PRUNED_REJECT, "line %d, column %d: %s", problem->line,
                 problem->column, why);
  }
  return value;
}

json_t *
json_parse (const char *text, gsize len, GError **error)
{
  json_error_t problem;
  json_t *value = load (text, len, &problem);
  if (value == NULL && json_error_code (&problem) == json_error_numeric_overflow) {
    Rewritten to = with_numbers (text, len, add_as_real);
    value = load (to.out->str, to.out->len, &problem);
    g_string_free (to.out, TRUE);
  }
  return unforged (told (value, &problem, error), text, len, 0, error);
}

json_t *
json_parse_digits (const char *text, gsize len, GError **error)
{
  json_error_t problem;
  Rewritten to = with_numbers (text, len, add_as_text);
  json_t *value = load (to.out->str, to.out->len, &problem);
  g_string_free (to.out, TRUE);
  return unforged (told (value, &problem, error), text, len, 0, error);
}

/* Whether TEXT may have a number that a double does not hold. */
static gboolean
has_hard_number (const char *text, gsize len)
{
  for (const char *at = text, *end = text + len; at < end;) {
    const char *start = at;
    if (*at != '-' && !g_ascii_isdigit (*at)) {
      at = *at == '"' ? skip_string (at, end) : at + 1;
      continue;
    }
    at = skip_number (at, end);
    if (at - start > EASY || memchr (start, 'e', at - start) != NULL
        || memchr (start, 'E', at - start) != NULL)
      return TRUE;
  }
  return FALSE;
}

json_t *
json_parse_exact (const char *text, gsize len, GError **error)
{
  json_error_t problem;
  if (!has_hard_number (text, len))
    return unforged (told (load (text, len, &problem), &problem, error), text, len, 0, error);
  Rewritten to = with_numbers (text, len, add_exact);
  json_t *value = to.refused == NULL ? load (to.out->str, to.out->len, &problem) : NULL;
  g_string_free (to.out, TRUE);
  if (to.refused == NULL)
    return unforged (told (value, &problem, error), text, len, to.n_exact, error);
  g_set_error (error, PRUNED_ERROR, PRUNED_REJECT,
               "a number that is too large, too small or too long: %.40s%s", to.refused,
               strlen (to.refused) > 40 ? "..." : "");
  g_free (to.refused);
  return NULL;
}
