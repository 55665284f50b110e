#include "base/json.h"
#include "base/error.h"
#include <string.h>

static void
write_escaped (GString *out, char c)
{
  static const char shorts[] = {
    ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\'
  };
  if (shorts[(int)c] != 0)
    g_string_append_printf (out, "\\%c", shorts[(int)c]);
  else
    g_string_append_printf (out, "\\u%04x", c);
}

void
json_append_quoted (GString *out, const char *text, gsize len)
{
  g_string_append_c (out, '"');
  gsize plain = 0;
  for (gsize i = 0; i < len; i++) {
    guchar c = text[i];
    if (c >= 0x20 && c != '"' && c != '\\')
      continue;
    g_string_append_len (out, text + plain, i - plain);
    write_escaped (out, c);
    plain = i + 1;
  }
  g_string_append_len (out, text + plain, len - plain);
  g_string_append_c (out, '"');
}

/* Writes the fewest digits that read back as the same number, always with a point or an
 * exponent. */
static void
write_real (GString *out, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  for (int precision = 15; precision <= 17; precision++) {
    char format[8];
    g_snprintf (format, sizeof format, "%%.%dg", precision);
    g_ascii_formatd (digits, sizeof digits, format, value);
    if (g_ascii_strtod (digits, NULL) == value)
      break;
  }
  g_string_append (out, digits);
  if (strpbrk (digits, ".e") == NULL)
    g_string_append (out, ".0");
}

static void write_value (GString *out, const json_t *value, gboolean sorted);

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static void
write_member (GString *out, const char *key, const json_t *value, gboolean sorted)
{
  if (out->str[out->len - 1] != '{')
    g_string_append_c (out, ',');
  json_append_quoted (out, key, strlen (key));
  g_string_append_c (out, ':');
  write_value (out, value, sorted);
}

static void
write_sorted (GString *out, const json_t *object)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  const char *key;
  json_t *value;
  json_object_foreach ((json_t *)object, key, value)
    g_ptr_array_add (keys, (gpointer)key);
  g_ptr_array_sort (keys, compare_texts);
  for (guint i = 0; i < keys->len; i++)
    write_member (out, keys->pdata[i], json_object_get (object, keys->pdata[i]), TRUE);
}

static void
write_object (GString *out, const json_t *object, gboolean sorted)
{
  const char *key;
  json_t *value;
  g_string_append_c (out, '{');
  if (sorted)
    write_sorted (out, object);
  else
    json_object_foreach ((json_t *)object, key, value)
      write_member (out, key, value, FALSE);
  g_string_append_c (out, '}');
}

static void
write_array (GString *out, const json_t *array, gboolean sorted)
{
  g_string_append_c (out, '[');
  for (gsize i = 0; i < json_array_size (array); i++) {
    if (i > 0)
      g_string_append_c (out, ',');
    write_value (out, json_array_get (array, i), sorted);
  }
  g_string_append_c (out, ']');
}

static void
write_value (GString *out, const json_t *value, gboolean sorted)
{
  switch (json_typeof (value)) {
  case JSON_OBJECT:
    write_object (out, value, sorted);
    break;
  case JSON_ARRAY:
    write_array (out, value, sorted);
    break;
  case JSON_STRING:
    json_append_quoted (out, json_string_value (value), json_string_length (value));
    break;
  case JSON_INTEGER:
    g_string_append_printf (out, "%" JSON_INTEGER_FORMAT, json_integer_value (value));
    break;
  case JSON_REAL:
    write_real (out, json_real_value (value));
    break;
  case JSON_TRUE:
    g_string_append (out, "true");
    break;
  case JSON_FALSE:
    g_string_append (out, "false");
    break;
  case JSON_NULL:
    g_string_append (out, "null");
    break;
  }
}

void
json_append (GString *out, const json_t *value)
{
  write_value (out, value, FALSE);
}

char *
json_text (const json_t *value)
{
  GString *out = g_string_new (NULL);
  json_append (out, value);
  return g_string_free (out, FALSE);
}

char *
json_canonical (const json_t *args)
{
  if (args == NULL || json_is_null (args))
    return g_strdup ("{}");
  GString *out = g_string_new (NULL);
  write_value (out, args, TRUE);
  return g_string_free (out, FALSE);
}

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
add_as_real (GString *out, const char *token)
{
  gboolean overflows;
  g_string_append (out, token);
  if (!fits_64_bits (token, &overflows) && overflows)
    g_string_append (out, ".0");
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
add_as_text (GString *out, const char *token)
{
  gboolean overflows, text = is_number (token) && !fits_64_bits (token, &overflows);
  g_string_append_printf (out, text ? "\"%s\"" : "%s", token);
}

typedef void (*AddNumber) (GString *out, const char *token);

/* A number cannot be a key: it stays, so that jansson refuses it. */
static gboolean
is_key (const char *behind, const char *end)
{
  while (behind < end && g_ascii_isspace (*behind))
    behind++;
  return behind < end && *behind == ':';
}

static const char *
copy_number (GString *out, const char *at, const char *end, AddNumber add)
{
  const char *start = at;
  while (at < end && (g_ascii_isalnum (*at) || strchr ("+-.", *at) != NULL))
    at++;
  g_autofree char *token = g_strndup (start, at - start);
  if (is_key (at, end))
    g_string_append (out, token);
  else
    add (out, token);
  return at;
}

static char *
with_numbers (const char *text, gsize len, AddNumber add, gsize *out_len)
{
  GString *out = g_string_sized_new (len + 16);
  for (const char *at = text, *end = text + len; at < end;) {
    const char *start = at;
    if (*at == '-' || g_ascii_isdigit (*at)) {
      at = copy_number (out, at, end, add);
      continue;
    }
    at = *at == '"' ? skip_string (at, end) : at + 1;
    g_string_append_len (out, start, at - start);
  }
  *out_len = out->len;
  return g_string_free (out, FALSE);
}

static json_t *
load (const char *text, gsize len, json_error_t *problem)
{
  return json_loadb (text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, problem);
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
    gsize rewritten_len;
    g_autofree char *rewritten = with_numbers (text, len, add_as_real, &rewritten_len);
    value = load (rewritten, rewritten_len, &problem);
  }
  return told (value, &problem, error);
}

json_t *
json_parse_digits (const char *text, gsize len, GError **error)
{
  json_error_t problem;
  gsize rewritten_len;
  g_autofree char *rewritten = with_numbers (text, len, add_as_text, &rewritten_len);
  return told (load (rewritten, rewritten_len, &problem), &problem, error);
}
