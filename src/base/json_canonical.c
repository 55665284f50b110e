/* The canonical form, made directly from the text, because jansson does not keep numbers as
 * written. A strict RFC 8259 reader that keeps only the canonical text of each value. */
#include "base/error.h"
#include "base/json.h"
#include <string.h>

#define DEEPEST 128 /* bounds the copying: each level copies its content */

typedef struct {
  const char *start, *at, *end; /* the text: valid UTF-8 without NUL */
  int depth;
  GError **error;
} TextReader;

typedef struct {
  char *key;  /* unescaped, to sort by */
  char *text; /* `"key":value`, canonical */
} Member;

static gboolean read_value (TextReader *reader, GString *out);

static gboolean
fail (TextReader *reader, const char *why)
{
  int line = 1;
  const char *line_start = reader->start;
  for (const char *c = reader->start; c < reader->at; c++)
    if (*c == '\n') {
      line++;
      line_start = c + 1;
    }
  return error_reject (reader->error, "line %d, column %d: %s", line,
                       (int)(reader->at - line_start) + 1, why);
}

/* The next byte; 0 at the end. */
static char
peek (const TextReader *reader)
{
  return reader->at < reader->end ? *reader->at : '\0';
}

static gboolean
take (TextReader *reader, char wanted)
{
  if (peek (reader) != wanted)
    return FALSE;
  reader->at++;
  return TRUE;
}

static void
skip_blanks (TextReader *reader)
{
  while (reader->at < reader->end && strchr (" \t\r\n", *reader->at) != NULL)
    reader->at++;
}

static gboolean
read_word (TextReader *reader, const char *word, GString *out)
{
  for (const char *c = word; *c != '\0'; c++)
    if (!take (reader, *c))
      return fail (reader, "unknown word");
  g_string_append (out, word);
  return TRUE;
}

static gboolean
read_digits (TextReader *reader)
{
  if (!g_ascii_isdigit (peek (reader)))
    return fail (reader, "a digit is missing");
  while (g_ascii_isdigit (peek (reader)))
    reader->at++;
  return TRUE;
}

static gboolean
read_number (TextReader *reader, GString *out)
{
  const char *start = reader->at;
  take (reader, '-');
  if (take (reader, '0')) {
    if (g_ascii_isdigit (peek (reader)))
      return fail (reader, "a number begins with 0");
  } else if (!read_digits (reader))
    return FALSE;
  if (take (reader, '.') && !read_digits (reader))
    return FALSE;
  if (take (reader, 'e') || take (reader, 'E')) {
    if (!take (reader, '+'))
      take (reader, '-');
    if (!read_digits (reader))
      return FALSE;
  }
  g_string_append_len (out, start, reader->at - start);
  return TRUE;
}

static gboolean
read_hex4 (TextReader *reader, gunichar *value)
{
  *value = 0;
  for (int i = 0; i < 4; i++, reader->at++) {
    if (!g_ascii_isxdigit (peek (reader)))
      return fail (reader, "\\u needs four hexadecimal digits");
    *value = *value * 16 + g_ascii_xdigit_value (*reader->at);
  }
  return TRUE;
}

/* Reads what follows `\u`: one character, of one escape or of two (a surrogate pair). */
static gboolean
read_unicode (TextReader *reader, GString *text)
{
  gunichar first, second;
  if (!read_hex4 (reader, &first))
    return FALSE;
  if (first == 0)
    return fail (reader, "\\u0000 is not allowed");
  if (first >= 0xd800 && first < 0xdc00) {
    if (!take (reader, '\\') || !take (reader, 'u'))
      return fail (reader, "half of a surrogate pair");
    if (!read_hex4 (reader, &second))
      return FALSE;
    if (second < 0xdc00 || second > 0xdfff)
      return fail (reader, "half of a surrogate pair");
    first = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
  } else if (first >= 0xdc00 && first <= 0xdfff)
    return fail (reader, "half of a surrogate pair");
  g_string_append_unichar (text, first);
  return TRUE;
}

static gboolean
read_escape (TextReader *reader, GString *text)
{
  static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  char c = peek (reader);
  const char *known = c != '\0' ? strchr (escapes, c) : NULL;
  if (take (reader, 'u'))
    return read_unicode (reader, text);
  if (known == NULL)
    return fail (reader, "unknown escape");
  reader->at++;
  g_string_append_c (text, meant[known - escapes]);
  return TRUE;
}

/* Reads a string, unescaped. */
static gboolean
read_string (TextReader *reader, GString *text)
{
  if (!take (reader, '"'))
    return fail (reader, "a string is missing");
  while (!take (reader, '"')) {
    if (reader->at == reader->end)
      return fail (reader, "a string does not end");
    if ((guchar)*reader->at < 0x20)
      return fail (reader, "a control character in a string");
    if (take (reader, '\\')) {
      if (!read_escape (reader, text))
        return FALSE;
    } else
      g_string_append_c (text, *reader->at++);
  }
  return TRUE;
}

static gboolean
read_quoted (TextReader *reader, GString *out)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (!read_string (reader, text))
    return FALSE;
  json_append_quoted (out, text->str, text->len);
  return TRUE;
}

static gboolean
read_array (TextReader *reader, GString *out)
{
  g_string_append_c (out, '[');
  reader->at++;
  skip_blanks (reader);
  if (peek (reader) != ']')
    for (;;) {
      if (!read_value (reader, out))
        return FALSE;
      if (!take (reader, ','))
        break;
      g_string_append_c (out, ',');
    }
  if (!take (reader, ']'))
    return fail (reader, "',' or ']' is missing");
  g_string_append_c (out, ']');
  return TRUE;
}

static void
clear_member (gpointer data)
{
  Member *member = data;
  g_free (member->key);
  g_free (member->text);
}

static int
compare_members (gconstpointer a, gconstpointer b)
{
  return strcmp (((const Member *)a)->key, ((const Member *)b)->key);
}

static gboolean
read_member (TextReader *reader, GArray *members)
{
  g_autoptr (GString) key = g_string_new (NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  skip_blanks (reader);
  if (!read_string (reader, key))
    return FALSE;
  json_append_quoted (text, key->str, key->len);
  skip_blanks (reader);
  if (!take (reader, ':'))
    return fail (reader, "':' is missing");
  g_string_append_c (text, ':');
  if (!read_value (reader, text))
    return FALSE;
  Member member = { g_strdup (key->str), g_strdup (text->str) };
  g_array_append_val (members, member);
  return TRUE;
}

static gboolean
write_members (TextReader *reader, GArray *members, GString *out)
{
  g_array_sort (members, compare_members);
  g_string_append_c (out, '{');
  for (guint i = 0; i < members->len; i++) {
    const Member *member = &g_array_index (members, Member, i);
    if (i > 0 && compare_members (member - 1, member) == 0)
      return fail (reader, "the object that ends here has the same key twice");
    if (i > 0)
      g_string_append_c (out, ',');
    g_string_append (out, member->text);
  }
  g_string_append_c (out, '}');
  return TRUE;
}

static gboolean
read_object (TextReader *reader, GString *out)
{
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (Member));
  g_array_set_clear_func (members, clear_member);
  reader->at++;
  skip_blanks (reader);
  if (peek (reader) != '}')
    do {
      if (!read_member (reader, members))
        return FALSE;
    } while (take (reader, ','));
  if (!take (reader, '}'))
    return fail (reader, "',' or '}' is missing");
  return write_members (reader, members, out);
}

static gboolean
read_any (TextReader *reader, GString *out)
{
  switch (peek (reader)) {
  case '{':
    return read_object (reader, out);
  case '[':
    return read_array (reader, out);
  case '"':
    return read_quoted (reader, out);
  case 't':
    return read_word (reader, "true", out);
  case 'f':
    return read_word (reader, "false", out);
  case 'n':
    return read_word (reader, "null", out);
  default:
    return read_number (reader, out);
  }
}

/* Reads one value and the blanks around it. */
static gboolean
read_value (TextReader *reader, GString *out)
{
  if (++reader->depth > DEEPEST)
    return fail (reader, "nested too deep");
  skip_blanks (reader);
  if (!read_any (reader, out))
    return FALSE;
  skip_blanks (reader);
  reader->depth--;
  return TRUE;
}

char *
json_canonical_text (const char *text, gsize len, GError **error)
{
  TextReader reader = { text, text, text + len, 0, error };
  g_autoptr (GString) out = g_string_new (NULL);
  const char *invalid;
  if (!g_utf8_validate_len (text, len, &invalid)) {
    reader.at = invalid;
    fail (&reader, "not UTF-8, or a NUL byte");
    return NULL;
  }
  if (!read_value (&reader, out))
    return NULL;
  if (reader.at < reader.end) {
    fail (&reader, "more text after the value");
    return NULL;
  }
  if (g_str_equal (out->str, "null"))
    return g_strdup ("{}");
  if (out->str[0] != '{')
    return error_null (error, PRUNED_REJECT, "expected an object");
  return g_strdup (out->str);
}
